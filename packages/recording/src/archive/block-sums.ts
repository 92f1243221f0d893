import { createHash, type Hash } from 'node:crypto'

/** As large as a region of the segment index: that is what is read at once. */
export const SUM_BLOCK = 256 * 1024
const SUM = 32

/** Takes the checksum of each block of a file while it passes. */
export class BlockSummer {
  readonly #sums: Buffer[] = []
  #hash: Hash = createHash('sha256')
  #inBlock = 0

  update(bytes: Uint8Array): void {
    for (let at = 0; at < bytes.length; ) {
      const part = bytes.subarray(at, at + SUM_BLOCK - this.#inBlock)
      this.#hash.update(part)
      this.#inBlock += part.length
      at += part.length
      if (this.#inBlock === SUM_BLOCK) this.#close()
    }
  }

  end(): Uint8Array {
    if (this.#inBlock > 0) this.#close()
    return Buffer.concat(this.#sums)
  }

  #close(): void {
    this.#sums.push(this.#hash.digest())
    this.#hash = createHash('sha256')
    this.#inBlock = 0
  }
}

/** How many bytes the checksums of a file take. */
export function sumsBytes(size: number): number {
  return Math.ceil(size / SUM_BLOCK) * SUM
}

/** Whether whole blocks, of which the first is number `first`, are those that were stored. */
export function isIntact(sums: Uint8Array, first: number, bytes: Uint8Array): boolean {
  for (let at = 0, block = first; at < bytes.length; at += SUM_BLOCK, block++) {
    const found = createHash('sha256')
      .update(bytes.subarray(at, at + SUM_BLOCK))
      .digest()
    if (!found.equals(sums.subarray(block * SUM, (block + 1) * SUM))) return false
  }
  return true
}
