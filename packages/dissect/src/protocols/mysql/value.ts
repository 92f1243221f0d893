import { utf8 } from '../../text/text.ts'
import { int16, int24, int32, integerAt, integerSize, textEnd } from './bytes.ts'

/** Column and parameter types: "Column Type". All others are texts with their length before them. */
const TYPE = {
  tiny: 1,
  short: 2,
  long: 3,
  float: 4,
  double: 5,
  null: 6,
  timestamp: 7,
  longlong: 8,
  int24: 9,
  date: 10,
  time: 11,
  datetime: 12,
  year: 13,
} as const
/** Bytes of a number in the binary format. */
const SIZES: Readonly<Record<number, number | undefined>> = {
  [TYPE.tiny]: 1,
  [TYPE.short]: 2,
  [TYPE.year]: 2,
  [TYPE.long]: 4,
  [TYPE.int24]: 4,
  [TYPE.float]: 4,
  [TYPE.double]: 8,
  [TYPE.longlong]: 8,
  [TYPE.null]: 0,
}

/** Where the binary value of that type at `at` ends; -1 where it does not fit. */
export function valueEnd(bytes: Uint8Array, at: number, end: number, type: number): number {
  const size = SIZES[type]
  if (size === undefined) return textEnd(bytes, at, end)
  return at + size <= end ? at + size : -1
}

/** A binary value as text. */
export function readBinary(
  bytes: Uint8Array,
  at: number,
  end: number,
  type: number,
  unsigned: boolean,
): string {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length)
  switch (type) {
    case TYPE.tiny:
      return String(unsigned ? view.getUint8(at) : view.getInt8(at))
    case TYPE.short:
    case TYPE.year:
      return String(unsigned ? view.getUint16(at, true) : view.getInt16(at, true))
    case TYPE.long:
    case TYPE.int24:
      return String(unsigned ? view.getUint32(at, true) : view.getInt32(at, true))
    case TYPE.longlong:
      return String(unsigned ? view.getBigUint64(at, true) : view.getBigInt64(at, true))
    case TYPE.float:
      return String(Math.fround(Number(view.getFloat32(at, true).toPrecision(7))))
    case TYPE.double:
      return String(view.getFloat64(at, true))
    case TYPE.date:
    case TYPE.datetime:
    case TYPE.timestamp:
      return readMoment(bytes, at + 1, bytes[at])
    case TYPE.time:
      return readDuration(bytes, at + 1, bytes[at])
    case TYPE.null:
      return '\\N'
    default:
      return readText(bytes, at + integerSize(bytes[at]), end)
  }
}

/** A value that is text by itself; what is no UTF-8 as `0x` and digits. */
export function readText(bytes: Uint8Array, start: number, end: number): string {
  const part = bytes.subarray(start, end)
  return utf8(part) ?? `0x${Buffer.from(part.buffer, part.byteOffset, part.length).toString('hex')}`
}

/** The value of a row in the text format. */
export function readTextValue(bytes: Uint8Array, at: number, end: number): string {
  return readText(
    bytes,
    at + integerSize(bytes[at]),
    Math.min(end, at + integerSize(bytes[at]) + integerAt(bytes, at)),
  )
}

function two(value: number): string {
  return String(value).padStart(2, '0')
}

function fraction(microseconds: number): string {
  return microseconds === 0 ? '' : `.${String(microseconds).padStart(6, '0')}`
}

function readMoment(bytes: Uint8Array, at: number, length: number): string {
  if (length < 4) return '0000-00-00'
  const day = `${String(int16(bytes, at)).padStart(4, '0')}-${two(bytes[at + 2])}-${two(bytes[at + 3])}`
  if (length < 7) return day
  const time = `${two(bytes[at + 4])}:${two(bytes[at + 5])}:${two(bytes[at + 6])}`
  return `${day} ${time}${length < 11 ? '' : fraction(int24(bytes, at + 7))}`
}

function readDuration(bytes: Uint8Array, at: number, length: number): string {
  if (length < 8) return '00:00:00'
  const hours = int32(bytes, at + 1) * 24 + bytes[at + 5]
  const sign = bytes[at] === 1 ? '-' : ''
  const text = `${sign}${two(hours)}:${two(bytes[at + 6])}:${two(bytes[at + 7])}`
  return `${text}${length < 12 ? '' : fraction(int24(bytes, at + 8))}`
}
