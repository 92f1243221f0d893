import { type Address, type Flow, Malformed } from '@tapdeck/wire'
import { ByteReader } from '../byte-reader.ts'
import type { Call, Summary } from '../call.ts'
import type { Message } from '../message.ts'
import { FlowMirror } from './flow-mirror.ts'
import {
  CLOSED,
  COUNTS,
  ENTRY,
  FLOW,
  HALF,
  KINDS,
  MISSING,
  STATE,
  SUMMARY,
  TIMES,
  TRANSPORTS,
} from './handover-format.ts'

/** A call, or a flow that is over, and the place where it came up. */
export type HandedOver =
  | { readonly place: number; readonly call: Call; readonly wanted: boolean }
  | { readonly place: number; readonly closed: Flow }

type Mutable<T> = { -readonly [K in keyof T]: T[K] }

const NO_TIMES = {
  rtt_samples: 0,
  retransmissions: 0,
  fast_retransmissions: 0,
  duplicate_acks: 0,
  out_of_order: 0,
  overlap_conflicts: 0,
  zero_window: 0,
  window_full: 0,
  keep_alive: 0,
  resets: 0,
  fins: 0,
  completeness: 0,
}

/**
 * Reads what one `CallPacker` packed, in the same order. The halves of its calls have no bytes: those are in `packed`.
 * A call's flow is as it was then, until the next entry is read.
 */
export class CallUnpacker {
  readonly #flows = new Map<number, FlowMirror>()
  #reader = new ByteReader(new Uint8Array(0))

  /** Goes on with these bytes. */
  open(bytes: Uint8Array): void {
    this.#reader = new ByteReader(bytes)
  }

  /** Undefined at the end of the bytes. */
  next(): HandedOver | undefined {
    const reader = this.#reader
    if (reader.left === 0) return undefined
    const entry = reader.byte()
    const place = reader.varint()
    const handle = reader.varint()
    const flow = this.#flow(handle)
    if (entry !== ENTRY.flow) return { place, call: this.#call(flow), wanted: entry === ENTRY.call }
    this.#flows.delete(handle)
    return { place, closed: flow }
  }

  #call(flow: Flow): Call {
    const reader = this.#reader
    const ordinal = reader.varint()
    const protocol = reader.text()
    const side = reader.byte() === 0 ? 0 : 1
    const start = reader.double()
    const end = reader.double()
    const missing = MISSING[reader.byte() - 1]
    const summary = this.#summary()
    const request = this.#half()
    const response = this.#half()
    return {
      flow,
      ordinal,
      protocol,
      side,
      start,
      end,
      summary,
      ...(missing !== undefined && { missing }),
      ...(request !== undefined && { request }),
      ...(response !== undefined && { response }),
      packed: reader.bytes(),
    }
  }

  #flow(handle: number): FlowMirror {
    const reader = this.#reader
    if (reader.byte() === 1) this.#flows.set(handle, this.#birth())
    const flow = this.#flows.get(handle)
    if (flow === undefined) throw new Malformed('a flow that was never told of')
    const state = reader.byte()
    const turned = (state & STATE.turned) !== 0
    // `state` of a mirror says which way round its ends are.
    if ((flow.state === true) !== turned) {
      flow.ends = [flow.ends[1], flow.ends[0]]
      flow.state = turned
    }
    const closed = CLOSED[reader.byte() - 1]
    if (closed !== undefined) flow.closed = closed
    if (state & (STATE.closedByClient | STATE.closedByServer))
      flow.closedBy = state & STATE.closedByClient ? 0 : 1
    else delete flow.closedBy
    flow.last = reader.double()
    for (const half of flow.halves) {
      half.packets = reader.varint()
      half.bytes = reader.varint()
      half.goodput = reader.varint()
      half.missing = reader.varint()
    }
    if (state & STATE.tcp) this.#metrics(flow)
    return flow
  }

  #metrics(flow: FlowMirror): void {
    const reader = this.#reader
    flow.tcp ??= { ...NO_TIMES }
    const { tcp } = flow
    for (const name of COUNTS) tcp[name] = reader.varint()
    const parts = reader.byte()
    for (let at = 0; at < TIMES.length; at++) if (parts & (1 << at)) tcp[TIMES[at]] = reader.double()
  }

  #birth(): FlowMirror {
    const reader = this.#reader
    const parts = reader.byte()
    const id = reader.varint()
    const transport = TRANSPORTS[reader.byte()]
    const ends: readonly [Address, Address] = [this.#address(), this.#address()]
    const flow = new FlowMirror(id, transport, ends, (parts & FLOW.midstream) !== 0, reader.double())
    if (parts & FLOW.tunnel) flow.tunnel = reader.text()
    if (parts & FLOW.vlan) flow.vlan = reader.varint()
    return flow
  }

  #address(): Address {
    const ip = this.#reader.text()
    return { ip, port: this.#reader.varint() }
  }

  #summary(): Summary {
    const reader = this.#reader
    const parts = reader.byte()
    const summary: Mutable<Summary> = {}
    if (parts & SUMMARY.method) summary.method = reader.text()
    if (parts & SUMMARY.path) summary.path = reader.text()
    if (parts & SUMMARY.numericStatus) summary.status = reader.double()
    if (parts & SUMMARY.textStatus) summary.status = reader.text()
    if (parts & SUMMARY.failure) summary.failure = reader.text()
    return summary
  }

  #half(): Message | undefined {
    const reader = this.#reader
    const kind = KINDS[reader.byte() - 1]
    if (kind === undefined) return undefined
    const message: Mutable<Message> = { kind }
    const parts = reader.byte()
    if (parts & HALF.start) message.start = reader.double()
    if (parts & HALF.end) message.end = reader.double()
    if (parts & HALF.size) message.size = reader.varint()
    return message
  }
}
