import type { Message } from '../../contract/message.ts'
import type { CachedBytes } from '../../memory/cached-bytes.ts'
import type { PlacedMessage } from '../../message/placed-message.ts'
import { packedFields, shareFields } from '../../pack/shared-fields.ts'
import { latin1 } from '../../text/text.ts'

type Fields = NonNullable<Message['fields']>

/** What became of the transaction, at the end of a batch. */
export type Transaction = 'idle' | 'open' | 'failed'

/** As the server says it when it is ready. */
export function transactionState(byte: number): Transaction {
  return byte === 0x54 ? 'open' : byte === 0x45 ? 'failed' : 'idle'
}

const SLOTS = 1024
const MAX_CACHED_LENGTH = 32

/** What a statement came to: `SELECT 5`, `INSERT 0 1`. */
export class Tag {
  readonly text: string
  /** The number at its end; -1 without one. */
  readonly #count: number
  /** Fields of answers that say nothing else, by `#place`: most answers do, and then they are packed once. */
  #fields: (Fields | undefined)[] | undefined
  /** The same as JSON. */
  #packed: (CachedBytes | undefined)[] | undefined
  /** Places that were asked for once, a bit each. */
  #asked = 0

  constructor(text: string) {
    this.text = text
    const digits = /\d+$/.exec(text)?.[0]
    this.#count = digits === undefined ? -1 : Number(digits)
  }

  /** Tells an answer its fields. */
  describe(message: PlacedMessage, rows: number, transaction: Transaction | undefined): void {
    message.fields = this.fields(rows, transaction)
    const place = this.#place(rows, transaction)
    if (place >= 0 && this.#packed !== undefined) message.packed = this.#packed[place]
  }

  /** The fields of an answer that has this tag, so many rows (-1: it is none with rows), and says nothing else. */
  fields(rows: number, transaction: Transaction | undefined): Fields {
    const place = this.#place(rows, transaction)
    if (place < 0) return plainFields(this.text, rows, transaction)
    const known = this.#fields?.[place]
    if (known !== undefined) return known
    const fields = plainFields(this.text, rows, transaction)
    // One that never comes again is not worth packing twice.
    if ((this.#asked & (1 << place)) !== 0) {
      this.#fields ??= new Array<Fields | undefined>(8).fill(undefined)
      this.#packed ??= new Array<CachedBytes | undefined>(8).fill(undefined)
      this.#fields[place] = shareFields(fields)
      this.#packed[place] = packedFields(fields)
    }
    this.#asked |= 1 << place
    return fields
  }

  #place(rows: number, transaction: Transaction | undefined): number {
    if (rows >= 0 && rows !== this.#count) return -1
    const state = transaction === undefined ? 0 : transaction === 'idle' ? 1 : transaction === 'open' ? 2 : 3
    return rows < 0 ? state : state + 4
  }
}

function plainFields(tag: string, rows: number, transaction: Transaction | undefined): Fields {
  if (rows < 0) return transaction === undefined ? { tag } : { tag, transaction }
  return transaction === undefined ? { tag, rows } : { tag, rows, transaction }
}

const cached: (Tag | undefined)[] = new Array<Tag | undefined>(SLOTS).fill(undefined)

/** The tag that `bytes[start, end)` says; mostly one that was there before. */
export function tagAt(bytes: Uint8Array, start: number, end: number): Tag {
  let hash = 0
  for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0
  const slot = (hash ^ (hash >>> 10)) & (SLOTS - 1)
  const known = cached[slot]
  if (known !== undefined && isText(known.text, bytes, start, end)) return known
  const tag = new Tag(latin1(bytes, start, end))
  if (end - start <= MAX_CACHED_LENGTH) cached[slot] = tag
  return tag
}

function isText(text: string, bytes: Uint8Array, start: number, end: number): boolean {
  if (text.length !== end - start) return false
  for (let i = 0; i < text.length; i++) if (text.charCodeAt(i) !== bytes[start + i]) return false
  return true
}
