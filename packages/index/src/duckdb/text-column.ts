import { ByteWriter, type Summary, writePath } from '@tapdeck/dissect'
import { ROWS } from './chunk-rows.ts'

const FIRST = 32 * ROWS
/** What longer texts took is given back. */
const MAX_KEPT = 16 * FIRST

/**
 * The texts of a batch as UTF-8, one after the other. They become bytes when they are set: strings that wait for their
 * batch to fill up would cost the collector more than all else.
 */
export class TextColumn {
  readonly ends = new Uint32Array(ROWS)
  #bytes = new ByteWriter(FIRST)

  /** Rows are set from the first on, each once; '' is NULL. */
  set(row: number, text: string): void {
    if (row === 0) this.#begin()
    if (text.length > 0) this.#bytes.utf8(text)
    this.ends[row] = this.#bytes.length
  }

  /** The same of a text that is UTF-8 already. */
  setBytes(row: number, text: Uint8Array): void {
    if (row === 0) this.#begin()
    this.#bytes.raw(text)
    this.ends[row] = this.#bytes.length
  }

  /** The same of the path of a call, which need not become a string for it. */
  setPath(row: number, summary: Summary): void {
    if (row === 0) this.#begin()
    writePath(summary, this.#bytes)
    this.ends[row] = this.#bytes.length
  }

  /** All of them, until the next is set. */
  get bytes(): Uint8Array {
    return this.#bytes.written()
  }

  #begin(): void {
    if (this.#bytes.capacity > MAX_KEPT) this.#bytes = new ByteWriter(FIRST)
    this.#bytes.cut(0)
  }
}
