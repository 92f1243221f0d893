import type { Loss } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'
import { CallRecord } from '../call/call-record.ts'
import { firstByteOf, latencyOf } from '../call/timings.ts'
import type { Call, CompactCall } from '../contract/call.ts'
import type { Dissector } from '../contract/dissector.ts'
import type { Limits } from '../contract/limits.ts'
import { Engine } from '../engine/engine.ts'
import { packExchange, unpackExchange } from '../pack/exchange-codec.ts'
import { dirtyBuffers } from './dirty-buffers.ts'
import { type Cuts, Replay, seeded } from './replay.ts'

/** A full call without the fields of its connection and capture. */
export type ShownCall = CompactCall & { readonly [name: string]: unknown }

/** The result of dissecting some traffic. */
export interface Observation {
  /** In order of emission. */
  readonly calls: readonly ShownCall[]
  /** Names of the detected protocols, without duplicates. */
  readonly protocols: readonly string[]
  readonly loss: Loss
  /** Errors other than `Malformed`. */
  readonly faults: readonly unknown[]
  /** Bytes of the budget that were not released. */
  readonly leaked: number
}

export interface ObserveOptions {
  readonly cuts?: Cuts
  readonly limits?: Partial<Limits>
  readonly protocols?: readonly Dissector[]
  /** The bytes are a stable chunk, as in a file: calls may point into them. */
  readonly lasting?: boolean
  /** Receives each call as it is emitted. */
  readonly emitted?: (call: Call) => void
  /** Seed of the bytes around each packet. No result may depend on it. */
  readonly around?: number
}

/** `observe` with some options preset. */
export type Observe = (events: Iterable<StreamEvent>, options?: ObserveOptions) => Observation

export function observe(events: Iterable<StreamEvent>, options: ObserveOptions = {}): Observation {
  const calls: ShownCall[] = []
  const faults: unknown[] = []
  const names = new Set<string>()
  const loss: Loss = {}
  const engine = new Engine({
    emit: (call) => {
      options.emitted?.(call)
      try {
        calls.push(
          shown(
            call,
            options.protocols?.find(({ name }) => name === call.protocol),
          ),
        )
      } catch (error) {
        faults.push(error)
      }
    },
    flow: (_, spoken) => {
      for (const name of spoken) names.add(name)
    },
    fault: (error) => faults.push(error),
    loss,
    ...(options.limits === undefined ? {} : { limits: options.limits }),
    ...(options.protocols === undefined ? {} : { protocols: options.protocols }),
  })
  const random = seeded(options.around ?? 1)
  dirtyBuffers(random)
  const replay = new Replay(engine, {
    ...(options.cuts === undefined ? {} : { cuts: options.cuts }),
    lasting: options.lasting ? (bytes: Uint8Array) => engine.lasting(bytes) : undefined,
    random,
  })
  engine.flip = (flow) => replay.flip(flow)
  replay.replay(events)
  return { calls, protocols: [...names].sort(), loss, faults, leaked: engine.budget.used }
}

/** Goes through pack and unpack, so that each call also tests the storage format. */
function shown(call: Call, dissector: Dissector | undefined): ShownCall {
  const { flow, side, ordinal, protocol, summary } = call
  const error = call.missing ?? summary.failure
  const packed = packExchange(call)
  const record = new CallRecord({
    id: String(ordinal),
    ts: call.start / 1000,
    src: flow.ends[side],
    dst: flow.ends[1 - side],
    proto: protocol,
    method: summary.method,
    path: summary.path,
    status: summary.status,
    latency_ms: latencyOf(call),
    ttfb_ms: firstByteOf(call),
    ...(error === undefined ? {} : { error }),
    flow_id: flow.id,
    node_id: 'node',
    capture_source: 'file',
    exchange: () => unpackExchange(protocol, packed),
    ...(dissector === undefined ? {} : { dissector }),
  })
  const { conn_id: _conn, flow_id: _flow, node_id: _node, capture_source: _source, ...rest } = record.toJSON()
  const { req_headers: _rh, resp_headers: _sh, req_body: _rb, resp_body: _sb, ...full } = rest
  return full
}
