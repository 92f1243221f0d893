import { closeSync, openSync, readSync } from 'node:fs'
import { MAX_BLOCK } from '../block-walk.ts'
import { IndexBuilder } from './index-builder.ts'
import type { SegmentIndex } from './segment-index.ts'

/** Reads a segment in steps of at most 1 MiB, so that the thread can do other work in between. */
export class SegmentIndexer {
  readonly #fd: number
  readonly #bytes: number
  readonly #buffer = new Uint8Array(MAX_BLOCK)
  readonly #builder: IndexBuilder
  #done = false

  /** Throws what the file system throws. */
  constructor(path: string, bytes: number, builder = new IndexBuilder()) {
    this.#fd = openSync(path, 'r')
    this.#bytes = bytes
    this.#builder = builder
  }

  /** Reads some more; true when there is nothing more to read. */
  step(): boolean {
    if (this.#done) return true
    const want = Math.min(this.#buffer.length, this.#bytes - this.#builder.at)
    const read = want > 0 ? readSync(this.#fd, this.#buffer, 0, want, this.#builder.at) : 0
    if (read === 0 || !this.#builder.push(this.#buffer, read)) this.close()
    return this.#done
  }

  finish(): SegmentIndex | undefined {
    while (!this.step());
    return this.#builder.finish()
  }

  close(): void {
    if (this.#done) return
    this.#done = true
    closeSync(this.#fd)
  }
}
