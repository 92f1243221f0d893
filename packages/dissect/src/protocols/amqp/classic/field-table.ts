import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../../contract/message.ts'
import { base64, utf8 } from '../../../text/text.ts'
import type { AmqpCursor } from '../amqp-cursor.ts'

/** No real table is nested deeper. */
const MAX_DEPTH = 16

/** AMQP 0-9-1 §4.2.5.5: length, then names with typed values. */
export function readTable(cursor: AmqpCursor, depth = 0): { [name: string]: FieldValue } {
  const end = endOf(cursor, depth)
  const table: { [name: string]: FieldValue } = {}
  while (cursor.at < end) {
    const name = cursor.text(cursor.byte())
    const value = readValue(cursor, depth)
    Object.defineProperty(table, name, { value, enumerable: true, configurable: true, writable: true })
  }
  return table
}

function readArray(cursor: AmqpCursor, depth: number): FieldValue[] {
  const end = endOf(cursor, depth)
  const values: FieldValue[] = []
  while (cursor.at < end) values.push(readValue(cursor, depth))
  return values
}

function endOf(cursor: AmqpCursor, depth: number): number {
  if (depth > MAX_DEPTH) throw new Malformed('table too deep')
  const length = cursor.long()
  if (length > cursor.left) throw new Malformed('cut short')
  return cursor.at + length
}

/** The types as brokers and clients use them, which differ in places from the specification's. */
function readValue(cursor: AmqpCursor, depth: number): FieldValue {
  switch (String.fromCharCode(cursor.byte())) {
    case 't':
      return cursor.byte() !== 0
    case 'b':
      return (cursor.byte() << 24) >> 24
    case 'B':
      return cursor.byte()
    case 's':
      return (cursor.short() << 16) >> 16
    case 'u':
      return cursor.short()
    case 'I':
      return cursor.long() | 0
    case 'i':
      return cursor.long()
    case 'l':
    case 'L':
      return cursor.signedLonglong()
    case 'f':
      return finite(cursor.view(4).getFloat32(0))
    case 'd':
      return finite(cursor.view(8).getFloat64(0))
    case 'D':
      return decimal(cursor.byte(), cursor.long() | 0)
    case 'S':
      return textOr64(cursor.take(cursor.long()))
    case 'x':
      return base64(cursor.take(cursor.long()))
    case 'T':
      return time(cursor.longlong())
    case 'A':
      return readArray(cursor, depth + 1)
    case 'F':
      return readTable(cursor, depth + 1)
    case 'V':
      return null
    default:
      throw new Malformed('unknown type in a table')
  }
}

function finite(value: number): FieldValue {
  return Number.isFinite(value) ? value : String(value)
}

function decimal(scale: number, value: number): string {
  const digits = String(Math.abs(value)).padStart(scale + 1, '0')
  const point = digits.length - scale
  return `${value < 0 ? '-' : ''}${digits.slice(0, point)}${scale > 0 ? `.${digits.slice(point)}` : ''}`
}

function textOr64(bytes: Uint8Array): string {
  return utf8(bytes) ?? base64(bytes)
}

/** Seconds since the epoch as people read them, where they are in the range of dates. */
export function time(seconds: number): FieldValue {
  return seconds <= 8.64e12 ? new Date(seconds * 1000).toISOString() : seconds
}
