import { int16, int32, int64, join, type Part } from './message-builder.ts'

export const CODEC = { none: 0, gzip: 1, snappy: 2, lz4: 3, zstd: 4 } as const

/** Zigzag, below 8,192. */
export function varint(value: number): Uint8Array {
  const bits = value < 0 ? -2 * value - 1 : 2 * value
  return bits < 128 ? Uint8Array.of(bits) : Uint8Array.of((bits & 127) | 128, bits >> 7)
}
const binary = (text: string | null) => (text === null ? varint(-1) : join(varint(text.length), text))

/** The record `at` a place of its batch. */
export function record(
  at: number,
  key: string | null,
  value: string | null,
  headers: readonly (readonly [string, string])[] = [],
) {
  const fields = headers.flatMap(([name, text]) => [binary(name), binary(text)])
  const rest = join(
    0,
    varint(at * 10),
    varint(at),
    binary(key),
    binary(value),
    varint(headers.length),
    ...fields,
  )
  return join(varint(rest.length), rest)
}

/** A batch of version 2. */
export function batch(count: number, records: Uint8Array, attributes: number = CODEC.none): Uint8Array {
  const header: Part[] = [
    int32(0),
    2,
    int32(0),
    int16(attributes),
    int32(count - 1),
    int64(1000),
    int64(1000),
  ]
  const rest = join(...header, int64(7), int16(0), int32(0), int32(count), records)
  return join(int64(40), int32(rest.length), rest)
}
