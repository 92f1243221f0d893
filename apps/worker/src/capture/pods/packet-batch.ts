import { hasEthernetHeader } from '../link-type.ts'
import type { SystemCalls } from '../system-calls.ts'

/** Packets that one system call receives at most. */
const PACKETS = 32
/** struct tpacket3_hdr and sockaddr_ll, as in the kernel's ring; then the frame, aligned to 16 bytes. */
const ADDRESS = 48
const FRAME = 80
const ETHERNET_HEADER = 14
/** The largest frame of a loopback interface with its default MTU, and what the fast copy may read behind it. */
const MAX_FRAME = 65_550
const PACKET_BYTES = 66 * 1024
/** struct mmsghdr, and for each message struct iovec, then the control messages. */
const MESSAGE_BYTES = 64
const MESSAGE_LENGTH = 56
const CONTROL_LENGTH = 40
const VECTOR_BYTES = 16
const CONTROL_BYTES = 128
const TABLE_BYTES = PACKETS * (MESSAGE_BYTES + VECTOR_BYTES + CONTROL_BYTES)

const ADDRESS_BYTES = 20
const MSG_DONTWAIT = 0x40
const MSG_TRUNC = 0x20
const SOL_SOCKET = 1
const SCM_TIMESTAMPNS = 35
const SOL_PACKET = 263
const PACKET_AUXDATA = 8

/**
 * Receives packets of sockets without a ring, as a block of the kernel's ring would have them: an idle socket needs no
 * memory then, and a busy one costs one system call for many packets.
 */
export class PacketBatch {
  static readonly bytes = TABLE_BYTES + PACKETS * PACKET_BYTES
  static readonly maxPackets = PACKETS
  /** Offset of the first packet. */
  readonly at: number
  readonly memory: Uint8Array
  readonly #calls: SystemCalls
  readonly #view: DataView
  readonly #table: number
  readonly #address: bigint

  /** `table`: offset in the memory, a multiple of 16. */
  constructor(calls: SystemCalls, memory: ArrayBuffer, table: number) {
    this.#calls = calls
    this.memory = new Uint8Array(memory)
    this.#view = new DataView(memory)
    this.#table = table
    this.#address = calls.address(this.memory)
    this.at = table + TABLE_BYTES
    for (let i = 0; i < PACKETS; i++) this.#prepare(i)
  }

  /** Offset of a packet's frame. */
  frame(packet: number): number {
    return this.#packet(packet) + FRAME
  }

  captured(packet: number): number {
    return this.#view.getUint32(this.#packet(packet) + 12, true)
  }

  /**
   * Receives what is there, at most `maxPackets`; returns how many, or -1 and sets `errno`. All packets get this interface
   * index.
   */
  receive(fd: number, interfaceIndex: number): number {
    const view = this.#view
    for (let i = 0; i < PACKETS; i++)
      view.setBigUint64(this.#message(i) + CONTROL_LENGTH, BigInt(CONTROL_BYTES), true)
    const table = this.#address + BigInt(this.#table)
    const count = this.#calls.recvmmsg(fd, table, PACKETS, MSG_DONTWAIT | MSG_TRUNC, null)
    for (let i = 0; i < count; i++) this.#describe(i, interfaceIndex)
    return count
  }

  /** Writes the header as the kernel would. */
  #describe(packet: number, interfaceIndex: number): void {
    const view = this.#view
    const at = this.#packet(packet)
    const length = view.getUint32(this.#message(packet) + MESSAGE_LENGTH, true)
    view.setUint32(at, PACKET_BYTES, true)
    view.setUint32(at + 12, Math.min(length, MAX_FRAME), true)
    view.setUint32(at + 16, length, true)
    view.setUint32(at + 20, 0, true)
    view.setUint16(at + 24, FRAME, true)
    const hardware = view.getUint16(at + ADDRESS + 8, true)
    view.setUint16(at + 26, FRAME + (hasEthernetHeader(hardware) ? ETHERNET_HEADER : 0), true)
    this.#readControl(packet)
    view.setInt32(at + ADDRESS + 4, interfaceIndex, true)
  }

  /** The time of a packet, and its length before the filter cut it. */
  #readControl(packet: number): void {
    const view = this.#view
    const to = this.#packet(packet)
    const from = this.#control(packet)
    const end = from + Number(view.getBigUint64(this.#message(packet) + CONTROL_LENGTH, true))
    for (let at = from; at + 16 <= end; ) {
      const size = Number(view.getBigUint64(at, true))
      if (size < 16) return
      const level = view.getInt32(at + 8, true)
      const type = view.getInt32(at + 12, true)
      if (level === SOL_SOCKET && type === SCM_TIMESTAMPNS) {
        view.setUint32(to + 4, Number(view.getBigUint64(at + 16, true)), true)
        view.setUint32(to + 8, Number(view.getBigUint64(at + 24, true)), true)
      } else if (level === SOL_PACKET && type === PACKET_AUXDATA)
        view.setUint32(to + 16, view.getUint32(at + 20, true), true)
      at += (size + 7) & ~7
    }
  }

  /** The kernel writes the frame, its address and its control messages to fixed places. */
  #prepare(packet: number): void {
    const view = this.#view
    const message = this.#message(packet)
    const vector = this.#table + PACKETS * MESSAGE_BYTES + packet * VECTOR_BYTES
    const pointer = (at: number, to: number) => view.setBigUint64(at, this.#address + BigInt(to), true)
    pointer(message, this.#packet(packet) + ADDRESS)
    view.setUint32(message + 8, ADDRESS_BYTES, true)
    pointer(message + 16, vector)
    view.setBigUint64(message + 24, 1n, true)
    pointer(message + 32, this.#control(packet))
    pointer(vector, this.frame(packet))
    view.setBigUint64(vector + 8, BigInt(MAX_FRAME), true)
  }

  #packet(packet: number): number {
    return this.at + packet * PACKET_BYTES
  }

  #message(packet: number): number {
    return this.#table + packet * MESSAGE_BYTES
  }

  #control(packet: number): number {
    return this.#table + PACKETS * (MESSAGE_BYTES + VECTOR_BYTES) + packet * CONTROL_BYTES
  }
}
