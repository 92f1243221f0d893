import type { Packet } from '../packet.ts'
import { ACK, FIN, SYN } from './tcp-flags.ts'

/** The header of the current segment. One instance is reused; only segments off the fast path fill it. */
export class TcpSegment {
  data: Uint8Array = new Uint8Array(0)
  /** Where the header and its payload begin, and where the captured payload ends. */
  at = 0
  body = 0
  end = 0
  seq = 0
  ack = 0
  flags = 0
  window = 0
  /** Payload bytes on the wire. */
  length = 0
  time = 0

  fill(packet: Packet, seq: number, ack: number, flags: number, window: number, body: number): void {
    this.data = packet.data
    this.at = packet.at
    this.body = body
    this.end = packet.end
    this.seq = seq
    this.ack = ack
    this.flags = flags
    this.window = window
    this.length = packet.wire - body
    this.time = packet.time
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
