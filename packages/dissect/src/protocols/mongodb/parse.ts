import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection, Conversation, Frame } from '../../contract/dissector.ts'
import type { FieldValue, Message } from '../../contract/message.ts'
import { readCommand } from './command.ts'
import { readCompressed } from './compression.ts'
import { frameLength, HEADER, int32 } from './frame.ts'
import { FLAG } from './layout.ts'
import { isOneWay, isReply, OPCODE, opcodeName } from './opcode.ts'
import { probe } from './probe.ts'
import { readReply } from './reply.ts'
import { hideSecrets } from './secrets.ts'

/** Streams of replies (exhaust cursors, watched servers) that one connection may have. */
const MAX_STREAMS = 16

type Facts = { [name: string]: FieldValue }

/** The message of a frame, unfolded where it was compressed: its payload is `bytes[start, end)`. */
interface Opened {
  readonly opcode: number
  readonly bytes: Uint8Array
  readonly start: number
  readonly end: number
  readonly cut: boolean
  readonly compressor?: string
}

export class MongodbConversation implements Conversation {
  readonly #connection: Connection
  /** What was asked, by the id that the next reply of the stream answers. */
  readonly #streams = new Map<number, Facts>()

  constructor(connection: Connection) {
    this.#connection = connection
  }

  frame(bytes: Uint8Array, start: number, end: number): number {
    return frameLength(bytes, start, end)
  }

  decode(frame: Frame): Message | undefined {
    const { bytes, start, end } = frame
    if (end - start < HEADER) return undefined
    const id = int32(bytes, start + 4)
    const answers = int32(bytes, start + 8)
    const opened = open(frame)
    if (opened === undefined) return undefined
    const flags = opened.opcode === OPCODE.MSG && opened.end - opened.start >= 4
    const bits = flags ? int32(opened.bytes, opened.start) : 0
    return isReply(opened.opcode, answers)
      ? this.#reply(frame, opened, id, answers, bits)
      : this.#request(frame, opened, id, bits)
  }

  resync(bytes: Uint8Array, start: number, end: number, side: Side): number {
    for (let at = start; at + HEADER <= end; at++) if (probe(bytes, at, end, side) === 'yes') return at
    return -1
  }

  lost(): undefined {
    this.#streams.clear()
  }

  #request(frame: Frame, opened: Opened, id: number, bits: number): Message {
    const { opcode, bytes, start, end } = opened
    const asked = tolerant(() => readCommand(opcode, bytes, start, end)) ?? {}
    const oneWay = isOneWay(opcode) || (bits & FLAG.MORE_TO_COME) !== 0
    // An old query may ask for a stream, too: bit 6 of its flags.
    const legacy = opcode === OPCODE.QUERY && end - start >= 4 && (bytes[start] & 0x40) !== 0
    if ((bits & FLAG.EXHAUST_ALLOWED) !== 0 || legacy) this.#remember(id, { ...asked })
    return {
      ...this.#message(frame, opened, { ...asked }, asked.command ?? ''),
      ...(oneWay ? { kind: 'event' } : { kind: 'request', key: id }),
    }
  }

  /** Each reply of a stream answers the one before it; only the first has a request. */
  #reply(frame: Frame, opened: Opened, id: number, answers: number, bits: number): Message {
    const { opcode, bytes, start, end } = opened
    const facts: Facts = { ...tolerant(() => readReply(opcode, bytes, start, end)) }
    const stream = this.#streams.get(answers)
    this.#streams.delete(answers)
    const inStream = stream?.streamed === true
    if ((bits & FLAG.MORE_TO_COME) !== 0) this.#remember(id, { ...stream, streamed: true })
    const message = this.#message(frame, opened, inStream ? { ...stream, ...facts } : facts, undefined)
    return { ...message, ...(inStream ? { kind: 'event' } : { kind: 'response', key: answers }) }
  }

  #message(
    { bytes, start, length }: Frame,
    opened: Opened,
    facts: Facts,
    command: string | undefined,
  ): Message {
    const { opcode, compressor, cut } = opened
    const { limits, copy } = this.#connection
    const kept = Math.min(opened.end - opened.start, limits.body)
    const whole = compressor === undefined ? length - HEADER : opened.end - opened.start
    // Arena slices are not shared, so this one may be overwritten.
    const body = copy(opened.bytes, opened.start, opened.start + kept)
    tolerant(() => hideSecrets(opcode, body, command))
    return {
      kind: 'event',
      head: copy(bytes, start, start + HEADER),
      body,
      ...(kept < whole ? { bodySize: whole } : {}),
      ...(cut || kept < whole ? { truncated: true } : {}),
      fields: { ...facts, opcode, ...(compressor === undefined ? {} : { compressor }) },
    }
  }

  #remember(id: number, facts: Facts): void {
    if (this.#streams.size >= MAX_STREAMS) {
      const [oldest] = this.#streams.keys()
      this.#streams.delete(oldest)
    }
    this.#streams.set(id, facts)
  }
}

function open({ bytes, start, end, length }: Frame): Opened | undefined {
  const opcode = int32(bytes, start + 12)
  const cut = end - start < length
  if (opcode !== OPCODE.COMPRESSED) return { opcode, bytes, start: start + HEADER, end, cut }
  const inner = readCompressed(bytes, start + HEADER, end)
  if (inner === undefined) {
    if (cut) return undefined
    throw new Malformed(`no ${opcodeName(opcode)}`)
  }
  const { compressor, bytes: unfolded } = inner
  const payload = unfolded ?? new Uint8Array(0)
  return { opcode: inner.opcode, bytes: payload, start: 0, end: payload.length, cut: inner.cut, compressor }
}

/** A document that makes no sense leaves a message that says less: its frame was sound. */
function tolerant<T>(read: () => T): T | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
