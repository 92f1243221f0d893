import { BLOCK_SIZE } from './packet-socket.ts'

/**
 * Takes the packets of one block of the kernel's ring: the first lies at `at` of the memory, each tells where the next is;
 * `bytes` are all of them with their headers.
 */
export interface KernelBlockSink {
  /** When it returns, the block belongs to the kernel again; or, where it returns true, when it is given back. */
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

/** The mapped blocks of a `PacketSocket`, in turn. */
export class KernelRing {
  readonly #words: Int32Array
  readonly #blocks: number
  #current = 0
  #taken = 0
  /** 1 for each block that the sink still needs. It looks like one that is ready: a write that takes long meets it again, a turn later. */
  readonly #isKept: Uint8Array
  #kept = 0
  #losing = false

  /** The ring is the first `length` bytes of the memory. */
  constructor(memory: ArrayBuffer, length: number) {
    this.#words = new Int32Array(memory)
    this.#blocks = length / BLOCK_SIZE
    this.#isKept = new Uint8Array(this.#blocks)
  }

  /** Hands the next block's packets to the sink and the block back to the kernel; false where none is ready. */
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

  /** Blocks that went to the sink so far. */
  get taken(): number {
    return this.#taken
  }

  /** How many will have gone there once it has all that is captured now: those that are ready, and the one being filled. */
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

  /** Blocks that the sink still needs. */
  get kept(): number {
    return this.#kept
  }

  /** More kept blocks would leave the kernel too few. */
  get mostKept(): number {
    return this.#blocks >> 2
  }

  /** From half of the ring on, blocks are not the kernel's: they wait to be taken, or are kept. */
  get isBehind(): boolean {
    const block = (this.#current + (this.#blocks >> 1) - 1) % this.#blocks
    return (Atomics.load(this.#words, ((block * BLOCK_SIZE) >> 2) + STATUS) & TP_STATUS_USER) !== 0
  }

  /** The kernel said, since the last time, that it lost packets. */
  takeLosing(): boolean {
    const losing = this.#losing
    this.#losing = false
    return losing
  }

  /** The sink needs the block no longer where this packet lies. */
  giveBack(at: number): void {
    this.#kept--
    this.#isKept[Math.floor(at / BLOCK_SIZE)] = 0
    Atomics.store(this.#words, ((at - (at % BLOCK_SIZE)) >> 2) + STATUS, TP_STATUS_KERNEL)
  }
}
