import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { type Asked, silence } from './answers.ts'
import { HEADER, isQuiet, isSasl, REQUEST, RESPONSE, STAT } from './opcodes.ts'
import { probeBinary } from './probe.ts'

const MAX_BODY_SIZE = 2 ** 30
const UNKNOWN = -1
const QUITQ = 23

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** The binary protocol: a response carries the operation and the opaque of its request. */
export class BinaryTalk {
  readonly #connection: Connection
  readonly #asked: Asked[] = []
  #sent = 0
  #keep = 0
  /** The key of a STAT request that has been answered in part. */
  #listed = UNKNOWN

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (bytes[start] !== (side === 0 ? REQUEST : RESPONSE)) throw new Malformed('no magic byte')
    if (end - start < HEADER) return 0
    const total = uint32(bytes, start + 8)
    const named = headLength(bytes, start)
    if (total > MAX_BODY_SIZE || named > HEADER + total) throw new Malformed('lengths that do not add up')
    this.#keep = named + Math.min(HEADER + total - named, this.#connection.limits.body)
    return HEADER + total
  }

  keep(): number {
    return this.#keep
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { bytes, start, end, endTime } = frame
    if (end - start < HEADER) return undefined
    const message = this.#message(frame, start, side)
    const opcode = bytes[start + 1]
    const opaque = opaqueOf(bytes, start)
    if (side === 1) return this.#answer(message, frame, opcode, opaque)
    if (message.kind === 'event') return message
    const key = this.#sent++
    message.key = key
    if (this.#asked.length >= this.#connection.limits.pending) this.#asked.shift()
    this.#asked.push({ key, verb: '', opcode, opaque, quiet: isQuiet(opcode), time: endTime })
    return message
  }

  datagram(frame: Frame, at: number, side: Side, id: number, _number: number, more: boolean): Message {
    const { bytes, end } = frame
    if (end - at < HEADER || bytes[at] !== (side === 0 ? REQUEST : RESPONSE)) throw new Malformed('no header')
    const message = this.#message(frame, at, side)
    message.key = id
    // The answer of a quiet one may have been lost, or never sent.
    if (side === 0 && isQuiet(bytes[at + 1])) return { ...message, kind: 'event' }
    return more ? { ...message, more } : message
  }

  /** A header that makes sense, and after it another, or the end of what there is. */
  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at + HEADER <= end; at++) {
      if (probeBinary(bytes, at, end, side) !== 'yes') continue
      const next = at + HEADER + uint32(bytes, at + 8)
      if (next >= end || probeBinary(bytes, next, end, side) !== 'no') return at
    }
    return -1
  }

  /** Where all have the same opaque, order was all that told the answers apart. */
  lost(side: Side): void {
    this.#listed = UNKNOWN
    if (side === 0) return
    const kept = this.#asked.filter(
      ({ opaque }) => this.#asked.filter((asked) => asked.opaque === opaque).length === 1,
    )
    this.#asked.splice(0, this.#asked.length, ...kept)
  }

  finish(): Message[] {
    const silent = this.#asked.filter(({ quiet }) => quiet).map((asked) => silence(asked, true))
    this.#asked.length = 0
    return silent
  }

  /** Header, extras and key are the head, the value is the body. What SASL says is not kept. */
  #message({ bytes, start, end, length }: Frame, at: number, side: Side): Draft {
    const { copy, limits } = this.#connection
    const opcode = bytes[at + 1]
    const split = Math.min(end, at + headLength(bytes, at))
    const kind = side === 1 ? 'response' : opcode === QUITQ ? 'event' : 'request'
    const message: Draft = { kind, head: copy(bytes, at, split) }
    const size = Math.max(0, length - (split - start))
    if (size === 0) return message
    if (isSasl(opcode)) {
      message.bodySize = size
      return message
    }
    message.body = copy(bytes, split, Math.min(end, split + limits.body))
    if (message.body.length < size) {
      message.bodySize = size
      message.truncated = true
    }
    return message
  }

  #answer(message: Draft, frame: Frame, opcode: number, opaque: string): Message | readonly Message[] {
    const index = this.#asked.findIndex((asked) => asked.opcode === opcode && asked.opaque === opaque)
    if (index < 0) {
      message.key = UNKNOWN
      return message
    }
    const asked = this.#asked[index]
    message.key = asked.key
    const before = this.#asked.splice(0, index).filter(({ quiet }) => quiet)
    if (opcode === STAT) this.#list(message, frame, asked.key)
    if (!message.more) this.#asked.shift()
    return before.length === 0 ? message : [...before.map((quiet) => silence(quiet, true)), message]
  }

  /** STAT is answered by a message for each statistic, and an empty one. */
  #list(message: Draft, { bytes, start, end }: Frame, key: number): void {
    const failed = bytes[start + 6] !== 0 || bytes[start + 7] !== 0
    if (this.#listed === key) {
      message.body = this.#connection.copy(bytes, start, end)
      delete message.head
    }
    if (failed || uint32(bytes, start + 8) === 0) {
      this.#listed = UNKNOWN
      return
    }
    if (this.#listed !== key) {
      message.head = this.#connection.copy(bytes, start, end)
      delete message.body
    }
    this.#listed = key
    message.more = true
  }
}

function uint32(bytes: Uint8Array, at: number): number {
  return bytes[at] * 2 ** 24 + ((bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3])
}

/** The length of header, extras and key. */
function headLength(bytes: Uint8Array, at: number): number {
  return HEADER + bytes[at + 4] + ((bytes[at + 2] << 8) | bytes[at + 3])
}

function opaqueOf(bytes: Uint8Array, at: number): string {
  return String(uint32(bytes, at + 12))
}
