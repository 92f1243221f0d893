import type { TextColumn } from './text-column.ts'

/** What is stored where the template is the path itself. A real template has `{id}` in it. */
export const SAME = '='

const SLASH = 0x2f
const ZERO = 0x30
const DASH = 0x2d
const ID = new TextEncoder().encode('{id}')
/** A path of segments with one digit becomes the longest: two bytes of each become five. */
const GROWTH = 2.5
/** Digits and hexadecimal of at least so many characters are an id. */
const MIN_HEX = 8

let scratch = new Uint8Array(4096)

/**
 * Sets the template of each path: what `pathTemplate` makes of it, and `SAME` where that is the path. Works on bytes, a
 * batch at a time, because it is done for every call that is written.
 */
export function setTemplates(paths: TextColumn, templates: TextColumn, rows: number): void {
  const { bytes, ends } = paths
  let from = 0
  for (let row = 0; row < rows; row++) {
    const to = ends[row]
    if (to === from) templates.set(row, '')
    else {
      const length = writeTemplate(bytes, from, to)
      if (length === 0) templates.set(row, SAME)
      else templates.setBytes(row, scratch.subarray(0, length))
    }
    from = to
  }
}

/** Writes the template of `path[from, to)` to `scratch` and returns its length; 0 if there is no id in it. */
function writeTemplate(path: Uint8Array, from: number, to: number): number {
  let length = 0
  let copied = from
  let slash = nextSlash(path, from, to)
  while (slash < to) {
    const begin = slash + 1
    const end = nextSlash(path, begin, to)
    if (isId(path, begin, end)) {
      if (length === 0) reserve((to - from) * GROWTH)
      for (let at = copied; at < begin; at++) scratch[length++] = path[at]
      scratch.set(ID, length)
      length += ID.length
      copied = end
    }
    slash = end
  }
  if (length > 0) for (let at = copied; at < to; at++) scratch[length++] = path[at]
  return length
}

/** `to` where there is none. `indexOf` would look through the paths of all rows that follow. */
function nextSlash(path: Uint8Array, from: number, to: number): number {
  let at = from
  while (at < to && path[at] !== SLASH) at++
  return at
}

function reserve(size: number): void {
  if (scratch.length < size) scratch = new Uint8Array(Math.ceil(size))
}

/** Whether a segment is all digits, or long and all hexadecimal and dashes. */
function isId(path: Uint8Array, from: number, to: number): boolean {
  if (to === from) return false
  let digits = true
  for (let at = from; at < to; at++) {
    const byte = path[at]
    const isDigit = byte >= ZERO && byte <= 0x39
    if (isDigit) continue
    digits = false
    const letter = byte | 0x20
    if (byte !== DASH && (letter < 0x61 || letter > 0x66)) return false
    if (to - from < MIN_HEX) return false
  }
  return digits || to - from >= MIN_HEX
}
