import { hasEthernetHeader } from './link-type.ts'
import { BLOCK_SIZE } from './packet-socket.ts'

/** Where the walk puts packets, one call each: a frame of `length` bytes lies at `[start, end)` of the memory. */
export interface FrameSink {
  frame(
    start: number,
    end: number,
    length: number,
    /** Microseconds since the epoch. */
    time: number,
    interfaceIndex: number,
    hardwareType: number,
  ): void
}

/** struct tpacket_block_desc, in 32-bit words. */
const STATUS = 2
const PACKET_COUNT = 3
const FIRST_PACKET = 4
const TP_STATUS_KERNEL = 0
const TP_STATUS_USER = 1

/** struct tpacket3_hdr, in 32-bit words, and sockaddr_ll behind it. */
const NEXT = 0
const SECONDS = 1
const NANOSECONDS = 2
const CAPTURED = 3
const LENGTH = 4
const FLAGS = 5
const OFFSETS = 6
const VLAN_TCI = 8
const VLAN_TPID = 9
const SLL_PROTOCOL_BYTE = 48 + 2
const SLL_INTERFACE = 12 + 1
const SLL_HARDWARE = 12 + 2

const TP_STATUS_VLAN_VALID = 1 << 4
const TP_STATUS_VLAN_TPID_VALID = 1 << 6
const ETHER_TYPE_VLAN = 0x8100
const MACS = 12
const TAG = 4

/** The mapped blocks of a `PacketSocket`, walked where they lie. */
export class KernelRing {
  /** Packets of link layers that are not followed. */
  unknown = 0
  readonly #bytes: Uint8Array
  readonly #words: Int32Array
  readonly #blocks: number
  #current = 0

  /** The ring is the first `length` bytes of the memory. */
  constructor(memory: ArrayBuffer, length: number) {
    this.#bytes = new Uint8Array(memory)
    this.#words = new Int32Array(memory)
    this.#blocks = length / BLOCK_SIZE
  }

  /** Hands the next block's packets to the sink and the block back to the kernel; false where none is ready. */
  next(sink: FrameSink): boolean {
    const block = this.#current * BLOCK_SIZE
    const word = block >> 2
    if ((Atomics.load(this.#words, word + STATUS) & TP_STATUS_USER) === 0) return false
    this.#walk(block, sink)
    Atomics.store(this.#words, word + STATUS, TP_STATUS_KERNEL)
    this.#current = this.#current + 1 === this.#blocks ? 0 : this.#current + 1
    return true
  }

  #walk(block: number, sink: FrameSink): void {
    const bytes = this.#bytes
    const words = this.#words
    const count = words[(block >> 2) + PACKET_COUNT]
    let at = block + words[(block >> 2) + FIRST_PACKET]
    for (let packet = 0; packet < count; packet++) {
      const word = at >> 2
      const offsets = words[word + OFFSETS]
      const hardware = words[word + SLL_HARDWARE] & 0xffff
      let start = at + (offsets & 0xffff)
      let length = words[word + LENGTH]
      const end = start + words[word + CAPTURED]
      if (hasEthernetHeader(hardware)) {
        if ((words[word + FLAGS] & TP_STATUS_VLAN_VALID) !== 0 && end - start >= MACS) {
          this.#restoreTag(word, start)
          start -= TAG
          length += TAG
        }
      } else {
        const network = at + (offsets >>> 16)
        length -= network - start
        start = network
        if (!isIp(bytes, at + SLL_PROTOCOL_BYTE) || start >= end) {
          this.unknown++
          at += words[word + NEXT]
          continue
        }
      }
      const time = (words[word + SECONDS] >>> 0) * 1e6 + ((words[word + NANOSECONDS] / 1000) | 0)
      sink.frame(start, end, length, time, words[word + SLL_INTERFACE], hardware)
      at += words[word + NEXT]
    }
  }

  /** The kernel keeps a VLAN tag beside the frame; its place is after the two addresses. */
  #restoreTag(word: number, start: number): void {
    const bytes = this.#bytes
    const tpid =
      (this.#words[word + FLAGS] & TP_STATUS_VLAN_TPID_VALID) !== 0
        ? this.#words[word + VLAN_TPID] & 0xffff
        : ETHER_TYPE_VLAN
    const tci = this.#words[word + VLAN_TCI]
    bytes.copyWithin(start - TAG, start, start + MACS)
    const tag = start - TAG + MACS
    bytes[tag] = tpid >>> 8
    bytes[tag + 1] = tpid
    bytes[tag + 2] = tci >>> 8
    bytes[tag + 3] = tci
  }
}

function isIp(bytes: Uint8Array, at: number): boolean {
  const protocol = (bytes[at] << 8) | bytes[at + 1]
  return protocol === 0x0800 || protocol === 0x86dd
}
