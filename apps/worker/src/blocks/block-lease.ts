import { SHARED_BLOCKS } from './block-memory.ts'

const FREE = 0
const TAKEN = 1

/** Who has which block: the capture thread takes one, the live thread gives it back when it has read it. */
export class BlockLease {
  /** To be given to the other thread's lease. */
  readonly memory: SharedArrayBuffer
  readonly #states: Int32Array

  constructor(memory = new SharedArrayBuffer(SHARED_BLOCKS * Int32Array.BYTES_PER_ELEMENT)) {
    this.memory = memory
    this.#states = new Int32Array(memory)
  }

  /** The number of a free block, the lowest one so that few pages are touched; -1 where all are in use. */
  take(): number {
    for (let block = 0; block < SHARED_BLOCKS; block++)
      if (Atomics.compareExchange(this.#states, block, FREE, TAKEN) === FREE) return block
    return -1
  }

  /** All blocks are free: the thread that had them is gone. */
  reset(): void {
    this.#states.fill(FREE)
  }

  giveBack(block: number): void {
    Atomics.store(this.#states, block, FREE)
  }
}
