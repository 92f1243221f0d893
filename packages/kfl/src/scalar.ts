import type { ValueType } from './field.ts'

/*
 * How values of a call are read in a comparison. Typed fields are what they say. A status, and anything inside JSON or
 * a map, may be a number or the text that writes it: these are the same thing. A list inside JSON or a map compares as
 * each of its elements.
 */

const NUMERIC_TEXT = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/
/** What a status column's text has to look like to be a number; `sql.ts` says the same in SQL. */
export const NUMERIC_STATUS = '0|-?[1-9][0-9]{0,14}'
const STATUS_TEXT = new RegExp(`^(?:${NUMERIC_STATUS})$`)

/** The value as text, or undefined where it has none. */
export function asText(type: ValueType, value: unknown): string | undefined {
  if (typeof value === 'string') return value
  if (type === 'json' || type === 'status') {
    if (typeof value === 'number') return String(value)
    if (typeof value === 'boolean' && type === 'json') return String(value)
  }
  return undefined
}

export function asNumber(type: ValueType, value: unknown): number | undefined {
  if (type === 'status') {
    if (typeof value === 'number')
      return Number.isSafeInteger(value) && Math.abs(value) < 1e15 ? value : undefined
    // A word, as most texts are, is known by its first letter.
    if (typeof value !== 'string' || value.charCodeAt(0) > 0x39) return undefined
    return STATUS_TEXT.test(value) ? Number(value) : undefined
  }
  if (typeof value === 'number') return value
  if (type !== 'json' || typeof value !== 'string' || value.length > 30) return undefined
  return NUMERIC_TEXT.test(value) ? Number(value) : undefined
}

export function asBoolean(type: ValueType, value: unknown): boolean | undefined {
  if (typeof value === 'boolean') return value
  if (type !== 'json') return undefined
  return value === 'true' ? true : value === 'false' ? false : undefined
}

/** Order of code points, which is the order of UTF-8 bytes and so of every index; JavaScript's own is of UTF-16 units. */
export function compareText(a: string, b: string): number {
  const length = Math.min(a.length, b.length)
  for (let at = 0; at < length; at++) {
    const x = a.charCodeAt(at)
    const y = b.charCodeAt(at)
    if (x === y) continue
    const highX = x >= 0xd800 && x < 0xe000
    const highY = y >= 0xd800 && y < 0xe000
    return highX === highY ? x - y : highX ? 1 : -1
  }
  return a.length - b.length
}

/** Length in code points. */
export function lengthOf(text: string): number {
  let length = text.length
  for (let at = 0; at < text.length - 1; at++) {
    const code = text.charCodeAt(at)
    if (code < 0xd800 || code > 0xdbff) continue
    const low = text.charCodeAt(at + 1)
    if (low >= 0xdc00 && low < 0xe000) {
      length--
      at++
    }
  }
  return length
}
