import { Malformed } from '@tapdeck/wire'
import { base64, utf8Lossy, word } from '../../text/text.ts'
import { cstringEnd, Elements, TYPE } from './bson.ts'
import { int32 } from './frame.ts'

/** MongoDB nests documents up to 100 levels. */
const MAX_DEPTH = 100

/** A document as plain values: MongoDB's relaxed Extended JSON (version 2). What is cut off is left out. */
export function readDocument(
  bytes: Uint8Array,
  start: number,
  end: number,
  depth = 0,
): Record<string, unknown> {
  const result: Record<string, unknown> = {}
  each(bytes, start, end, depth, (name, value) => {
    // A document may name an element `__proto__`.
    Object.defineProperty(result, name, { value, enumerable: true, configurable: true, writable: true })
  })
  return result
}

function readArray(bytes: Uint8Array, start: number, end: number, depth: number): unknown[] {
  const result: unknown[] = []
  each(bytes, start, end, depth, (_, value) => result.push(value))
  return result
}

function each(
  bytes: Uint8Array,
  start: number,
  end: number,
  depth: number,
  visit: (name: string, value: unknown) => void,
): void {
  if (depth > MAX_DEPTH) return
  try {
    const elements = new Elements(bytes, start, end)
    while (elements.next()) {
      const name = textOf(bytes, elements.nameStart, elements.nameEnd)
      const { type, whole } = elements
      if (whole || type === TYPE.DOCUMENT || type === TYPE.ARRAY)
        visit(name, valueAt(type, bytes, elements.value, elements.stop, depth))
    }
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
}

function valueAt(type: number, bytes: Uint8Array, at: number, end: number, depth: number): unknown {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)
  switch (type) {
    case TYPE.DOUBLE:
      return finite(view.getFloat64(at, true))
    case TYPE.STRING:
      return stringAt(bytes, at, end)
    case TYPE.DOCUMENT:
      return readDocument(bytes, at, end, depth + 1)
    case TYPE.ARRAY:
      return readArray(bytes, at, end, depth + 1)
    case TYPE.BINARY:
      return { $binary: { base64: base64(bytes.subarray(at + 5, end)), subType: hex(bytes, at + 4, at + 5) } }
    case 0x06:
      return { $undefined: true }
    case 0x07:
      return { $oid: hex(bytes, at, end) }
    case TYPE.BOOLEAN:
      return bytes[at] !== 0
    case 0x09:
      return { $date: dateOf(view.getBigInt64(at, true)) }
    case 0x0b: {
      const stop = cstringEnd(bytes, at, end)
      const regex = { pattern: textOf(bytes, at, stop), options: textOf(bytes, stop + 1, end - 1) }
      return { $regularExpression: regex }
    }
    case 0x0c:
      return { $dbPointer: { $ref: stringAt(bytes, at, end - 12), $id: { $oid: hex(bytes, end - 12, end) } } }
    case 0x0d:
      return { $code: stringAt(bytes, at, end) }
    case 0x0e:
      return { $symbol: stringAt(bytes, at, end) }
    case TYPE.CODE_WITH_SCOPE:
      return codeWithScope(bytes, at, end, depth)
    case TYPE.INT32:
      return int32(bytes, at)
    case 0x11:
      return { $timestamp: { t: view.getUint32(at + 4, true), i: view.getUint32(at, true) } }
    case TYPE.INT64:
      return longOf(view.getBigInt64(at, true))
    case 0x13:
      return { $numberDecimal: decimalOf(view.getBigUint64(at, true), view.getBigUint64(at + 8, true)) }
    case 0x7f:
      return { $maxKey: 1 }
    case 0xff:
      return { $minKey: 1 }
    default:
      return null
  }
}

function codeWithScope(bytes: Uint8Array, at: number, end: number, depth: number): unknown {
  if (end - at < 8) return null
  const length = int32(bytes, at + 4)
  const scope = at + 8 + length
  if (length < 1 || scope > end) return null
  return { $code: stringAt(bytes, at + 4, scope), $scope: readDocument(bytes, scope, end, depth + 1) }
}

/** The text of a string value `[at, end)`: its length goes ahead, a zero ends it. */
export function stringAt(bytes: Uint8Array, at: number, end: number): string {
  return textOf(bytes, at + 4, Math.max(at + 4, end - 1))
}

function textOf(bytes: Uint8Array, start: number, end: number): string {
  for (let i = start; i < end; i++) if (bytes[i] >= 0x80) return utf8Lossy(bytes.subarray(start, end))
  return word(bytes, start, end)
}

function hex(bytes: Uint8Array, start: number, end: number): string {
  return Buffer.from(bytes.subarray(start, end)).toString('hex')
}

function finite(value: number): unknown {
  return Number.isFinite(value) ? value : { $numberDouble: String(value) }
}

function longOf(value: bigint): unknown {
  const number = Number(value)
  return Number.isSafeInteger(number) ? number : { $numberLong: String(value) }
}

/** As a date between the years 1970 and 9999, else as a number. */
function dateOf(value: bigint): unknown {
  return value >= 0n && value < 253_402_300_800_000n
    ? new Date(Number(value)).toISOString()
    : { $numberLong: String(value) }
}

/** IEEE 754-2008 decimal128 in its binary integer form. */
function decimalOf(low: bigint, high: bigint): string {
  const sign = high >> 63n === 1n ? '-' : ''
  const combination = Number((high >> 58n) & 31n)
  if (combination === 31) return 'NaN'
  if (combination === 30) return `${sign}Infinity`
  // The other form of the coefficient would be beyond 34 digits, which stands for zero.
  const large = combination >> 3 === 3
  const exponent = Number((high >> (large ? 47n : 49n)) & 0x3fffn) - 6176
  const coefficient = large ? 0n : ((high & 0x1ffffffffffffn) << 64n) | low
  const digits = String(coefficient)
  const adjusted = exponent + digits.length - 1
  if (exponent > 0 || adjusted < -6) {
    const rest = digits.length > 1 ? `.${digits.slice(1)}` : ''
    return `${sign}${digits[0]}${rest}E${adjusted < 0 ? '' : '+'}${adjusted}`
  }
  if (exponent === 0) return sign + digits
  const padded = digits.padStart(1 - exponent, '0')
  return `${sign}${padded.slice(0, exponent)}.${padded.slice(exponent)}`
}
