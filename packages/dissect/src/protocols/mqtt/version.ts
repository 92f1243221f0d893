import { Malformed } from '@tapdeck/wire'
import { MqttCursor } from './mqtt-cursor.ts'
import { TYPE } from './packet-type.ts'
import { skipProperties } from './properties.ts'

/** What a packet shows of the version if the CONNECT was not captured: 5, 4 (which is 3.1.1), or 0 for nothing. */
export function guessVersion(
  bytes: Uint8Array,
  start: number,
  body: number,
  end: number,
  whole: boolean,
): number {
  if (!whole) return 0
  const type = bytes[start] >> 4
  const size = end - body
  switch (type) {
    case TYPE.CONNACK:
      return size > 2 ? 5 : 4
    case TYPE.AUTH:
      return 5
    case TYPE.PUBACK:
    case TYPE.PUBREC:
    case TYPE.PUBREL:
    case TYPE.PUBCOMP:
      return size > 2 ? 5 : 0
    case TYPE.DISCONNECT:
      return size > 0 ? 5 : 0
    case TYPE.UNSUBACK:
      return size > 2 ? 5 : 4
    case TYPE.SUBSCRIBE:
      return filtersFit(new MqttCursor(bytes, body + 2, end), true) ? 4 : 5
    case TYPE.UNSUBSCRIBE:
      return filtersFit(new MqttCursor(bytes, body + 2, end), false) ? 4 : 5
    case TYPE.PUBLISH:
      return hasProperties(bytes, start, body, end) ? 5 : 0
    default:
      return 0
  }
}

/** Filters follow the id at once only before 5.0. */
function filtersFit(cursor: MqttCursor, options: boolean): boolean {
  return fits(() => {
    while (cursor.left > 0) {
      const length = cursor.short()
      if (length === 0) throw new Malformed('empty filter')
      cursor.skip(length)
      if (options && cursor.byte() > 2) throw new Malformed('no QoS')
    }
  })
}

/** A list of properties, each of which is known, is hardly the beginning of a payload; nor is a zero before a text. */
function hasProperties(bytes: Uint8Array, start: number, body: number, end: number): boolean {
  const cursor = new MqttCursor(bytes, Math.min(body, end), end)
  return fits(() => {
    cursor.skip(cursor.short())
    if (bytes[start] & 6) cursor.skip(2)
    if (cursor.left === 0) throw new Malformed('nothing to tell by')
    const none = bytes[cursor.at] === 0
    skipProperties(cursor)
    if (none && cursor.left > 0 && bytes[cursor.at] < 0x20) throw new Malformed('nothing to tell by')
  })
}

function fits(read: () => void): boolean {
  try {
    read()
    return true
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
}
