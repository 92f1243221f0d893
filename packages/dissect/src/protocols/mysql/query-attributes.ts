import { int16, integerAt, integerSize, textEnd } from './bytes.ts'
import { valueEnd } from './value.ts'

/**
 * Where the statement of a COM_QUERY begins, after its attributes: their count, the count of their sets, and where
 * there are any, which are null, a 1, types with names, values. -1 where they do not fit.
 */
export function afterAttributes(bytes: Uint8Array, start: number, end: number): number {
  const countSize = integerSize(bytes[start])
  const count = integerAt(bytes, start)
  let at = start + countSize
  if (countSize === 0 || at >= end) return -1
  at += integerSize(bytes[at])
  if (count === 0) return at
  const nulls = at
  at += (count + 7) >> 3
  if (bytes[at++] !== 1) return -1
  const types: number[] = []
  for (let i = 0; i < count; i++) {
    if (at + 2 > end) return -1
    types.push(int16(bytes, at))
    at = textEnd(bytes, at + 2, end)
    if (at < 0) return -1
  }
  for (let i = 0; i < count; i++) {
    if ((bytes[nulls + (i >> 3)] >> (i & 7)) & 1) continue
    at = valueEnd(bytes, at, end, types[i] & 255)
    if (at < 0) return -1
  }
  return at
}
