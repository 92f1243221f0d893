import { MAX_BLOCK } from '../block-walk.ts'
import { IndexBuilder } from './index-builder.ts'
import { formatIndex } from './index-file.ts'

/** Makes the index of a capture from its bytes while they pass. */
export class StreamIndexer {
  readonly #builder: IndexBuilder
  /** The begin of a block whose end has not come yet; shorter than a block may be. */
  #carry: Uint8Array = new Uint8Array(0)
  #bytes = 0
  #gaveUp = false

  constructor(mostKeys: number) {
    this.#builder = new IndexBuilder(mostKeys)
  }

  update(chunk: Uint8Array): void {
    this.#bytes += chunk.length
    if (this.#gaveUp) return
    const bytes = this.#carry.length === 0 ? chunk : Buffer.concat([this.#carry, chunk])
    const before = this.#builder.at
    this.#builder.push(bytes, bytes.length)
    // A copy: the chunk may be written over.
    this.#carry = bytes.slice(this.#builder.at - before)
    this.#gaveUp = this.#builder.isDamaged || this.#carry.length > MAX_BLOCK
  }

  /** The index as a file; undefined where the capture is none that the ring wrote. */
  end(): Uint8Array | undefined {
    const index = this.#gaveUp ? undefined : this.#builder.finish()
    return index && formatIndex(this.#bytes, index)
  }
}
