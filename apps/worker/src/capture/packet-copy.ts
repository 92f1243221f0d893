import code from './packet-copy.wasm.ts'

const STATE_BYTES = 64
/** Byte offsets from the state, which packet-copy.wat uses, too. */
export const PACKET_COPY_STATE = {
  AT: 0,
  REMAINING: 4,
  TO: 8,
  BLOCK: 28,
  FIRST: 32,
  LAST: 40,
  DUPLICATES: 52,
  INTERFACES: STATE_BYTES,
} as const
/** Number of known interfaces, four words each. */
const INTERFACES = 256
const INTERFACE_WORDS = 4
/** Bytes after the last packet that a copy may overwrite. */
export const OVERWRITTEN = 32

const compiled = new WebAssembly.Module(Buffer.from(code, 'base64'))

interface PacketCopyCode {
  /** The earliest and the latest time so far are in the state. */
  copy(state: number, at: number, remaining: number, to: number, limit: number): void
  network(frame: number): number
  isDuplicate(table: number, ip: number, end: number, interfaceIndex: number, micros: number): number
}

/** The code of packet-copy.wat, on this memory. */
export function packetCopyCode(memory: WebAssembly.Memory): PacketCopyCode {
  const { exports } = new WebAssembly.Instance(compiled, { memory: { memory } })
  return exports as unknown as PacketCopyCode
}

/**
 * The fast path of `PacketBlocks`: copies plain packets (known interface, Ethernet, aligned, no VLAN tag to restore) with
 * 16-byte instructions. It stops at any other packet. Its source is packet-copy.wat.
 */
export class PacketCopy {
  /** Size of its state in the memory. */
  static readonly bytes = STATE_BYTES + INTERFACES * INTERFACE_WORDS * 4
  readonly #copy: PacketCopyCode['copy']
  readonly #state: number
  readonly #words: Int32Array
  readonly #times: Float64Array
  readonly #interfaces: Int32Array

  /** `state`: offset of its state, a multiple of 8. */
  constructor(memory: WebAssembly.Memory, state: number) {
    this.#copy = packetCopyCode(memory).copy
    this.#state = state
    this.#words = new Int32Array(memory.buffer, state, STATE_BYTES >> 2)
    this.#times = new Float64Array(memory.buffer, state, STATE_BYTES >> 3)
    this.#interfaces = new Int32Array(
      memory.buffer,
      state + PACKET_COPY_STATE.INTERFACES,
      INTERFACES * INTERFACE_WORDS,
    )
  }

  /** Registers an interface with the pcapng id `id`. `duplicates`: offset of the table of the deduplicator; 0: none. */
  know(interfaceIndex: number, hardware: number, id: number, duplicates: number): void {
    const place = (interfaceIndex & (INTERFACES - 1)) * INTERFACE_WORDS
    this.#interfaces[place] = interfaceIndex
    this.#interfaces[place + 1] = hardware
    this.#interfaces[place + 2] = id
    this.#interfaces[place + 3] = duplicates
  }

  forgetInterfaces(): void {
    this.#interfaces.fill(0)
  }

  /**
   * Copies packets from `at` to `to`, at most up to `limit`, until the first one that is not plain. `first` and `last`: the
   * earliest and the latest time so far, in microseconds.
   */
  copy(at: number, remaining: number, to: number, limit: number, first: number, last: number): void {
    this.#times[PACKET_COPY_STATE.FIRST >> 3] = first
    this.#times[PACKET_COPY_STATE.LAST >> 3] = last
    this.#copy(this.#state, at, remaining, to, limit)
  }

  /** Offset of the packet at which it stopped. */
  get at(): number {
    return this.#words[PACKET_COPY_STATE.AT >> 2]
  }

  get remaining(): number {
    return this.#words[PACKET_COPY_STATE.REMAINING >> 2]
  }

  get to(): number {
    return this.#words[PACKET_COPY_STATE.TO >> 2]
  }

  /** Packets that it skipped as duplicates. */
  get duplicates(): number {
    return this.#words[PACKET_COPY_STATE.DUPLICATES >> 2]
  }

  /** Offset of the last block that it wrote. */
  get block(): number {
    return this.#words[PACKET_COPY_STATE.BLOCK >> 2]
  }

  get first(): number {
    return this.#times[PACKET_COPY_STATE.FIRST >> 3]
  }

  get last(): number {
    return this.#times[PACKET_COPY_STATE.LAST >> 3]
  }
}
