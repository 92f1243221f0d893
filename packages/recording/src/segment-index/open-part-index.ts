import { readSync } from 'node:fs'
import { MAX_BLOCK } from '../block-walk.ts'
import type { WindowPart } from '../window-part.ts'
import { IndexBuilder } from './index-builder.ts'
import type { SegmentIndex } from './segment-index.ts'

/**
 * The index of the segment that is being written, for repeated queries: each time only what was
 * written since is read.
 */
export class OpenPartIndex {
  /** Bytes that had to be read so far. */
  readBytes = 0
  #path: string | undefined
  #builder = new IndexBuilder()
  #buffer: Uint8Array | undefined

  /** Undefined where it cannot be read as what the ring writes. */
  indexOf(part: WindowPart): SegmentIndex | undefined {
    if (part.path !== this.#path || part.bytes < this.#builder.at) {
      this.#path = part.path
      this.#builder = new IndexBuilder()
    }
    const builder = this.#builder
    this.#buffer ??= new Uint8Array(MAX_BLOCK)
    while (builder.at < part.bytes) {
      const wanted = Math.min(this.#buffer.length, part.bytes - builder.at)
      const read = readSync(part.fd, this.#buffer, 0, wanted, builder.at)
      this.readBytes += read
      if (read === 0 || !builder.push(this.#buffer, read)) return undefined
    }
    return builder.finish()
  }
}
