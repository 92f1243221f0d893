import { textOrBase64 } from '../../content/text-or-base64.ts'
import { utf8Lossy } from '../../text/text.ts'
import { ATTRIBUTES, BATCH_HEADER, type Batch, batches, recordsOf } from './batch.ts'
import { type Codec, codecOf, decompress } from './decompress.ts'
import { int16 } from './frame.ts'
import { int64, type RawRecord, RecordReader, readMessage } from './record-reader.ts'

/** Records that are listed of one message, and bytes that its batches may decompress to. */
const MAX_RECORDS = 500
const MAX_BYTES = 1024 * 1024
const BASE_TIMESTAMP = 27
const IS_CONTROL = 32
/** Header fields of this kind are credentials; their values are not shown. */
const CREDENTIAL = /^(proxy-)?authorization$|cookie$|passw|secret|token$|api-?key$/i

/** A record as it is shown. */
export interface ShownRecord {
  readonly offset: number
  readonly timestamp?: number
  /** Text, or base64 where `key_encoding` says so. Null for a key that is absent. */
  readonly key: string | null
  readonly key_encoding?: 'base64'
  /** Null for a record that deletes its key. */
  readonly value: string | null
  readonly value_encoding?: 'base64'
  readonly headers?: Readonly<Record<string, string | null>>
  /** The marker of a transaction. */
  readonly control?: string
}

/** The records of a partition in one message. */
export interface ShownRecords {
  readonly count: number
  readonly size: number
  readonly compression?: Codec | 'unknown'
  readonly list?: readonly ShownRecord[]
  /** Records that are not listed, because they were cut off, cannot be decompressed, or are too many. */
  readonly unlisted?: number
}

/** Lists the records of one message: together they have limits. */
export class RecordLister {
  #records = MAX_RECORDS
  #bytes = MAX_BYTES

  /** The records of `bytes[start, end)`, which has `size` bytes where it is whole. */
  list(bytes: Uint8Array, start: number, end: number, size: number): ShownRecords {
    const list: ShownRecord[] = []
    let count = 0
    let compression: Codec | 'unknown' | undefined
    for (const batch of batches(bytes, start, end)) {
      count += recordsOf(bytes, batch)
      compression =
        (batch.version < 2 ? this.#message : this.#batch).call(this, bytes, batch, list) ?? compression
    }
    // A message of an old version that is compressed has several.
    count = Math.max(count, list.length)
    return {
      count,
      size,
      ...(compression !== undefined && { compression }),
      ...(list.length > 0 && { list }),
      ...(list.length < count && { unlisted: count - list.length }),
    }
  }

  #batch(bytes: Uint8Array, batch: Batch, list: ShownRecord[]): Codec | 'unknown' | undefined {
    const { start, end } = batch
    if (start + BATCH_HEADER > end) return undefined
    const attributes = int16(bytes, start + ATTRIBUTES)
    const codec = codecOf(attributes)
    const plain = this.#plain(codec, bytes, start + BATCH_HEADER, end)
    if (plain === undefined) return codec
    const reader = new RecordReader(plain, 0, plain.length)
    const [offset, timestamp] = [int64(bytes, start), int64(bytes, start + BASE_TIMESTAMP)]
    for (let left = recordsOf(bytes, batch); left > 0 && this.#records > 0; left--) {
      const record = reader.next(offset, timestamp)
      if (record === undefined) break
      list.push(attributes & IS_CONTROL ? controlOf(record) : shown(record))
      this.#records--
    }
    return codec
  }

  #message(bytes: Uint8Array, { start, end }: Batch, list: ShownRecord[]): Codec | 'unknown' | undefined {
    const message = readMessage(bytes, start, end)
    if (message === undefined || this.#records <= 0) return undefined
    const codec = codecOf(message.attributes)
    if (codec === undefined || message.value === undefined) {
      list.push(shown(message))
      this.#records--
      return codec
    }
    const inner: RawRecord[] = []
    const plain = this.#plain(codec, message.value, 0, message.value.length)
    if (plain === undefined) return codec
    for (const { start: at, end: to } of batches(plain, 0, plain.length)) {
      const one = readMessage(plain, at, to)
      if (one === undefined || inner.length >= this.#records) break
      inner.push(one)
    }
    this.#records -= inner.length
    // Version 1: the offset of the message is that of its last one (KIP-31).
    const relative = bytes[start + 16] === 1 ? message.offset - (inner.at(-1)?.offset ?? 0) : 0
    for (const one of inner) list.push(shown({ ...one, offset: one.offset + relative }))
    return codec
  }

  #plain(
    codec: Codec | 'unknown' | undefined,
    bytes: Uint8Array,
    start: number,
    end: number,
  ): Uint8Array | undefined {
    if (codec === undefined) return bytes.subarray(start, end)
    if (this.#bytes <= 0) return undefined
    const plain = decompress(codec, bytes, start, end, this.#bytes)
    this.#bytes -= plain?.length ?? 0
    return plain
  }
}

function shown({ offset, timestamp, key, value, headers }: RawRecord): ShownRecord {
  const keyText = textOrBase64(key)
  const valueText = textOrBase64(value)
  return {
    offset,
    ...(timestamp > 0 && { timestamp }),
    key: key === undefined ? null : (keyText.body ?? ''),
    ...(keyText.body_encoding && { key_encoding: keyText.body_encoding }),
    value: value === undefined ? null : (valueText.body ?? ''),
    ...(valueText.body_encoding && { value_encoding: valueText.body_encoding }),
    ...(headers.length > 0 && { headers: headersOf(headers) }),
  }
}

/** Values of equal names are joined, as those of HTTP. */
function headersOf(headers: RawRecord['headers']): Record<string, string | null> {
  const values = new Map<string, string | null>()
  for (const { name, value } of headers) {
    const text = utf8Lossy(name)
    const shown = value === undefined ? null : headerValue(text, value)
    const before = values.get(text)
    values.set(text, before == null ? shown : `${before}, ${shown}`)
  }
  return Object.fromEntries(values)
}

function headerValue(name: string, value: Uint8Array): string {
  return CREDENTIAL.test(name) ? '*'.repeat(value.length) : (textOrBase64(value).body ?? '')
}

/** KIP-98: a version, then what became of the transaction. */
function controlOf({ offset, timestamp, key }: RawRecord): ShownRecord {
  const type = key !== undefined && key.length >= 4 ? int16(key, 2) : -1
  return {
    offset,
    ...(timestamp > 0 && { timestamp }),
    key: null,
    value: null,
    control: type === 0 ? 'abort' : type === 1 ? 'commit' : `type ${type}`,
  }
}
