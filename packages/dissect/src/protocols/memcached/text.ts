import type { Side } from '@tapdeck/wire'
import type { Connection, Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { Body } from '../../message/body.ts'
import { latin1 } from '../../text/text.ts'
import { type Asked, mayAnswer, silence } from './answers.ts'
import { probeText } from './probe.ts'
import { dataOfAnswer, dataOfCommand, lineLength, saysNoreply, tokenText } from './text-line.ts'

const LF = 0x0a
/** Lines of which an answer may have many; the last of it is another. */
const SEVERAL = new Set(['VALUE', 'STAT', 'ITEM', 'PREFIX'])
/** Nothing is answered but the end of the connection. */
const LAST_WORDS = new Set(['quit', 'shutdown'])
const MAX_FLAGS = 16

type Draft = { -readonly [K in keyof Message]: Message[K] }

/** One side: how long the line measured last is, the data after it (-1: none), and how far an unfinished one was read. */
interface Measured {
  line: number
  data: number
  scanned: number
  /** The data is a frame of its own. */
  ahead: boolean
}

/** The text protocol. Answers come in the order of the commands; quiet ones may have none. */
export class TextTalk {
  readonly #connection: Connection
  readonly #measured: readonly [Measured, Measured] = [
    { line: 0, data: -1, scanned: 0, ahead: false },
    { line: 0, data: -1, scanned: 0, ahead: false },
  ]
  readonly #asked: Asked[] = []
  /** An answer of several lines: what it began with, and all of it. */
  #answer: Body | undefined
  #firstLine = 0
  #values = 0
  #watches = false
  /** What the client says next is the data of its last command. */
  #uploads = false

  constructor(connection: Connection) {
    this.#connection = connection
  }

  /** Whether what that side says next is data, whatever it looks like. */
  uploads(side: Side): boolean {
    return side === 0 && this.#uploads
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const measured = this.#measured[side]
    if (this.uploads(side)) return measured.data + 2
    const length = lineLength(bytes, start, end, measured.scanned)
    measured.scanned = length > 0 ? 0 : end - start
    if (length === 0) return 0
    measured.line = length
    measured.ahead = false
    measured.data =
      side === 0 ? dataOfCommand(bytes, start, start + length) : dataOfAnswer(bytes, start, start + length)
    if (measured.data < 0) return length
    const whole = length + measured.data + 2
    // The line goes ahead of data that is not all there: the server may refuse it before it has come.
    if (side === 1 || whole <= end - start || saysNoreply(bytes, start, start + length)) return whole
    measured.ahead = true
    return length
  }

  keep(side: Side): number {
    const { line, data } = this.#measured[side]
    const room = side === 1 && this.#answer !== undefined ? this.#answer.room : this.#connection.limits.body
    return (side === 0 && this.#uploads ? 0 : line) + Math.min(Math.max(0, data + 2), room)
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | undefined {
    const { line, ahead, data } = this.#measured[side]
    if (side === 0 && this.#uploads) {
      this.#uploads = false
      return this.#data({ kind: 'request' }, frame, frame.start, data)
    }
    if (side === 0 && ahead) {
      const message = this.#command(frame, frame.start, line, -1)
      this.#uploads = message !== undefined
      return message === undefined ? undefined : { ...message, more: true }
    }
    if (side === 0) return this.#command(frame, frame.start, line, data)
    return this.#reply(frame, line)
  }

  datagram(
    frame: Frame,
    at: number,
    side: Side,
    id: number,
    number: number,
    more: boolean,
  ): Message | undefined {
    const { bytes, end, start, length } = frame
    const { copy } = this.#connection
    if (side === 1) {
      const payload = copy(bytes, at, end)
      const message: Draft = {
        kind: 'response',
        key: id,
        ...(number === 0 ? { head: payload } : { body: payload }),
      }
      if (more) message.more = true
      if (end - start < length) message.truncated = true
      return message
    }
    const line = lineLength(bytes, at, end, 0) || end - at
    const message = this.#command(frame, at, line, dataOfCommand(bytes, at, at + line))
    this.#asked.length = 0
    return message === undefined ? undefined : { ...message, key: id }
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    this.#measured[side].scanned = 0
    for (let at = start; at < end; at = nextLine(bytes, at, end)) {
      const verdict = probeText(bytes, at, end, side)
      if (verdict === 'yes' || (verdict === 'more' && nextLine(bytes, at, end) <= end)) return at
    }
    return -1
  }

  lost(side: Side): Message | undefined {
    this.#measured[side].scanned = 0
    this.#asked.length = 0
    if (side === 0 && this.#uploads) {
      this.#uploads = false
      return { kind: 'request', truncated: true }
    }
    if (side === 0 || this.#answer === undefined) return undefined
    return { ...this.#answered(), truncated: true }
  }

  /** The server is silent for good: what it had to say to quiet commands was nothing. */
  finish(): Message[] {
    const answer = this.#answer === undefined ? [] : [{ ...this.#answered(), truncated: true }]
    const silent = this.#asked.filter(({ quiet }) => quiet).map((asked) => silence(asked))
    this.#asked.length = 0
    return [...answer, ...silent]
  }

  #command(frame: Frame, at: number, line: number, data: number): Message | undefined {
    const { bytes, start, end, length, endTime } = frame
    const { copy } = this.#connection
    const stop = Math.min(end, at + line)
    const verb = tokenText(bytes, at, stop, 0)
    if (verb === '') return undefined
    const oneWay = LAST_WORDS.has(verb) || saysNoreply(bytes, at, stop)
    const message: Draft = { kind: oneWay ? 'event' : 'request', head: copy(bytes, at, stop) }
    if (data >= 0) this.#data(message, frame, at + line, data)
    if (end - start < length && data < 0) message.truncated = true
    if (verb === 'watch') this.#watches = true
    if (!oneWay) this.#ask(bytes, at, stop, verb, endTime)
    return message
  }

  /** Adds the `size` bytes of data that begin at `from`. */
  #data(message: Draft, { bytes, end }: Frame, from: number, size: number): Message {
    const { copy, limits } = this.#connection
    const to = Math.min(end, from + Math.min(size, limits.body))
    message.body = copy(bytes, Math.min(from, to), to)
    if (message.body.length < size) {
      message.bodySize = size
      message.truncated = true
    }
    return message
  }

  #ask(bytes: Uint8Array, start: number, end: number, verb: string, time: number): void {
    const meta = verb.length === 2 && verb.startsWith('m')
    let quiet = false
    let opaque = ''
    for (let i = verb === 'ms' ? 3 : 2; meta && i < MAX_FLAGS; i++) {
      const flag = tokenText(bytes, start, end, i)
      if (flag === '') break
      if (flag === 'q') quiet = true
      else if (flag.startsWith('O')) opaque = flag
    }
    if (this.#asked.length >= this.#connection.limits.pending) this.#asked.shift()
    this.#asked.push({ key: 0, verb, opcode: 0, opaque, quiet, time })
  }

  #reply({ bytes, start, end, length }: Frame, line: number): Message | readonly Message[] | undefined {
    const stop = Math.min(end, start + line)
    const code = tokenText(bytes, start, stop, 0)
    if (code === '') return undefined
    if (SEVERAL.has(code) || code.startsWith('key=')) {
      if (this.#answer === undefined) {
        this.#answer = new Body(this.#connection)
        this.#firstLine = line
      }
      if (code === 'VALUE') this.#values++
      this.#answer.append(bytes, start, end, length)
      return undefined
    }
    if (this.#watches && code.startsWith('ts='))
      return { kind: 'event', head: this.#connection.copy(bytes, start, stop) }
    if (this.#answer === undefined) return this.#settle(code, this.#single(bytes, start, stop, end, length))
    this.#answer.append(bytes, start, end, length)
    return this.#settle(code, this.#answered())
  }

  #single(bytes: Uint8Array, start: number, stop: number, end: number, length: number): Message {
    const { copy, limits } = this.#connection
    const message: Draft = { kind: 'response', head: copy(bytes, start, stop) }
    const size = length - (stop - start)
    if (size === 0) return message
    message.body = copy(bytes, stop, Math.min(end, stop + limits.body))
    if (message.body.length < size) {
      message.bodySize = size
      message.truncated = true
    }
    return message
  }

  /** All lines of an answer: the first is its head, the rest its body. */
  #answered(): Message {
    const size = this.#answer?.size ?? 0
    const whole = this.#answer?.take() ?? new Uint8Array(0)
    const first = Math.min(whole.length, this.#firstLine)
    const message: Draft = { kind: 'response', head: whole.subarray(0, first), body: whole.subarray(first) }
    if (this.#values > 0) message.fields = { values: this.#values }
    if (whole.length < size) {
      message.bodySize = size - first
      message.truncated = true
    }
    this.#answer = undefined
    this.#values = 0
    return message
  }

  /** Quiet commands before the one that is answered had nothing to tell. */
  #settle(code: string, message: Message): Message | readonly Message[] {
    const asked = this.#asked
    if (asked.length === 0 || !asked[0].quiet) {
      asked.shift()
      return message
    }
    const opaque = message.head === undefined ? '' : opaqueOf(message.head)
    const messages: Message[] = []
    let silent = 0
    while (silent < asked.length && !mayAnswer(asked[silent], code, opaque))
      messages.push(silence(asked[silent++]))
    asked.splice(0, silent + 1)
    messages.push(message)
    return messages
  }
}

function opaqueOf(line: Uint8Array): string {
  return /^(?:VA \d+|[A-Z]{2})(?: [^ ]+)*? (O[^ \r\n]+)/.exec(latin1(line))?.[1] ?? ''
}

function nextLine(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at < end && bytes[at] !== LF) at++
  return at + 1
}
