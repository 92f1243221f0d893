import { packetCopyCode } from './packet-copy.ts'

const SLOTS = 8192
const SLOT_BYTES = 16

/**
 * Finds packets that pass several interfaces of this machine, for example from a pod through a bridge to another pod: same
 * addresses, ports, sequence numbers and first bytes, on another interface, within 20 ms. The same packet on the same
 * interface is a retransmission, not a duplicate. Fields that a router rewrites (MAC addresses, TTL, checksums) are ignored.
 * After address translation the packets differ, and both are kept. Its source is in packet-copy.wat, which also calls it.
 */
export class PacketDeduplicator {
  /** Size of its table in the memory. */
  static readonly bytes = SLOTS * SLOT_BYTES
  /** Offset of the table. */
  readonly table: number
  readonly #network: (frame: number) => number
  readonly #isDuplicate: (
    table: number,
    ip: number,
    end: number,
    interfaceIndex: number,
    micros: number,
  ) => number

  constructor(memory: WebAssembly.Memory, table: number) {
    const { network, isDuplicate } = packetCopyCode(memory)
    this.table = table
    this.#network = network
    this.#isDuplicate = isDuplicate
  }

  /** Whether the frame at `[start, end)` was just seen on another interface. `micros`: time modulo 2^32. */
  has(start: number, end: number, ethernet: boolean, interfaceIndex: number, micros: number): boolean {
    const ip = ethernet ? this.#network(start) : start
    return ip !== 0 && this.#isDuplicate(this.table, ip, end, interfaceIndex, micros) === 1
  }
}
