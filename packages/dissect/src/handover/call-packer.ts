import type { Flow } from '@tapdeck/wire'
import { ByteWriter } from '../byte-writer.ts'
import type { Call } from '../call.ts'
import { writeExchange } from '../exchange-codec.ts'
import type { Message } from '../message.ts'
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

interface Known {
  readonly handle: number
  /** The client when the flow was first told of. */
  readonly client: Flow['ends'][0]
}

/** Packs calls and flows into bytes for another thread, each with the place (a number from 0) where it came up. */
export class CallPacker {
  /** Entries since the last `take`. */
  count = 0
  readonly #writer = new ByteWriter(1 << 16)
  readonly #exchange = new ByteWriter(1 << 12)
  readonly #flows = new Map<Flow, Known>()
  #handles = 0

  get bytes(): number {
    return this.#writer.length
  }

  /** `wanted`: false for a call that others are only to learn from. */
  add(call: Call, place: number, wanted = true): void {
    const writer = this.#writer
    this.count++
    writer.byte(wanted ? ENTRY.call : ENTRY.unwanted)
    writer.varint(place)
    this.#flow(call.flow)
    writer.varint(call.ordinal)
    writer.text(call.protocol)
    writer.byte(call.side)
    writer.double(call.start)
    writer.double(call.end)
    writer.byte(call.missing === undefined ? 0 : MISSING.indexOf(call.missing) + 1)
    this.#summary(call)
    half(call.request, writer)
    half(call.response, writer)
    this.#exchange.cut(0)
    writeExchange(call, this.#exchange)
    writer.bytes(this.#exchange.written())
  }

  /** A flow is over; nothing more will be told of it. */
  close(flow: Flow, place: number): void {
    this.count++
    this.#writer.byte(ENTRY.flow)
    this.#writer.varint(place)
    this.#flow(flow)
    this.#flows.delete(flow)
  }

  /** All that was packed, in memory of its own. */
  take(): Uint8Array<ArrayBuffer> {
    const taken = new Uint8Array(this.#writer.length)
    taken.set(this.#writer.written())
    this.#writer.cut(0)
    this.count = 0
    return taken
  }

  #flow(flow: Flow): void {
    const writer = this.#writer
    let known = this.#flows.get(flow)
    if (known === undefined) {
      known = { handle: this.#handles++, client: flow.ends[0] }
      this.#flows.set(flow, known)
      writer.varint(known.handle)
      writer.byte(1)
      birth(flow, writer)
    } else {
      writer.varint(known.handle)
      writer.byte(0)
    }
    const { tcp, closed, closedBy } = flow
    let state = flow.ends[0] === known.client ? 0 : STATE.turned
    if (tcp !== undefined) state |= STATE.tcp
    if (closedBy !== undefined) state |= closedBy === 0 ? STATE.closedByClient : STATE.closedByServer
    writer.byte(state)
    writer.byte(closed === undefined ? 0 : CLOSED.indexOf(closed) + 1)
    writer.double(flow.last)
    for (const { packets, bytes, goodput, missing } of flow.halves) {
      writer.varint(packets)
      writer.varint(bytes)
      writer.varint(goodput)
      writer.varint(missing)
    }
    if (tcp === undefined) return
    for (const name of COUNTS) writer.varint(tcp[name])
    let parts = 0
    for (let at = 0; at < TIMES.length; at++) if (tcp[TIMES[at]] !== undefined) parts |= 1 << at
    writer.byte(parts)
    for (const name of TIMES) {
      const value = tcp[name]
      if (value !== undefined) writer.double(value)
    }
  }

  #summary({ summary: { method, path, status, failure } }: Call): void {
    const writer = this.#writer
    let parts = 0
    if (method !== undefined) parts |= SUMMARY.method
    if (path !== undefined) parts |= SUMMARY.path
    if (typeof status === 'number') parts |= SUMMARY.numericStatus
    if (typeof status === 'string') parts |= SUMMARY.textStatus
    if (failure !== undefined) parts |= SUMMARY.failure
    writer.byte(parts)
    if (method !== undefined) writer.text(method)
    if (path !== undefined) writer.text(path)
    if (typeof status === 'number') writer.double(status)
    if (typeof status === 'string') writer.text(status)
    if (failure !== undefined) writer.text(failure)
  }
}

function birth(flow: Flow, writer: ByteWriter): void {
  const { tunnel, vlan } = flow
  let parts = flow.midstream ? FLOW.midstream : 0
  if (tunnel !== undefined) parts |= FLOW.tunnel
  if (vlan !== undefined) parts |= FLOW.vlan
  writer.byte(parts)
  writer.varint(flow.id)
  writer.byte(TRANSPORTS.indexOf(flow.transport))
  for (const { ip, port } of flow.ends) {
    writer.text(ip)
    writer.varint(port)
  }
  writer.double(flow.start)
  if (tunnel !== undefined) writer.text(tunnel)
  if (vlan !== undefined) writer.varint(vlan)
}

/** What is known of a half without its bytes. */
function half(message: Message | undefined, writer: ByteWriter): void {
  writer.byte(message === undefined ? 0 : KINDS.indexOf(message.kind) + 1)
  if (message === undefined) return
  const { start, end, size } = message
  let parts = 0
  if (start !== undefined) parts |= HALF.start
  if (end !== undefined) parts |= HALF.end
  if (size !== undefined) parts |= HALF.size
  writer.byte(parts)
  if (start !== undefined) writer.double(start)
  if (end !== undefined) writer.double(end)
  if (size !== undefined) writer.varint(size)
}
