import type { CompactCall } from '../client/call-details.ts'

export const BLOCK_ROWS = 500
const MAX_BLOCKS = 24

/** Calls by their row, in blocks. Only so many blocks are kept: the nearest to the rows that are looked at. */
export class RowBlocks {
  readonly #blocks = new Map<number, (CompactCall | undefined)[]>()
  readonly #rows = new Map<string, number>()

  /** How many rows are kept. */
  get size(): number {
    return this.#rows.size
  }

  at(row: number): CompactCall | undefined {
    return this.#blocks.get(Math.floor(row / BLOCK_ROWS))?.[row % BLOCK_ROWS]
  }

  /** The row of a call that is kept, or -1. */
  rowOf(id: string): number {
    return this.#rows.get(id) ?? -1
  }

  put(first: number, calls: readonly CompactCall[]): void {
    for (const [i, call] of calls.entries()) {
      const row = first + i
      const number = Math.floor(row / BLOCK_ROWS)
      let block = this.#blocks.get(number)
      if (!block) {
        block = new Array<CompactCall | undefined>(BLOCK_ROWS).fill(undefined)
        this.#blocks.set(number, block)
      }
      const before = block[row % BLOCK_ROWS]
      if (before && this.#rows.get(before.id) === row) this.#rows.delete(before.id)
      block[row % BLOCK_ROWS] = call
      this.#rows.set(call.id, row)
    }
  }

  /** Forgets the blocks that are farthest from a row. */
  keepNear(row: number): void {
    if (this.#blocks.size <= MAX_BLOCKS) return
    const here = row / BLOCK_ROWS - 0.5
    const numbers = [...this.#blocks.keys()].sort((a, b) => Math.abs(a - here) - Math.abs(b - here))
    for (const number of numbers.slice(MAX_BLOCKS)) {
      for (const call of this.#blocks.get(number) ?? []) if (call) this.#rows.delete(call.id)
      this.#blocks.delete(number)
    }
  }
}
