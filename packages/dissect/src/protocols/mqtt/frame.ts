import { Malformed, type Side } from '@tapdeck/wire'
import { MqttCursor } from './mqtt-cursor.ts'
import { TYPE } from './packet-type.ts'
import { skipProperties } from './properties.ts'

/** Sent by the client alone, by the server alone; the others by either. */
const CLIENTS: ReadonlySet<number> = new Set([TYPE.CONNECT, TYPE.SUBSCRIBE, TYPE.UNSUBSCRIBE, TYPE.PINGREQ])
const SERVERS: ReadonlySet<number> = new Set([TYPE.CONNACK, TYPE.SUBACK, TYPE.UNSUBACK, TYPE.PINGRESP])

/** Every first byte of each side, looked up often where the next packet is searched for byte by byte. */
const FIRST_BYTES: readonly [Uint8Array, Uint8Array] = [
  Uint8Array.from({ length: 256 }, (_, byte) => (mayBegin(byte, SERVERS) ? 1 : 0)),
  Uint8Array.from({ length: 256 }, (_, byte) => (mayBegin(byte, CLIENTS) ? 1 : 0)),
]

/** Type and flags: the latter are fixed for all but PUBLISH, MQTT 5.0 §2.1.3. */
function mayBegin(byte: number, notHere: ReadonlySet<number>): boolean {
  const type = byte >> 4
  const flags = byte & 15
  if (type === 0 || notHere.has(type)) return false
  if (type === TYPE.PUBLISH) return (flags & 6) !== 6
  const fixed = type === TYPE.PUBREL || type === TYPE.SUBSCRIBE || type === TYPE.UNSUBSCRIBE ? 2 : 0
  return flags === fixed
}

function isFirstByte(byte: number, side: Side): boolean {
  return FIRST_BYTES[side][byte] === 1
}

/** Fixed header and what it says is left: MQTT 5.0 §2.1.4. */
export function frameLength(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (start === end) return 0
  if (!isFirstByte(bytes[start], side)) throw new Malformed('no packet begins like this')
  let remaining = 0
  for (let i = 1; i <= 4; i++) {
    if (start + i >= end) return 0
    const byte = bytes[start + i]
    remaining |= (byte & 0x7f) << (7 * (i - 1))
    if (byte < 0x80) return 1 + i + remaining
  }
  throw new Malformed('length too long')
}

/** How many bytes of `bytes` at `start` are the fixed header. */
export function headerLength(bytes: Uint8Array, start: number, end: number): number {
  let at = start + 1
  while (at < end && at < start + 4 && bytes[at] >= 0x80) at++
  return at + 1 - start
}

/** How sure a packet is of being one: 0 is none, 3 leaves no doubt. -1: more bytes are needed. */
export function weigh(bytes: Uint8Array, start: number, end: number, side: Side): number {
  if (!isFirstByte(bytes[start], side)) return 0
  if (end - start > 4 && (bytes[start + 1] & bytes[start + 2] & bytes[start + 3] & bytes[start + 4]) >= 0x80)
    return 0
  const length = frameLength(bytes, start, end, side)
  if (length === 0) return -1
  const type = bytes[start] >> 4
  const body = start + headerLength(bytes, start, end)
  const remaining = start + length - body
  if (type === TYPE.PINGREQ || type === TYPE.PINGRESP) return remaining === 0 ? 1 : 0
  if ((type === TYPE.DISCONNECT || type === TYPE.AUTH) && remaining === 0) return 1
  if (remaining < 2) return type === TYPE.DISCONNECT ? 1 : 0
  const stop = Math.min(end, start + length)
  if (isExcluded(type, bytes, body, stop, remaining)) return 0
  const cursor = new MqttCursor(bytes, Math.min(body, stop), stop)
  try {
    return weighBody(type, bytes[start], cursor, remaining)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    return stop < start + length && error.message === 'cut short' ? -1 : 0
  }
}

/**
 * Most other bytes are ruled out by a byte or two, which matters where every byte is tried. Acknowledgements with
 * more than 127 bytes of properties are not known by themselves.
 */
function isExcluded(type: number, bytes: Uint8Array, body: number, stop: number, remaining: number): boolean {
  switch (type) {
    case TYPE.CONNECT:
      return body + 1 < stop && (bytes[body] !== 0 || (bytes[body + 1] !== 4 && bytes[body + 1] !== 6))
    case TYPE.PUBACK:
    case TYPE.PUBREC:
    case TYPE.PUBREL:
    case TYPE.PUBCOMP:
      return remaining > 3 && body + 3 < stop && bytes[body + 3] !== remaining - 4
    case TYPE.DISCONNECT:
    case TYPE.AUTH:
      return body + 1 < stop && bytes[body + 1] !== remaining - 2
    case TYPE.PUBLISH:
      return body + 1 < stop && ((bytes[body] << 8) | bytes[body + 1]) + 2 > remaining
    default:
      return false
  }
}

function weighBody(type: number, first: number, cursor: MqttCursor, remaining: number): number {
  switch (type) {
    case TYPE.CONNECT:
      return weighConnect(cursor)
    case TYPE.PUBLISH:
      return weighTopic(cursor, remaining, (first & 6) !== 0)
    case TYPE.SUBSCRIBE:
    case TYPE.UNSUBSCRIBE:
      if (remaining < 5 || cursor.short() === 0) return 0
      if (cursor.left < 2) throw new Malformed('cut short')
      if (cursor.bytes[cursor.at] !== 0 || cursor.bytes[cursor.at + 1] === 0) {
        if (cursor.bytes[cursor.at] < 0x80 && cursor.bytes[cursor.at] >= remaining) return 0
        skipProperties(cursor)
      }
      return weighTopic(cursor, remaining - 2, false)
    case TYPE.CONNACK:
      return weighConnack(cursor, remaining)
    case TYPE.SUBACK:
    case TYPE.UNSUBACK:
      return cursor.short() === 0 || remaining > 1024 ? 0 : 1
    case TYPE.DISCONNECT:
    case TYPE.AUTH:
      cursor.byte()
      skipProperties(cursor)
      return cursor.left === 0 ? 1 : 0
    default:
      return weighAcknowledgement(cursor, remaining)
  }
}

/** PUBACK and the like: an id; in 5.0 also a reason and properties. */
function weighAcknowledgement(cursor: MqttCursor, remaining: number): number {
  if (cursor.short() === 0) return 0
  if (remaining === 2) return 1
  cursor.byte()
  if (remaining > 3) skipProperties(cursor)
  return cursor.left === 0 ? 1 : 0
}

/** The name of the protocol and its version; bridges mark the latter by its highest bit. */
function weighConnect(cursor: MqttCursor): number {
  const name = cursor.string()
  const level = cursor.byte() & 0x7f
  if (name !== 'MQTT' && name !== 'MQIsdp') return 0
  return level > 0 && level < 16 ? 3 : 0
}

function weighConnack(cursor: MqttCursor, remaining: number): number {
  const flags = cursor.byte()
  const code = cursor.byte()
  if (flags > 1) return 0
  if (remaining === 2) return code <= 5 || code === 0x84 ? 2 : 0
  if (code !== 0 && code < 0x80) return 0
  if (cursor.left > 0 && cursor.bytes[cursor.at] !== remaining - 3) return 0
  skipProperties(cursor)
  return cursor.left === 0 ? 3 : 0
}

/** Texts of topics are printable, and fit into their packet. */
function weighTopic(cursor: MqttCursor, remaining: number, numbered: boolean): number {
  const { bytes, at } = cursor
  const length = cursor.short()
  if (length + 2 + (numbered ? 2 : 0) > remaining) return 0
  const stop = Math.min(cursor.end, cursor.at + length)
  for (let i = at + 2; i < stop; i++) if (bytes[i] < 0x20 || bytes[i] === 0x7f) return 0
  cursor.skip(length)
  if (length === 0) {
    // Only an alias may stand for a topic.
    if (numbered) cursor.skip(2)
    if (cursor.left > 0 && (bytes[cursor.at] < 3 || bytes[cursor.at] > remaining)) return 0
    return skipProperties(cursor) > 0 ? 1 : 0
  }
  return length > 2 ? 3 : 1
}

/** After lost bytes: a packet beyond doubt, or one that is followed by another or by nothing. */
export function findPacket(bytes: Uint8Array, start: number, end: number, side: Side): number {
  const firstBytes = FIRST_BYTES[side]
  for (let at = start; at < end; at++) {
    if (firstBytes[bytes[at]] === 0) continue
    const weight = weigh(bytes, at, end, side)
    if (weight === 3) return at
    if (weight <= 0) continue
    const next = at + frameLength(bytes, at, end, side)
    if (next === end) return at
    if (next < end && weigh(bytes, next, end, side) > 0) return at
  }
  return -1
}
