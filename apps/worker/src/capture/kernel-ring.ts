import { BLOCK_SIZE } from './packet-socket.ts'

/**
 * Takes the packets of one block of the kernel's ring: the first lies at `at` of the memory, each tells where the next is;
 * `bytes` are all of them with their headers.
 */
export interface KernelBlockSink {
  /** When it returns, the block belongs to the kernel again. */
  block(at: number, packets: number, bytes: number): void
}

/** struct tpacket_block_desc, in 32-bit words. */
const STATUS = 2
const PACKET_COUNT = 3
const FIRST_PACKET = 4
const FILLED_BYTES = 5
const TP_STATUS_KERNEL = 0
const TP_STATUS_USER = 1

/** The mapped blocks of a `PacketSocket`, in turn. */
export class KernelRing {
  readonly #words: Int32Array
  readonly #blocks: number
  #current = 0

  /** The ring is the first `length` bytes of the memory. */
  constructor(memory: ArrayBuffer, length: number) {
    this.#words = new Int32Array(memory)
    this.#blocks = length / BLOCK_SIZE
  }

  /** Hands the next block's packets to the sink and the block back to the kernel; false where none is ready. */
  next(sink: KernelBlockSink): boolean {
    const block = this.#current * BLOCK_SIZE
    const word = block >> 2
    if ((Atomics.load(this.#words, word + STATUS) & TP_STATUS_USER) === 0) return false
    const words = this.#words
    sink.block(block + words[word + FIRST_PACKET], words[word + PACKET_COUNT], words[word + FILLED_BYTES])
    Atomics.store(this.#words, word + STATUS, TP_STATUS_KERNEL)
    this.#current = this.#current + 1 === this.#blocks ? 0 : this.#current + 1
    return true
  }
}
