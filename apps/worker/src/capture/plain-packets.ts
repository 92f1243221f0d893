import code from './plain-packets.wasm.ts'

const STATE_BYTES = 64
/** Interfaces that it knows at a time, each by four words. */
const INTERFACES = 256
const INTERFACE_WORDS = 4
/** So much of what is behind the last packet may be overwritten. */
export const OVERWRITTEN = 32

const compiled = new WebAssembly.Module(Buffer.from(code, 'base64'))

interface PlainPacketsCode {
  copy(
    state: number,
    at: number,
    remaining: number,
    to: number,
    limit: number,
    first: number,
    last: number,
  ): void
  network(frame: number): number
  twin(table: number, ip: number, end: number, interfaceIndex: number, micros: number): number
}

/** The code of plain-packets.wat, on this memory. */
export function plainPackets(memory: WebAssembly.Memory): PlainPacketsCode {
  const { exports } = new WebAssembly.Instance(compiled, { memory: { memory } })
  return exports as unknown as PlainPacketsCode
}

/**
 * Copies plain packets of the kernel's blocks, as fast as memory allows: instructions on 16 bytes at once, which JavaScript
 * has none of. What is not plain it leaves to others. Its source is plain-packets.wat.
 */
export class PlainPackets {
  /** Of the memory, for what it is given and what it leaves. */
  static readonly bytes = STATE_BYTES + INTERFACES * INTERFACE_WORDS * 4
  readonly #copy: PlainPacketsCode['copy']
  readonly #state: number
  readonly #words: Int32Array
  readonly #times: Float64Array
  readonly #interfaces: Int32Array

  /** That is at `state`, a multiple of 8. */
  constructor(memory: WebAssembly.Memory, state: number) {
    this.#copy = plainPackets(memory).copy
    this.#state = state
    this.#words = new Int32Array(memory.buffer, state, STATE_BYTES >> 2)
    this.#times = new Float64Array(memory.buffer, state, STATE_BYTES >> 3)
    this.#interfaces = new Int32Array(memory.buffer, state + STATE_BYTES, INTERFACES * INTERFACE_WORDS)
  }

  /** Packets from there are plain, and bear the number `id`. `twins`: the table of those that are to be left out; 0: none. */
  know(interfaceIndex: number, hardware: number, id: number, twins: number): void {
    const place = (interfaceIndex & (INTERFACES - 1)) * INTERFACE_WORDS
    this.#interfaces[place] = interfaceIndex
    this.#interfaces[place + 1] = hardware
    this.#interfaces[place + 2] = id
    this.#interfaces[place + 3] = twins
  }

  forgetInterfaces(): void {
    this.#interfaces.fill(0)
  }

  /**
   * Copies packets from `at` on to `to`, none beyond `limit`, until it meets one that is not plain. `first` and `last`: the
   * earliest and the latest time so far, in microseconds.
   */
  copy(at: number, remaining: number, to: number, limit: number, first: number, last: number): void {
    this.#copy(this.#state, at, remaining, to, limit, first, last)
  }

  /** Where it stopped. */
  get at(): number {
    return this.#words[0]
  }

  get remaining(): number {
    return this.#words[1]
  }

  get to(): number {
    return this.#words[2]
  }

  /** Packets that it left out. */
  get duplicates(): number {
    return this.#words[13]
  }

  /** Where the last block begins that it made. */
  get block(): number {
    return this.#words[7]
  }

  get first(): number {
    return this.#times[4]
  }

  get last(): number {
    return this.#times[5]
  }
}
