import { Malformed } from '@tapdeck/wire'
import { ByteReader } from '../bytes/byte-reader.ts'
import { ByteWriter } from '../bytes/byte-writer.ts'
import { MessageParts, PARTS } from '../bytes/message-parts.ts'
import type { Exchange } from '../contract/dissector.ts'
import type { FieldValue, Message } from '../contract/message.ts'
import { Arena } from '../memory/arena.ts'
import type { CachedBytes } from '../memory/cached-bytes.ts'
import { DatagramMessage } from '../message/datagram-message.ts'
import { PlacedMessage } from '../message/placed-message.ts'
import { PlainMessage } from '../message/plain-message.ts'
import { writeJson } from './json-writer.ts'
import { packedFields } from './shared-fields.ts'

/**
 * Version 1: a version byte, a byte for the messages that follow (1 request, 2 response), then each message: its
 * kind, a varint of its parts (bits as in `PARTS`), and those parts in that order.
 */
const VERSION = 1
const KINDS = ['request', 'response', 'event'] as const
const ALL_PARTS = 4095
const parts = new MessageParts()
/** Scratch space for fields as JSON, and for a key that is a text. */
const json = new ByteWriter()
const textKey = new ByteWriter()
/** Names of protocols as UTF-8. There are few, and encoding one costs more than the rest of a small message. */
const protocolNames = new Map<string, Uint8Array>()
const MAX_PROTOCOL_NAMES = 256
const shared = new ByteWriter()
const arena = new Arena()

/** The messages of a call as bytes, for disk. Without the protocol, which is a column of the call. */
export function writeExchange({ request, response }: Exchange, writer: ByteWriter): void {
  writer.byte(VERSION)
  writer.byte((request === undefined ? 0 : 1) | (response === undefined ? 0 : 2))
  if (request !== undefined) pack(request, writer)
  if (response !== undefined) pack(response, writer)
}

/** A slice of a larger buffer: copy it to keep it for long. */
export function packExchange(exchange: Exchange): Uint8Array {
  shared.cut(0)
  writeExchange(exchange, shared)
  return shared.take(arena)
}

/** Head and body are views of `bytes`. Throws `Malformed` if `packExchange` did not write them. */
export function unpackExchange(protocol: string, bytes: Uint8Array): Exchange {
  const reader = new ByteReader(bytes)
  const version = reader.byte()
  if (version !== VERSION) throw new Malformed(`exchange of version ${version}`)
  const present = reader.byte()
  if (present > 3) throw new Malformed('unknown messages')
  const exchange: { -readonly [K in keyof Exchange]: Exchange[K] } = { protocol }
  if (present & 1) exchange.request = unpack(reader)
  if (present & 2) exchange.response = unpack(reader)
  if (reader.left > 0) throw new Malformed('bytes after the exchange')
  return exchange
}

function kindOf({ kind }: Message): number {
  return kind === 'request' ? 0 : kind === 'response' ? 1 : 2
}

function pack(message: Message, writer: ByteWriter): void {
  parts.kind = kindOf(message)
  if (message instanceof PlainMessage) {
    const { headIn, headAt, headEnd } = message
    parts.placeHead(headIn, headAt, headEnd)
    parts.parts = setTimes(message.start, message.end, message.size) | PARTS.head
  } else if (message instanceof DatagramMessage) {
    const { key, headIn, headAt, headEnd, time, size } = message
    parts.placeHead(headIn, headAt, headEnd)
    parts.key = key
    const bits = PARTS.head | PARTS.numberKey | (message.truncated ? PARTS.truncated : 0)
    parts.parts = setTimes(time, time, size) | bits
  } else if (message instanceof PlacedMessage) {
    const { headIn, headAt, headEnd, bodyIn, bodyAt, bodyEnd } = message
    let bits = setOthers(message, message.packed)
    if (headIn !== undefined) {
      parts.placeHead(headIn, headAt, headEnd)
      bits |= PARTS.head
    }
    if (bodyIn !== undefined) {
      parts.placeBody(bodyIn, bodyAt, bodyEnd)
      bits |= PARTS.body
    }
    parts.parts = bits
  } else {
    const { head, body } = message
    let bits = setOthers(message, undefined)
    if (head !== undefined) {
      parts.placeHead(head, 0, head.length)
      bits |= PARTS.head
    }
    if (body !== undefined) {
      parts.placeBody(body, 0, body.length)
      bits |= PARTS.body
    }
    parts.parts = bits
  }
  writer.message(parts)
}

/** Sets times and size, and returns the bits of those that are there. */
function setTimes(start: number | undefined, end: number | undefined, size: number | undefined): number {
  let bits = 0
  if (start !== undefined) {
    parts.start = start
    bits |= PARTS.start
  }
  if (end !== undefined) {
    parts.end = end
    bits |= PARTS.end
  }
  if (size !== undefined) {
    parts.size = size
    bits |= PARTS.size
  }
  return bits
}

/** Sets everything but head and body, and returns the bits of what is there. */
function setOthers(message: Message, packed: CachedBytes | undefined): number {
  const { key, protocol, bodySize, fields } = message
  let bits = setTimes(message.start, message.end, message.size)
  if (typeof key === 'number') {
    parts.key = key
    bits |= PARTS.numberKey
  } else if (key !== undefined) {
    textKey.cut(0)
    textKey.utf8(key)
    parts.textKey = textKey.written()
    bits |= PARTS.textKey
  }
  if (protocol !== undefined) {
    parts.protocol = protocolName(protocol)
    bits |= PARTS.protocol
  }
  if (bodySize !== undefined) {
    parts.bodySize = bodySize
    bits |= PARTS.bodySize
  }
  if (message.truncated) bits |= PARTS.truncated
  if (fields !== undefined) {
    const known = packed ?? packedFields(fields)
    if (parts.fields !== known) parts.fields = known
    if (known === undefined) {
      json.cut(0)
      writeJson(fields, json)
      parts.json = json.written()
    }
    bits |= PARTS.fields
  }
  if (message.more) bits |= PARTS.more
  return bits
}

function protocolName(name: string): Uint8Array {
  let known = protocolNames.get(name)
  if (known === undefined) {
    known = new TextEncoder().encode(name)
    if (protocolNames.size < MAX_PROTOCOL_NAMES) protocolNames.set(name, known)
  }
  return known
}

function unpack(reader: ByteReader): Message {
  const kind = KINDS[reader.byte()]
  const parts = reader.varint()
  if (kind === undefined || parts > ALL_PARTS) throw new Malformed('unknown message')
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
    throw new Malformed('invalid JSON')
  }
  if (!isRecord(fields)) throw new Malformed('not an object')
  return fields
}

function isRecord(value: FieldValue): value is { readonly [key: string]: FieldValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
