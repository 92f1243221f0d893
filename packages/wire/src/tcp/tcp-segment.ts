import type { Packet } from '../packet.ts'
import { ACK, FIN, SYN } from './tcp-flags.ts'

/** The current segment. One instance is reused. */
export class TcpSegment {
  data: Uint8Array = new Uint8Array(0)
  /** Where the header and its payload begin, and where the captured payload ends. */
  at = 0
  body = 0
  end = 0
  sourcePort = 0
  destinationPort = 0
  seq = 0
  ack = 0
  flags = 0
  window = 0
  /** Payload bytes on the wire. */
  length = 0
  time = 0

  /** Reads the header of a packet. False: it is cut or broken. */
  read(packet: Packet): boolean {
    const { view, at, data } = packet
    if (at + 20 > packet.end) return false
    // Length of the header, flags, and the window.
    const third = view.getInt32(at + 12)
    const header = (third >>> 28) << 2
    const body = at + header
    if (header < 20 || body > packet.wire) return false
    const ports = view.getInt32(at)
    // Skip redundant stores: each costs a GC write barrier.
    if (this.data !== data) this.data = data
    this.at = at
    this.body = body
    this.end = packet.end
    this.sourcePort = ports >>> 16
    this.destinationPort = ports & 0xffff
    this.seq = view.getInt32(at + 4)
    this.ack = view.getInt32(at + 8)
    this.flags = (third >> 16) & 0xff
    this.window = third & 0xffff
    this.length = packet.wire - body
    this.time = packet.time
    return true
  }

  get syn(): boolean {
    return (this.flags & SYN) !== 0
  }

  get fin(): boolean {
    return (this.flags & FIN) !== 0
  }

  get acknowledges(): boolean {
    return (this.flags & ACK) !== 0
  }

  /** The sequence number of the first payload byte: a SYN takes one of its own. */
  get first(): number {
    return this.syn ? (this.seq + 1) | 0 : this.seq
  }

  /** The sequence number behind it: a FIN takes one too. */
  get stop(): number {
    return (this.first + this.length + (this.fin ? 1 : 0)) | 0
  }
}
