import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../../contract/message.ts'
import { base64, utf8, utf8Lossy } from '../../../text/text.ts'
import type { AmqpCursor } from '../amqp-cursor.ts'

const MAX_DEPTH = 16
/** Elements of an array that take no bytes of their own. */
const MAX_EMPTY = 256

/** One value with its constructor: AMQP 1.0 part 1 §1.2, §1.6. A described one becomes `{descriptor, value}`. */
export function readValue(cursor: AmqpCursor, depth = 0): FieldValue {
  const code = cursor.byte()
  if (code !== 0) return readOf(code, cursor, depth)
  if (depth > MAX_DEPTH) throw new Malformed('value too deep')
  const descriptor = readValue(cursor, depth + 1)
  return { descriptor, value: readValue(cursor, depth + 1) }
}

function readOf(code: number, cursor: AmqpCursor, depth: number): FieldValue {
  switch (code) {
    case 0x40:
      return null
    case 0x41:
      return true
    case 0x42:
      return false
    case 0x56:
      return cursor.byte() !== 0
    case 0x43:
    case 0x44:
      return 0
    case 0x45:
      return []
    case 0x50:
    case 0x52:
    case 0x53:
      return cursor.byte()
    case 0x51:
    case 0x54:
    case 0x55:
      return (cursor.byte() << 24) >> 24
    case 0x60:
      return cursor.short()
    case 0x61:
      return (cursor.short() << 16) >> 16
    case 0x70:
      return cursor.long()
    case 0x71:
      return cursor.long() | 0
    case 0x72:
      return finite(cursor.view(4).getFloat32(0))
    case 0x73:
      return String.fromCodePoint(Math.min(cursor.long(), 0x10ffff))
    case 0x80:
      return cursor.longlong()
    case 0x81:
      return cursor.signedLonglong()
    case 0x82:
      return finite(cursor.view(8).getFloat64(0))
    case 0x83:
      return time(cursor.signedLonglong())
    case 0x74:
      return base64(cursor.take(4))
    case 0x84:
      return base64(cursor.take(8))
    case 0x94:
      return base64(cursor.take(16))
    case 0x98:
      return uuid(cursor.take(16))
    case 0xa0:
      return binary(cursor.take(cursor.byte()))
    case 0xb0:
      return binary(cursor.take(cursor.long()))
    case 0xa1:
    case 0xa3:
      return cursor.text(cursor.byte())
    case 0xb1:
    case 0xb3:
      return utf8Lossy(cursor.take(cursor.long()))
    case 0xc0:
    case 0xd0:
    case 0xc1:
    case 0xd1:
    case 0xe0:
    case 0xf0:
      return readCompound(code, cursor, depth + 1)
    default:
      throw new Malformed('unknown constructor')
  }
}

/** Lists, maps and arrays: size, count, elements. Those of an array share one constructor. */
function readCompound(code: number, cursor: AmqpCursor, depth: number): FieldValue {
  if (depth > MAX_DEPTH) throw new Malformed('value too deep')
  const wide = code === 0xd0 || code === 0xd1 || code === 0xf0
  const size = wide ? cursor.long() : cursor.byte()
  if (size > cursor.left) throw new Malformed('cut short')
  const end = cursor.at + size
  const count = wide ? cursor.long() : cursor.byte()
  if (count > size + MAX_EMPTY) throw new Malformed('more elements than bytes')
  const values: FieldValue[] = []
  if (code === 0xe0 || code === 0xf0) readElements(cursor, count, end, depth, values)
  else for (let i = 0; i < count && cursor.at < end; i++) values.push(readValue(cursor, depth))
  if (cursor.at > end) throw new Malformed('value beyond its list')
  cursor.at = end
  return code === 0xc1 || code === 0xd1 ? toMap(values) : values
}

function readElements(
  cursor: AmqpCursor,
  count: number,
  end: number,
  depth: number,
  into: FieldValue[],
): void {
  if (cursor.at >= end) return
  let code = cursor.byte()
  let descriptor: FieldValue | undefined
  if (code === 0) {
    descriptor = readValue(cursor, depth)
    code = cursor.byte()
  }
  for (let i = 0; i < count; i++) {
    if (cursor.at >= end && (code & 0xf0) !== 0x40) return
    const value = readOf(code, cursor, depth)
    into.push(descriptor === undefined ? value : { descriptor, value })
  }
}

function toMap(values: readonly FieldValue[]): { [key: string]: FieldValue } {
  const map: { [key: string]: FieldValue } = {}
  for (let i = 0; i + 1 < values.length; i += 2) {
    const key = values[i]
    Object.defineProperty(map, typeof key === 'string' ? key : JSON.stringify(key), {
      ...{ value: values[i + 1], enumerable: true, configurable: true, writable: true },
    })
  }
  return map
}

function finite(value: number): FieldValue {
  return Number.isFinite(value) ? value : String(value)
}

/** Milliseconds since the epoch. */
function time(value: number): FieldValue {
  return Math.abs(value) <= 8.64e15 ? new Date(value).toISOString() : value
}

function uuid(bytes: Uint8Array): string {
  const hex = Buffer.from(bytes).toString('hex')
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-')
}

function binary(bytes: Uint8Array): string {
  const text = utf8(bytes)
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
  return text === undefined || /[\x00-\x08\x0e-\x1f]/.test(text) ? base64(bytes) : text
}
