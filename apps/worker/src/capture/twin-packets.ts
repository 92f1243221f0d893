import { plainPackets } from './plain-packets.ts'

const PLACES = 8192
const PLACE_BYTES = 16

/**
 * Finds packets that pass several interfaces of this machine, as from a pod through a bridge to another pod: the same
 * addresses, ports, numbers and first bytes, on another interface, within 20 ms. On the same interface it
 * is sent again, which is no twin. What a router rewrites (MAC addresses, time to live, checksums) does not count; where
 * addresses are translated on the way the packets differ, and both are needed to follow both conversations. Its source is in
 * plain-packets.wat, whose loop asks it too.
 */
export class TwinPackets {
  /** Of the memory, for what it remembers. */
  static readonly bytes = PLACES * PLACE_BYTES
  /** Where that is. */
  readonly table: number
  readonly #network: (frame: number) => number
  readonly #twin: (table: number, ip: number, end: number, interfaceIndex: number, micros: number) => number

  constructor(memory: WebAssembly.Memory, table: number) {
    const { network, twin } = plainPackets(memory)
    this.table = table
    this.#network = network
    this.#twin = twin
  }

  /** Whether the frame at `[start, end)` of the memory was seen on another interface just before; `micros` is the time, modulo 2^32. */
  has(start: number, end: number, ethernet: boolean, interfaceIndex: number, micros: number): boolean {
    const ip = ethernet ? this.#network(start) : start
    return ip !== 0 && this.#twin(this.table, ip, end, interfaceIndex, micros) === 1
  }
}
