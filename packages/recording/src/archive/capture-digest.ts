import { createHash } from 'node:crypto'
import { MAX_KEYS } from '../chosen-packets.ts'
import { StreamIndexer } from '../segment-index/stream-indexer.ts'
import { BlockSummer } from './block-sums.ts'

/** What a manifest needs to know of a capture. */
export interface CaptureSummary {
  readonly size_bytes: number
  readonly sha256: string
  /** The checksums of its blocks. */
  readonly sums: Uint8Array
  /** Its segment index; absent where the ring did not write it. */
  readonly index?: Uint8Array
}

/** Takes checksums and index of a capture while its bytes pass, so that it is read once. */
export class CaptureDigest {
  readonly #hash = createHash('sha256')
  readonly #sums = new BlockSummer()
  readonly #index = new StreamIndexer(MAX_KEYS)
  #bytes = 0

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    this.#hash.update(chunk)
    this.#sums.update(chunk)
    this.#index.update(chunk)
  }

  end(): CaptureSummary {
    const index = this.#index.end()
    const [sha256, sums] = [this.#hash.digest('hex'), this.#sums.end()]
    return { size_bytes: this.#bytes, sha256, sums, ...(index && { index }) }
  }
}
