import type { Loss } from '@tapdeck/wire'
import type { StreamEvent } from '@tapdeck/wire/testing'
import type { Call, CompactCall } from '../call.ts'
import { CallRecord } from '../call-record.ts'
import type { Dissector } from '../dissector.ts'
import { Engine } from '../engine/engine.ts'
import { packExchange, unpackExchange } from '../exchange-codec.ts'
import type { Limits } from '../limits.ts'
import { firstByteOf, latencyOf } from '../timings.ts'
import { type Cuts, Replay, seeded } from './replay.ts'
import { soil } from './soil.ts'

/** A call in its full shape, without what belongs to its connection or its place of capture. */
export type ShownCall = CompactCall & { readonly [name: string]: unknown }

/** What the engine made of some traffic. */
export interface Observation {
  /** In order of emission. */
  readonly calls: readonly ShownCall[]
  /** Protocols recognised, each once. */
  readonly protocols: readonly string[]
  readonly loss: Loss
  /** Errors that were no `Malformed`, wherever they came up. */
  readonly faults: readonly unknown[]
  /** Bytes of the budget that were not given back. */
  readonly leaked: number
}

export interface ObserveOptions {
  readonly cuts?: Cuts
  readonly limits?: Partial<Limits>
  readonly protocols?: readonly Dissector[]
  /** Bytes stay as they are, as those of a file do, and calls may point to them. */
  readonly lasting?: boolean
  /** What stands around the bytes of each packet: other numbers, other bytes. Nothing may depend on it. */
  readonly around?: number
}

/** `observe` with some of its options settled. */
export type Observe = (events: Iterable<StreamEvent>, options?: ObserveOptions) => Observation

export function observe(events: Iterable<StreamEvent>, options: ObserveOptions = {}): Observation {
  const calls: ShownCall[] = []
  const faults: unknown[] = []
  const names = new Set<string>()
  const loss: Loss = {}
  const engine = new Engine({
    emit: (call) => {
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
  soil(random)
  const replay = new Replay(engine, {
    ...(options.cuts === undefined ? {} : { cuts: options.cuts }),
    lasting: options.lasting ? (bytes: Uint8Array) => engine.lasting(bytes) : undefined,
    random,
  })
  engine.flip = (flow) => replay.flip(flow)
  replay.tell(events)
  return { calls, protocols: [...names].sort(), loss, faults, leaked: engine.budget.used }
}

/** The full shape by way of disk, so that each call also proves that it survives there. */
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
