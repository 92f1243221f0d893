import { Malformed } from '@tapdeck/wire'
import { Arena } from './arena.ts'
import { ByteReader } from './byte-reader.ts'
import { ByteWriter } from './byte-writer.ts'
import { DatagramMessage } from './datagram-message.ts'
import type { Exchange } from './dissector.ts'
import { writeJson } from './json-writer.ts'
import type { FieldValue, Message } from './message.ts'
import { PlacedMessage } from './placed-message.ts'
import { PlainMessage } from './plain-message.ts'
import { packedFields } from './shared-fields.ts'
import type { SteadyBytes } from './steady-bytes.ts'

/**
 * Version 1. A byte for the version, a byte that says which halves follow (1 request, 2 response), then each half:
 * its kind, a varint of the parts it has (bit by bit as in `PARTS`), and those parts in that order.
 */
const VERSION = 1
const KINDS = ['request', 'response', 'event'] as const
const PARTS = {
  numberKey: 1,
  textKey: 2,
  protocol: 4,
  head: 8,
  body: 16,
  bodySize: 32,
  truncated: 64,
  fields: 128,
  more: 256,
  start: 512,
  end: 1024,
  size: 2048,
} as const
const ALL_PARTS = 4095
/** Most halves have these, and none of those. */
const USUAL = PARTS.start | PARTS.end | PARTS.size
/** Many have nothing else, or a key besides. */
const PLAIN = USUAL | PARTS.head
const KEYED = PLAIN | PARTS.numberKey
const UNUSUAL = PARTS.textKey | PARTS.protocol

const shared = new ByteWriter()
const arena = new Arena()

/** The halves of a call as bytes, for disk. `protocol` is not among them: the call's columns have it. */
export function writeExchange({ request, response }: Exchange, writer: ByteWriter): void {
  writer.byte(VERSION)
  writer.byte((request === undefined ? 0 : 1) | (response === undefined ? 0 : 2))
  if (request !== undefined) pack(request, writer)
  if (response !== undefined) pack(response, writer)
}

/** The same as a slice of a larger buffer: copy it where it is to stay in memory for long. */
export function packExchange(exchange: Exchange): Uint8Array {
  shared.cut(0)
  writeExchange(exchange, shared)
  return shared.take(arena)
}

/** The bytes of head and body are views of `bytes`. Throws `Malformed` for what `packExchange` did not write. */
export function unpackExchange(protocol: string, bytes: Uint8Array): Exchange {
  const reader = new ByteReader(bytes)
  const version = reader.byte()
  if (version !== VERSION) throw new Malformed(`exchange of version ${version}`)
  const halves = reader.byte()
  if (halves > 3) throw new Malformed('unknown halves')
  const exchange: { -readonly [K in keyof Exchange]: Exchange[K] } = { protocol }
  if (halves & 1) exchange.request = unpack(reader)
  if (halves & 2) exchange.response = unpack(reader)
  if (reader.left > 0) throw new Malformed('bytes after the exchange')
  return exchange
}

function kindOf({ kind }: Message): number {
  return kind === 'request' ? 0 : kind === 'response' ? 1 : 2
}

function pack(message: Message, writer: ByteWriter): void {
  if (message instanceof PlainMessage) {
    const { headIn, headAt, headEnd, start, end, size } = message
    if (start !== undefined && end !== undefined && size !== undefined)
      writer.plainHalf(kindOf(message), PLAIN, undefined, headIn, headAt, headEnd, start, end, size)
    else packPlaced(message, undefined, headIn, headAt, headEnd, undefined, 0, 0, writer)
  } else if (message instanceof DatagramMessage) {
    const { key, headIn, headAt, headEnd, time, size } = message
    const parts = message.truncated ? KEYED | PARTS.truncated : KEYED
    if (size !== undefined)
      writer.plainHalf(kindOf(message), parts, key, headIn, headAt, headEnd, time, time, size)
    else packPlaced(message, undefined, headIn, headAt, headEnd, undefined, 0, 0, writer)
  } else if (message instanceof PlacedMessage) {
    const { packed, headIn, headAt, headEnd, bodyIn, bodyAt, bodyEnd } = message
    packPlaced(message, packed, headIn, headAt, headEnd, bodyIn, bodyAt, bodyEnd, writer)
  } else {
    const { head, body } = message
    const headEnd = head === undefined ? 0 : head.length
    packPlaced(message, undefined, head, 0, headEnd, body, 0, body === undefined ? 0 : body.length, writer)
  }
}

/** `headIn[headAt, headEnd)` is the head of the message, if it has one, and the body likewise. */
function packPlaced(
  message: Message,
  packed: SteadyBytes | undefined,
  headIn: Uint8Array | undefined,
  headAt: number,
  headEnd: number,
  bodyIn: Uint8Array | undefined,
  bodyAt: number,
  bodyEnd: number,
  writer: ByteWriter,
): void {
  const { key, protocol, bodySize, fields, start, end, size } = message
  let parts = 0
  if (typeof key === 'number') parts |= PARTS.numberKey
  if (typeof key === 'string') parts |= PARTS.textKey
  if (protocol !== undefined) parts |= PARTS.protocol
  if (headIn !== undefined) parts |= PARTS.head
  if (bodyIn !== undefined) parts |= PARTS.body
  if (bodySize !== undefined) parts |= PARTS.bodySize
  if (message.truncated) parts |= PARTS.truncated
  if (fields !== undefined) parts |= PARTS.fields
  if (message.more) parts |= PARTS.more
  if (start !== undefined) parts |= PARTS.start
  if (end !== undefined) parts |= PARTS.end
  if (size !== undefined) parts |= PARTS.size
  const kind = kindOf(message)
  const known = packed ?? (fields === undefined ? undefined : packedFields(fields))
  if ((parts & (USUAL | UNUSUAL)) === USUAL && (fields === undefined) === (known === undefined)) {
    const number = typeof key === 'number' ? key : undefined
    writer.half(
      kind,
      parts,
      number,
      headIn,
      headAt,
      headEnd,
      bodyIn,
      bodyAt,
      bodyEnd,
      bodySize,
      known,
      start ?? 0,
      end ?? 0,
      size ?? 0,
    )
    return
  }
  const { head, body } = message
  writer.byte(kind)
  writer.varint(parts)
  if (typeof key === 'number') writer.double(key)
  if (typeof key === 'string') writer.text(key)
  if (protocol !== undefined) writer.text(protocol)
  if (head !== undefined) writer.bytes(head)
  if (body !== undefined) writer.bytes(body)
  if (bodySize !== undefined) writer.varint(bodySize)
  if (fields !== undefined) {
    if (known !== undefined) writer.bytes(known.bytes)
    else {
      const at = writer.length
      writer.byte(0)
      writeJson(fields, writer)
      writer.sized(at)
    }
  }
  if (start !== undefined) writer.double(start)
  if (end !== undefined) writer.double(end)
  if (size !== undefined) writer.varint(size)
}

function unpack(reader: ByteReader): Message {
  const kind = KINDS[reader.byte()]
  const parts = reader.varint()
  if (kind === undefined || parts > ALL_PARTS) throw new Malformed('unknown half')
  const message: { -readonly [K in keyof Message]: Message[K] } = { kind }
  if (parts & PARTS.numberKey) message.key = reader.double()
  if (parts & PARTS.textKey) message.key = reader.text()
  if (parts & PARTS.protocol) message.protocol = reader.text()
  if (parts & PARTS.head) message.head = reader.bytes()
  if (parts & PARTS.body) message.body = reader.bytes()
  if (parts & PARTS.bodySize) message.bodySize = reader.varint()
  if (parts & PARTS.truncated) message.truncated = true
  if (parts & PARTS.fields) message.fields = readFields(reader.text())
  if (parts & PARTS.more) message.more = true
  if (parts & PARTS.start) message.start = reader.double()
  if (parts & PARTS.end) message.end = reader.double()
  if (parts & PARTS.size) message.size = reader.varint()
  return message
}

function readFields(text: string): NonNullable<Message['fields']> {
  let fields: FieldValue
  try {
    fields = JSON.parse(text)
  } catch {
    throw new Malformed('no JSON')
  }
  if (!isRecord(fields)) throw new Malformed('no object')
  return fields
}

function isRecord(value: FieldValue): value is { readonly [key: string]: FieldValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
