import { int32 } from './frame.ts'

/** A record as it is in the bytes; a key or a value of -1 is absent. */
export interface RawRecord {
  readonly offset: number
  /** Milliseconds. */
  readonly timestamp: number
  readonly key: Uint8Array | undefined
  readonly value: Uint8Array | undefined
  readonly headers: readonly { readonly name: Uint8Array; readonly value: Uint8Array | undefined }[]
}

const MAX_HEADERS = 64

/** Reads records of version 2. Stops at the first one that is not complete or makes no sense. */
export class RecordReader {
  #at: number
  readonly #bytes: Uint8Array
  readonly #end: number

  constructor(bytes: Uint8Array, start: number, end: number) {
    this.#bytes = bytes
    this.#at = start
    this.#end = end
  }

  /** The next record; numbers are relative to those of its batch. */
  next(offset: number, timestamp: number): RawRecord | undefined {
    const length = this.#varint()
    const start = this.#at
    if (length === undefined || length < 6 || length > this.#end - start) return undefined
    // Attributes of a record are not in use: anything else is no record, or was masked.
    if (this.#bytes[start] !== 0) return undefined
    const record = new RecordReader(this.#bytes, start + 1, start + length).#fields(offset, timestamp)
    this.#at = start + length
    return record
  }

  #fields(offset: number, timestamp: number): RawRecord | undefined {
    const later = this.#varint()
    const further = this.#varint()
    const key = this.#binary()
    const value = this.#binary()
    const count = this.#varint()
    if (later === undefined || further === undefined || key === null || value === null) return undefined
    if (count === undefined || count < 0) return undefined
    const headers: { name: Uint8Array; value: Uint8Array | undefined }[] = []
    for (let i = 0; i < Math.min(count, MAX_HEADERS); i++) {
      const name = this.#binary()
      const text = this.#binary()
      if (name === null || name === undefined || text === null) return undefined
      headers.push({ name, value: text })
    }
    return { offset: offset + further, timestamp: timestamp + later, key, value, headers }
  }

  /** Null where the bytes end before. */
  #binary(): Uint8Array | undefined | null {
    const length = this.#varint()
    if (length === undefined || length > this.#end - this.#at) return null
    if (length < 0) return undefined
    const start = this.#at
    this.#at += length
    return this.#bytes.subarray(start, this.#at)
  }

  /** Zigzag, of up to 64 bits. Above 53 bits the last ones are not exact. */
  #varint(): number | undefined {
    let value = 0
    for (let scale = 1, i = 0; i < 10; i++, scale *= 128) {
      if (this.#at >= this.#end) return undefined
      const byte = this.#bytes[this.#at++]
      value += (byte & 0x7f) * scale
      if (byte < 0x80) return value % 2 === 0 ? value / 2 : -(value + 1) / 2
    }
    return undefined
  }
}

const CRC_AND_MAGIC = 5

/** A message of version 0 or 1, which begins `at` its offset; undefined if it is not complete. */
export function readMessage(
  bytes: Uint8Array,
  at: number,
  end: number,
): (RawRecord & { readonly attributes: number }) | undefined {
  let from = at + 12 + CRC_AND_MAGIC
  if (from + 1 > end) return undefined
  const version = bytes[from - 1]
  const attributes = bytes[from++]
  const timestamp = version === 0 ? 0 : int64(bytes, from)
  if (version !== 0) from += 8
  const key = binary(bytes, from, end)
  if (key === null) return undefined
  from += 4 + (key?.length ?? 0)
  const value = binary(bytes, from, end)
  if (value === null) return undefined
  return { offset: int64(bytes, at), timestamp, key, value, headers: [], attributes }
}

/** With its length before it. */
function binary(bytes: Uint8Array, at: number, end: number): Uint8Array | undefined | null {
  if (at + 4 > end) return null
  const length = int32(bytes, at)
  if (length < 0) return undefined
  return length > end - at - 4 ? null : bytes.subarray(at + 4, at + 4 + length)
}

export function int64(bytes: Uint8Array, at: number): number {
  return int32(bytes, at) * 2 ** 32 + (int32(bytes, at + 4) >>> 0)
}
