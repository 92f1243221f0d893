import { int16, int32 } from './bytes.ts'
import { readValue } from './value.ts'

/** What a Bind message says after its names. */
export interface Bound {
  /** As text; null for NULL. Those that were not kept are missing at the end. */
  readonly values: readonly (string | null)[]
  readonly count: number
  /** Formats of the result's columns: true for binary. None: all text; one: it is for all. */
  readonly results: readonly boolean[]
}

const NOTHING: Bound = { values: [], count: 0, results: [] }

export function readBound(bytes: Uint8Array | undefined, types: readonly number[]): Bound {
  if (bytes === undefined || bytes.length < 4) return NOTHING
  const formats = readFormats(bytes, 0)
  let at = 2 + 2 * int16(bytes, 0)
  if (at + 2 > bytes.length) return NOTHING
  const count = int16(bytes, at)
  const values: (string | null)[] = []
  at += 2
  while (values.length < count && at + 4 <= bytes.length) {
    const length = int32(bytes, at)
    const stop = at + 4 + Math.max(0, length)
    if (stop > bytes.length) break
    const index = values.length
    values.push(
      length < 0
        ? null
        : readValue(bytes.subarray(at + 4, stop), isBinary(formats, index), types[index] ?? 0),
    )
    at = stop
  }
  return { values, count, results: values.length === count ? readFormats(bytes, at) : [] }
}

export function isBinary(formats: readonly boolean[], index: number): boolean {
  return (formats.length === 1 ? formats[0] : formats[index]) ?? false
}

function readFormats(bytes: Uint8Array, at: number): boolean[] {
  const formats: boolean[] = []
  if (at + 2 > bytes.length) return formats
  const count = int16(bytes, at)
  for (let i = 0; i < count && at + 4 + 2 * i <= bytes.length; i++)
    formats.push(int16(bytes, at + 2 + 2 * i) === 1)
  return formats
}
