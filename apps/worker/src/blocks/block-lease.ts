import { SHARED_BLOCKS } from './block-memory.ts'

const FREE = 0
const TAKEN = 1

/** Ownership of blocks: the capture thread takes a block, the live thread releases it after reading. */
export class BlockLease {
  /** Shared with the lease of the other thread. */
  readonly memory: SharedArrayBuffer
  readonly #states: Int32Array

  constructor(memory = new SharedArrayBuffer(SHARED_BLOCKS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#states = new Int32Array(memory)
  }

  /** The lowest free block, so that few pages are touched; -1 if all are in use. */
  take(): number {
    for (let block = 0; block < SHARED_BLOCKS; block++)
      if (Atomics.compareExchange(this.#states, block, FREE, TAKEN) === FREE) return block
    return -1
  }

  /** Frees all blocks: the thread that used them has ended. */
  reset(): void {
    this.#states.fill(FREE)
  }

  release(block: number): void {
    Atomics.store(this.#states, block, FREE)
  }
}
