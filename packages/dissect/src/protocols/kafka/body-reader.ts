import { Malformed } from '@tapdeck/wire'
import { base64, utf8Lossy, word } from '../../text/text.ts'
import { countRecords } from './batch.ts'
import { int16, int32 } from './frame.ts'
import { RecordLister } from './records.ts'
import type { Item, Kind } from './schema.ts'

/** Told where records stand, as far as they are there. */
export type RecordsTaker = (start: number, end: number) => void

/** Topics named of one call. */
const MAX_TOPICS = 32

export interface BodyOptions {
  /** Also makes the structure as an object. */
  readonly build?: boolean
  /** Receives where records are. */
  readonly records?: RecordsTaker | undefined
}

/**
 * Reads one body by its schema. Beyond the end is `Malformed`; what was found until then stands. Values are only
 * made only on request (`build`).
 */
export class BodyReader {
  at: number
  readonly topics: string[] = []
  /** The first error code that is not 0; undefined where no code was seen. */
  error: number | undefined
  records = 0
  readonly #bytes: Uint8Array
  readonly #end: number
  readonly #version: number
  readonly #flexible: boolean
  readonly #build: boolean
  readonly #taker: RecordsTaker | undefined
  readonly #lister: RecordLister | undefined

  constructor(
    bytes: Uint8Array,
    start: number,
    end: number,
    version: number,
    flexible: boolean,
    { build = false, records }: BodyOptions = {},
  ) {
    this.#bytes = bytes
    this.at = start
    this.#end = end
    this.#version = version
    this.#flexible = flexible
    this.#build = build
    this.#taker = records
    this.#lister = build ? new RecordLister() : undefined
  }

  /** Where the body breaks off, `into` has what came before. */
  structure(items: readonly Item[], into: Record<string, unknown> = {}): Record<string, unknown> {
    for (const { name, kind, from, to } of items) {
      if (this.#version < from || this.#version > to) continue
      if (kind === 'records') this.#records(name, into)
      else if (typeof kind === 'string') {
        const value = this.#value(kind)
        if (this.#build) into[name] = value
      } else {
        const list: unknown[] = []
        into[name] = list
        this.#list(kind, list)
      }
    }
    this.tags()
    return into
  }

  /** KIP-482: fields that a reader need not know. */
  tags(): void {
    if (!this.#flexible) return
    for (let count = this.#varint(); count > 0; count--) {
      this.#varint()
      this.#skip(this.#varint())
    }
  }

  #list(items: readonly Item[], into: unknown[]): void {
    for (let count = this.#count(); count > 0; count--) {
      const before = this.at
      const one: Record<string, unknown> = {}
      if (this.#build) into.push(one)
      this.structure(items, one)
      if (this.at === before) throw new Malformed('nothing in a list')
    }
  }

  #value(kind: Exclude<Kind, 'records'>): unknown {
    switch (kind) {
      case 'int8':
        return (this.#bytes[this.#skip(1)] << 24) >> 24
      case 'bool':
        return this.#bytes[this.#skip(1)] !== 0
      case 'int16':
        return int16(this.#bytes, this.#skip(2))
      case 'int32':
        return int32(this.#bytes, this.#skip(4))
      case 'int64':
        return this.#long()
      case 'error':
        return this.#error()
      case 'string':
        return this.#string()
      case 'topic':
        return this.#topic(this.#string())
      case 'topic_id':
        return this.#topic(this.#uuid())
      case 'uuid':
        return this.#uuid()
      case 'bytes':
        return this.#binary()
      case 'strings':
        return this.#many(() => this.#string())
      case 'topics':
        return this.#many(() => this.#topic(this.#string()))
      case 'ints':
        return this.#many(() => int32(this.#bytes, this.#skip(4)))
      case 'longs':
        return this.#many(() => this.#long())
    }
  }

  #many(read: () => unknown): unknown[] {
    const all: unknown[] = []
    for (let count = this.#count(); count > 0; count--) {
      const value = read()
      if (this.#build) all.push(value)
    }
    return all
  }

  #error(): number {
    const code = int16(this.#bytes, this.#skip(2))
    if (this.error === undefined || this.error === 0) this.error = code
    return code
  }

  #topic(name: string | null): string | null {
    if (name !== null && this.topics.length < MAX_TOPICS && !this.topics.includes(name))
      this.topics.push(name)
    return name
  }

  #string(): string | null {
    const length = this.#flexible ? this.#varint() - 1 : int16(this.#bytes, this.#skip(2))
    if (length < 0) return null
    const start = this.#skip(length)
    for (let i = start; i < this.at; i++)
      if (this.#bytes[i] >= 0x80) return utf8Lossy(this.#bytes.subarray(start, this.at))
    return word(this.#bytes, start, this.at)
  }

  /** As Kafka writes them: base64url. */
  #uuid(): string {
    const start = this.#skip(16)
    return Buffer.from(this.#bytes.subarray(start, start + 16)).toString('base64url')
  }

  #length(): number {
    return this.#flexible ? this.#varint() - 1 : int32(this.#bytes, this.#skip(4))
  }

  #binary(): string | null {
    const length = this.#length()
    if (length < 0) return null
    const start = this.#skip(length)
    return this.#build ? base64(this.#bytes.subarray(start, this.at)) : null
  }

  /** What is there of records that are cut is read, too. */
  #records(name: string, into: Record<string, unknown>): void {
    const length = this.#length()
    if (length <= 0) {
      if (this.#build) into[name] = { count: 0, size: 0 }
      return
    }
    const start = this.at
    const end = Math.min(this.#end, start + length)
    this.#taker?.(start, end)
    const shown = this.#lister?.list(this.#bytes, start, end, length)
    if (shown !== undefined) into[name] = shown
    this.records += shown?.count ?? countRecords(this.#bytes, start, end)
    this.#skip(length)
  }

  #count(): number {
    const count = this.#length()
    // Each takes a byte at least.
    if (count > this.#end - this.at) throw new Malformed('cut short')
    return count
  }

  #long(): unknown {
    const at = this.#skip(8)
    const value = int32(this.#bytes, at) * 2 ** 32 + (int32(this.#bytes, at + 4) >>> 0)
    if (Number.isSafeInteger(value)) return value
    return ((BigInt(int32(this.#bytes, at)) << 32n) | BigInt(int32(this.#bytes, at + 4) >>> 0)).toString()
  }

  #varint(): number {
    let value = 0
    for (let shift = 0; shift < 35; shift += 7) {
      const byte = this.#bytes[this.#skip(1)]
      value += (byte & 0x7f) * 2 ** shift
      if (byte < 0x80) return value
    }
    throw new Malformed('number too long')
  }

  /** Where what is skipped began. */
  #skip(length: number): number {
    const { at } = this
    if (length < 0 || length > this.#end - at) throw new Malformed('cut short')
    this.at += length
    return at
  }
}
