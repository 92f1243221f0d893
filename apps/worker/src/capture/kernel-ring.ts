import { BLOCK_SIZE } from './packet-socket.ts'

/**
 * Takes the packets of one block of the kernel's ring. The first is at offset `at`, each has the offset of the next; `bytes`
 * is the size of all of them with headers.
 */
export interface KernelBlockSink {
  /** Returns true if it keeps the block until `release`; otherwise the block is released when it returns. */
  block(at: number, packets: number, bytes: number): boolean
}

/** struct tpacket_block_desc, in 32-bit words. */
const STATUS = 2
const PACKET_COUNT = 3
const FIRST_PACKET = 4
const FILLED_BYTES = 5
const TP_STATUS_KERNEL = 0
const TP_STATUS_USER = 1
const TP_STATUS_LOSING = 4

/** Reads the mapped blocks of a `PacketSocket` in order. */
export class KernelRing {
  readonly #words: Int32Array
  readonly #blocks: number
  #current = 0
  #taken = 0
  /** 1 for each block that the sink keeps. Its status looks ready, so a slow write could otherwise read it again one round later. */
  readonly #isKept: Uint8Array
  #kept = 0
  #losing = false

  /** The ring is the first `length` bytes of the memory. */
  constructor(memory: ArrayBuffer, length: number) {
    this.#words = new Int32Array(memory)
    this.#blocks = length / BLOCK_SIZE
    this.#isKept = new Uint8Array(this.#blocks)
  }

  /** Passes the next block to the sink and releases it; returns false if none is ready. */
  next(sink: KernelBlockSink): boolean {
    const block = this.#current * BLOCK_SIZE
    const word = block >> 2
    const status = Atomics.load(this.#words, word + STATUS)
    if ((status & TP_STATUS_USER) === 0 || this.#isKept[this.#current] === 1) return false
    if ((status & TP_STATUS_LOSING) !== 0) this.#losing = true
    const words = this.#words
    const first = words[word + FIRST_PACKET]
    const bytes = words[word + FILLED_BYTES] - first
    if (sink.block(block + first, words[word + PACKET_COUNT], bytes)) {
      this.#kept++
      this.#isKept[this.#current] = 1
    } else Atomics.store(this.#words, word + STATUS, TP_STATUS_KERNEL)
    this.#current = this.#current + 1 === this.#blocks ? 0 : this.#current + 1
    this.#taken++
    return true
  }

  /** Blocks that were passed to the sink so far. */
  get taken(): number {
    return this.#taken
  }

  /** Value of `taken` once the sink has all packets captured so far: counts ready blocks and the one being filled. */
  get begun(): number {
    for (let ahead = 0; ahead < this.#blocks; ahead++) {
      const block = (this.#current + ahead) % this.#blocks
      if (this.#isKept[block] === 1) return this.#taken + ahead
      const word = (block * BLOCK_SIZE) >> 2
      if ((Atomics.load(this.#words, word + STATUS) & TP_STATUS_USER) === 0)
        return this.#taken + ahead + (this.#words[word + PACKET_COUNT] > 0 ? 1 : 0)
    }
    return this.#taken + this.#blocks
  }

  /** No block is ready. */
  get isTaken(): boolean {
    const word = (this.#current * BLOCK_SIZE) >> 2
    return (Atomics.load(this.#words, word + STATUS) & TP_STATUS_USER) === 0
  }

  /** Blocks that the sink keeps. */
  get kept(): number {
    return this.#kept
  }

  /** Limit of kept blocks, so that the kernel has enough. */
  get maxKept(): number {
    return this.#blocks >> 2
  }

  /** More than half of the blocks are ready or kept. */
  get isBehind(): boolean {
    const block = (this.#current + (this.#blocks >> 1) - 1) % this.#blocks
    return (Atomics.load(this.#words, ((block * BLOCK_SIZE) >> 2) + STATUS) & TP_STATUS_USER) !== 0
  }

  /** Whether the kernel reported loss since the last call. */
  takeLosing(): boolean {
    const losing = this.#losing
    this.#losing = false
    return losing
  }

  /** Releases the block that contains this packet. */
  release(at: number): void {
    this.#kept--
    this.#isKept[Math.floor(at / BLOCK_SIZE)] = 0
    Atomics.store(this.#words, ((at - (at % BLOCK_SIZE)) >> 2) + STATUS, TP_STATUS_KERNEL)
  }
}
