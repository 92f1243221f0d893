import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { Handoff, Message } from '../../contract/message.ts'
import { ReusedFrame } from '../../contract/reused-frame.ts'
import { HEADER, int24, MAX_LENGTH } from './bytes.ts'
import { Client } from './client.ts'
import { COMMAND } from './command.ts'
import { COMPRESSED_HEADER, isCompressed, unfold } from './compression.ts'
import { PacketStream } from './packet-stream.ts'
import { probeRun, resync, resyncCompressed } from './probe.ts'
import { Server } from './server.ts'
import { Session } from './session.ts'

/** What surrounds a statement in its packet. */
const AROUND = 4096

/** The packet of a frame that is being read: each is read before the next. */
const part = new ReusedFrame()

/** MySQL's and MariaDB's protocol, since version 4.1. */
export class MysqlConversation implements Conversation {
  readonly #connection: Connection
  readonly #session: Session
  readonly #client: Client
  readonly #server: Server
  /** What was compressed, by side. */
  #unfolded: readonly [PacketStream, PacketStream] | undefined
  /** Sides whose unfolded packets are to be found again. */
  readonly #adrift: [boolean, boolean] = [false, false]
  /** Sides of which it was seen whether they compress. */
  readonly #looked: [boolean, boolean] = [false, false]
  #time = 0

  constructor(connection: Connection) {
    this.#connection = connection
    this.#session = new Session(connection)
    this.#session.shaken = connection.flow.midstream
    this.#client = new Client(this.#session)
    this.#server = new Server(this.#session)
  }

  frame(bytes: Uint8Array, start: number, end: number, side: Side): number {
    if (end - start < HEADER) return 0
    if (this.#session.compression === undefined && this.#mayCompress(side))
      this.#look(bytes, start, end, side)
    if (this.#session.compression !== undefined)
      return end - start < COMPRESSED_HEADER ? 0 : COMPRESSED_HEADER + int24(bytes, start)
    const length = HEADER + int24(bytes, start)
    if (side === 0 || length >= end - start || !this.#isAnswering()) return length
    // All packets of an answer that are here at once: what they cost is mostly the way.
    return wholeEnd(bytes, start + length, end) - start
  }

  /** What the server says is an answer in plain packets: after a login they may be compressed. */
  #isAnswering(): boolean {
    const question = this.#session.questions.length > 0 ? this.#session.questions[0] : undefined
    return question !== undefined && question.code !== COMMAND.login && question.code !== COMMAND.changeUser
  }

  keep(side: Side): number {
    const { limits } = this.#connection
    if (this.#session.compression !== undefined) return limits.frame
    return side === 1 && this.#server.inRows ? HEADER + Math.max(64, this.#server.room) : limits.body + AROUND
  }

  decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    this.#time = frame.endTime
    const said = this.#decode(frame, side)
    this.#session.answer?.settle()
    return said
  }

  #decode(frame: Frame, side: Side): Message | readonly Message[] | Handoff | undefined {
    if (this.#session.compression !== undefined) return this.#unfold(frame, side)
    const { bytes, start, end, length } = frame
    if (side === 0 || end - start < length) return this.#packet(frame, side)
    let said: Message | undefined
    let all: Message[] | undefined
    for (let at = start; at < end; at = part.end) {
      const packets = this.#countRun(bytes, at, end)
      part.cut(frame, at, runEnd)
      const next = this.#server.decode(part, packets)
      if (next === undefined) continue
      if (said === undefined) said = next
      else {
        all ??= [said]
        all.push(next)
      }
    }
    return all ?? said
  }

  /** How many packets are read as one: rows or definitions, up to `runEnd`. */
  #countRun(bytes: Uint8Array, start: number, end: number): number {
    return countRun(bytes, start, end, this.#server.inRows ? end : this.#server.definitions)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    const session = this.#session
    if (session.compression !== undefined) return resyncCompressed(bytes, start, end, side)
    const agreed = session.capabilities !== undefined && session.questions[0]?.code !== COMMAND.login
    const compressed = agreed ? -1 : resyncCompressed(bytes, start, end, side)
    if (compressed >= 0) session.compression = 'zlib'
    return compressed >= 0 ? compressed : resync(bytes, start, end, side)
  }

  lost(side: Side): undefined {
    this.#unfolded?.[side].clear()
    this.#adrift[side] = true
    this.#looked[side] = false
    this.#session.shaken = true
    if (side === 0) this.#client.lost()
    else this.#server.lost()
  }

  finish(side: Side): Message | undefined {
    return side === 1 ? this.#server.finish(this.#time) : undefined
  }

  /** That both sides compress may have been agreed on unseen: before the capture, or in lost bytes. */
  #mayCompress(side: Side): boolean {
    return !this.#looked[side] || (side === 0 && this.#session.questions[0]?.code === COMMAND.login)
  }

  #look(bytes: Uint8Array, start: number, end: number, side: Side): void {
    this.#looked[side] = true
    if (probeRun(bytes, start, end, side) !== 'yes' && isCompressed(bytes, start, end, side) === true)
      this.#session.compression = 'zlib'
  }

  #packet(frame: Frame, side: Side): Message | Handoff | undefined {
    // The first byte of a packet shows its type.
    if (frame.end - frame.start < HEADER + 1 && frame.length > HEADER) return undefined
    return side === 0 ? this.#client.decode(frame) : this.#server.decode(frame)
  }

  /** Packets are cut into compressed ones anywhere, but each command and each answer begins with one. */
  #unfold({ bytes, start, end, length, time, endTime }: Frame, side: Side): Message[] | undefined {
    const first = bytes[start + 3] === side
    if (this.#adrift[side] && !first) return undefined
    const unfoldedLength = int24(bytes, start + 4)
    const body = bytes.subarray(start + COMPRESSED_HEADER, end)
    const whole = end - start === length
    const plain = unfoldedLength === 0 ? body : whole ? unfold(body, unfoldedLength) : undefined
    if (plain === undefined || !whole) {
      if (whole) throw new Malformed('not compressed')
      this.lost(side)
      return undefined
    }
    this.#adrift[side] = false
    this.#unfolded ??= [new PacketStream(this.#connection), new PacketStream(this.#connection)]
    const messages: Message[] = []
    this.#unfolded[side].push(plain, time, endTime, (frame) => {
      const message = this.#packet(frame, side)
      if (message !== undefined && message.kind !== 'handoff') messages.push(message)
    })
    return messages.length > 0 ? messages : undefined
  }
}

/** Where the packets end that stand whole in these bytes. */
function wholeEnd(bytes: Uint8Array, start: number, end: number): number {
  let at = start
  while (at + HEADER <= end) {
    const next = at + HEADER + int24(bytes, at)
    if (next > end) break
    at = next
  }
  return at
}

/** Where the packets end that were counted last. */
let runEnd = 0

/** Counts packets that stand whole in these bytes, up to a mark, and so many at most; the first counts always. */
function countRun(bytes: Uint8Array, start: number, end: number, most: number): number {
  let at = start + HEADER + int24(bytes, start)
  let count = 1
  if (most > 1 && !isMark(bytes, start))
    while (count < most && at + HEADER < end && !isMark(bytes, at)) {
      const next = at + HEADER + int24(bytes, at)
      if (next > end) break
      at = next
      count++
    }
  runEnd = at
  return count
}

/** The end of rows or definitions, an error, or something so long that it goes on in the next packet. */
function isMark(bytes: Uint8Array, at: number): boolean {
  const size = int24(bytes, at)
  const first = bytes[at + HEADER]
  return size === 0 || size === MAX_LENGTH || first === 0xfe || first === 0xff
}
