import type { Block } from './block.ts'

/** Blocks that were read lately, up to a ceiling of bytes. */
export class BlockCache {
  readonly #ceiling: number
  readonly #blocks = new Map<string, Block>()
  #size = 0

  constructor(ceiling: number) {
    this.#ceiling = ceiling
  }

  get(key: string): Block | undefined {
    const block = this.#blocks.get(key)
    if (block === undefined) return undefined
    this.#blocks.delete(key)
    this.#blocks.set(key, block)
    return block
  }

  set(key: string, block: Block): void {
    this.#blocks.set(key, block)
    this.#size += block.size
    for (const [oldest, { size }] of this.#blocks) {
      if (this.#size <= this.#ceiling || oldest === key) return
      this.#blocks.delete(oldest)
      this.#size -= size
    }
  }
}
