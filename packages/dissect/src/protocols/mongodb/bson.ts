import { Malformed } from '@tapdeck/wire'
import { int32 } from './frame.ts'

/** bsonspec.org, version 1.1: types that are looked at by number. */
export const TYPE = {
  DOUBLE: 0x01,
  STRING: 0x02,
  DOCUMENT: 0x03,
  ARRAY: 0x04,
  BINARY: 0x05,
  BOOLEAN: 0x08,
  CODE_WITH_SCOPE: 0x0f,
  INT32: 0x10,
  INT64: 0x12,
} as const

/** Sizes of the types whose values all have the same; -1: the value says it. */
const SIZES: Readonly<Record<number, number | undefined>> = {
  1: 8,
  2: -1,
  3: -1,
  4: -1,
  5: -1,
  6: 0,
  7: 12,
  8: 1,
  9: 8,
  10: 0,
  11: -1,
  12: -1,
  13: -1,
  14: -1,
  15: -1,
  16: 4,
  17: 8,
  18: 8,
  19: 16,
  127: 0,
  255: 0,
}

export function isType(type: number): boolean {
  return SIZES[type] !== undefined
}

/**
 * Walks through the elements of the document at `start`, one after the other, without looking into nested ones.
 * Stops where the bytes do: then `cut` is true, and the element that was being read may have its `value` there and
 * its `stop` at the end.
 */
export class Elements {
  type = 0
  nameStart = 0
  nameEnd = 0
  /** The element's value: `[value, stop)`. */
  value = 0
  stop: number
  cut = false
  readonly bytes: Uint8Array
  readonly #end: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.bytes = bytes
    this.stop = start + 4
    if (end - start < 5) {
      this.cut = true
      this.#end = start
      return
    }
    const length = int32(bytes, start)
    if (length < 5) throw new Malformed('no document')
    this.cut = start + length > end
    // The last byte of a document is a zero.
    this.#end = this.cut ? end : start + length - 1
  }

  next(): boolean {
    const { bytes, stop } = this
    const end = this.#end
    if (stop >= end) return false
    this.type = bytes[stop]
    if (!isType(this.type)) throw new Malformed('no element')
    this.nameStart = stop + 1
    this.nameEnd = cstringEnd(bytes, stop + 1, end)
    this.value = this.nameEnd + 1
    if (this.nameEnd < 0) return this.#stop()
    const length = valueLength(this.type, bytes, this.value, end)
    if (length < 0 || this.value + length > end) {
      if (!this.cut) throw new Malformed('an element beyond its document')
      this.stop = end
      return true
    }
    this.stop = this.value + length
    return true
  }

  is(name: string): boolean {
    const { bytes, nameStart } = this
    if (this.nameEnd - nameStart !== name.length) return false
    for (let i = 0; i < name.length; i++) if (bytes[nameStart + i] !== name.charCodeAt(i)) return false
    return true
  }

  /** All of the value is there. */
  get whole(): boolean {
    return !this.cut || this.stop < this.#end || valueFits(this.type, this.bytes, this.value, this.#end)
  }

  #stop(): false {
    if (!this.cut) throw new Malformed('an element beyond its document')
    this.stop = this.#end
    return false
  }
}

function valueFits(type: number, bytes: Uint8Array, at: number, end: number): boolean {
  const length = valueLength(type, bytes, at, end)
  return length >= 0 && at + length <= end
}

/** Where the zero of the text at `at` is; -1: not before `end`. */
export function cstringEnd(bytes: Uint8Array, at: number, end: number): number {
  for (let i = at; i < end; i++) if (bytes[i] === 0) return i
  return -1
}

/** -1: the bytes that would say it are not there. */
function valueLength(type: number, bytes: Uint8Array, at: number, end: number): number {
  const size = SIZES[type] ?? 0
  if (size >= 0) return size
  if (type === 0x0b) {
    const pattern = cstringEnd(bytes, at, end)
    const options = pattern < 0 ? -1 : cstringEnd(bytes, pattern + 1, end)
    return options < 0 ? -1 : options + 1 - at
  }
  if (at + 4 > end) return -1
  const length = int32(bytes, at)
  const inclusive = type === TYPE.DOCUMENT || type === TYPE.ARRAY || type === TYPE.CODE_WITH_SCOPE
  if (length < (inclusive ? 5 : type === TYPE.BINARY ? 0 : 1)) throw new Malformed('no length')
  if (inclusive) return length
  return 4 + length + (type === TYPE.BINARY ? 1 : type === 0x0c ? 12 : 0)
}
