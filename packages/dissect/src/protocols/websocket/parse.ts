import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { pathOf } from '../http/start-line.ts'
import { OPCODE, opcodeName, resync } from './frame.ts'
import { Inflation } from './inflation.ts'
import { SideState } from './side-state.ts'

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** RFC 6455, from the moment that HTTP hands over. Each message is an event of the side that sent it. */
export class WebSocketConversation implements Conversation {
  readonly #connection: Connection
  readonly #path: string | undefined
  readonly #client: SideState
  readonly #server: SideState
  /** The reserved bits may have a meaning. */
  readonly #extended: boolean

  constructor(connection: Connection) {
    this.#connection = connection
    const { requestHead, extensions } = connection.context ?? {}
    this.#path = requestHead instanceof Uint8Array ? pathOf(requestHead) : undefined
    const agreed = typeof extensions === 'string' ? extensions.toLowerCase() : ''
    this.#extended = agreed !== ''
    const deflates = agreed.includes('permessage-deflate')
    const inflation = (side: string) =>
      deflates ? new Inflation(connection, !agreed.includes(`${side}_no_context_takeover`)) : undefined
    this.#client = new SideState(connection, inflation('client'))
    this.#server = new SideState(connection, inflation('server'))
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const { header } = this.#state(side)
    const wrong = header.read(bytes, start, end, side, this.#extended)
    if (wrong !== undefined) throw new Malformed(wrong)
    return header.size === 0 ? 0 : header.size + header.payload
  }

  keep(side: Side): number {
    const { header, body } = this.#state(side)
    return header.size + Math.min(header.payload, body.room)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const state = this.#state(side)
    const { bytes, start, end, length, time } = frame
    const { header } = state
    header.read(bytes, start, end, side, this.#extended)
    if (header.size === 0 || end - start < header.size) return undefined
    const { opcode } = header
    const from = start + header.size
    if (opcode >= OPCODE.close) return this.#control(frame, from, opcode, side)
    const interrupted = opcode !== OPCODE.continuation ? this.#interrupt(state, side) : undefined
    if (state.opcode < 0) state.begin(opcode, header.reserved, time)
    state.frames++
    state.size += length
    const payload = this.#payload(bytes, from, end, header.masked)
    state.body.append(payload, 0, payload.length, length - header.size)
    if (!header.final) return interrupted
    const message = this.#complete(state, side, true)
    return interrupted === undefined ? message : [interrupted, message]
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    return resync(bytes, start, end, side, this.#extended)
  }

  lost(side: Side): Message | undefined {
    const state = this.#state(side)
    const cut = this.#interrupt(state, side)
    state.inflation?.lose()
    return cut
  }

  finish(side: Side): Message | undefined {
    return this.#interrupt(this.#state(side), side)
  }

  #state(side: Side): SideState {
    return side === 0 ? this.#client : this.#server
  }

  #control(frame: Frame, from: number, opcode: number, side: Side): Message {
    const { bytes, start, end, length, time, endTime } = frame
    const body = this.#payload(bytes, from, end, side === 0)
    const payloadLength = length - (from - start)
    return {
      kind: 'event',
      ...(body.length > 0 ? { body } : {}),
      fields: this.#fields(opcode, side, payloadLength),
      ...(body.length < payloadLength ? { truncated: true, bodySize: payloadLength } : {}),
      start: time,
      end: endTime,
      size: length,
    }
  }

  /** A message that began and will not be finished. */
  #interrupt(state: SideState, side: Side): Message | undefined {
    return state.opcode < 0 ? undefined : this.#complete(state, side, false)
  }

  #complete(state: SideState, side: Side, ended: boolean): Message {
    const { opcode, compressed, frames, start, size } = state
    const { body: pieces, inflation } = state
    const payloadLength = pieces.size
    // Its first frame was lost, and with it whether it is compressed.
    const headless = opcode === OPCODE.continuation
    const whole = ended && !pieces.truncated && !headless
    const kept = pieces.take()
    const fields = this.#fields(opcode, side, payloadLength)
    if (frames > 1) fields.frames = frames
    const message: Draft = { kind: 'event', fields, start, size }
    let body = kept
    let bodySize = payloadLength
    if (headless && inflation !== undefined) fields.unreadable = true
    else if (compressed && inflation !== undefined) {
      const unfolded = kept === undefined ? undefined : inflation.inflate(kept, whole)
      fields.compressed = true
      if (unfolded === undefined) fields.unreadable = true
      else {
        const { limits, copy } = this.#connection
        body = copy(unfolded, 0, Math.min(unfolded.length, limits.body))
        bodySize = Math.max(unfolded.length, whole ? 0 : body.length)
      }
    }
    if (body !== undefined && body.length > 0) message.body = body
    if (bodySize > (body?.length ?? 0)) message.bodySize = bodySize
    if (!whole || bodySize > (body?.length ?? 0)) message.truncated = true
    state.opcode = -1
    return message
  }

  #fields(opcode: number, side: Side, payloadLength: number): { [name: string]: FieldValue } {
    return {
      opcode: opcodeName(opcode),
      from: side === 0 ? 'client' : 'server',
      ...(this.#path === undefined ? {} : { path: this.#path }),
      payload_length: payloadLength,
    }
  }

  /** A copy of the payload without its mask (RFC 6455 §5.3), which stands right before it. */
  #payload(bytes: Uint8Array, from: number, end: number, masked: boolean): Uint8Array {
    const payload = this.#connection.copy(bytes, from, end)
    if (masked) for (let i = 0; i < payload.length; i++) payload[i] ^= bytes[from - 4 + (i & 3)]
    return payload
  }
}
