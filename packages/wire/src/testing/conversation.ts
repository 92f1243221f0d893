import type { PacketSink } from '../packet-sink.ts'
import { bytes, FLAG, tcpFrame } from './packet-builder.ts'

/** LINKTYPE_ETHERNET: what the builders make. */
export const ETHERNET = 1

export interface BuiltPacket {
  readonly data: Uint8Array
  readonly time: number
  /** Length on the wire where the capture cut it. */
  readonly length?: number
}

export interface ConversationOptions {
  readonly client?: string
  readonly server?: string
  readonly clientPort?: number
  readonly serverPort?: number
  readonly clientIsn?: number
  readonly serverIsn?: number
  /** Time of the first packet, µs since the epoch. */
  readonly start?: number
  /** Time between packets, µs. */
  readonly step?: number
  readonly segmentSize?: number
  /** Identification of the first IPv4 packet of each side, which counts its packets; default: all are 0. */
  readonly firstId?: number
}

/**
 * A TCP conversation written as what each side does. `packets` can be shuffled, thinned or cut by a test
 * before `feed` hands them to a sink.
 */
export class Conversation {
  readonly packets: BuiltPacket[] = []
  time: number
  readonly #ips: readonly [string, string]
  readonly #ports: readonly [number, number]
  readonly #next: [number, number]
  readonly #step: number
  readonly #segmentSize: number
  readonly #ids: [number, number] | undefined

  constructor(options: ConversationOptions = {}) {
    this.#ips = [options.client ?? '10.0.0.1', options.server ?? '10.0.0.2']
    this.#ports = [options.clientPort ?? 40000, options.serverPort ?? 80]
    const isn = isnOf(options)
    this.#next = [options.clientIsn ?? isn, options.serverIsn ?? isn + 4000]
    this.#step = options.step ?? 100
    this.#segmentSize = options.segmentSize ?? 1460
    this.#ids = options.firstId === undefined ? undefined : [options.firstId, options.firstId + 20_000]
    this.time = options.start ?? 1_700_000_000_000_000
  }

  /** One segment of a side at its present sequence number; `seq` may point elsewhere. */
  segment(side: 0 | 1, flags: number, payload?: Uint8Array | string, seq?: number): this {
    const other = side === 0 ? 1 : 0
    const data = bytes(payload)
    this.packets.push({
      data: tcpFrame({
        src: this.#ips[side],
        dst: this.#ips[other],
        sport: this.#ports[side],
        dport: this.#ports[other],
        seq: seq ?? this.#next[side],
        ack: flags & FLAG.ack ? this.#next[other] : 0,
        flags,
        payload: data,
        id: this.#ids === undefined ? 0 : this.#ids[side]++ & 0xffff,
      }),
      time: this.time,
    })
    this.time += this.#step
    if (seq === undefined) {
      const length = data.length + (flags & FLAG.syn ? 1 : 0) + (flags & FLAG.fin ? 1 : 0)
      this.#next[side] = (this.#next[side] + length) >>> 0
    }
    return this
  }

  /** SYN, SYN-ACK, ACK. */
  handshake(): this {
    return this.segment(0, FLAG.syn)
      .segment(1, FLAG.syn | FLAG.ack)
      .segment(0, FLAG.ack)
  }

  /** A side sends bytes, cut into segments, and the other acknowledges. */
  send(side: 0 | 1, payload: Uint8Array | string): this {
    const data = bytes(payload)
    for (let at = 0; at < data.length; at += this.#segmentSize)
      this.segment(side, FLAG.ack | FLAG.psh, data.subarray(at, at + this.#segmentSize))
    return this.segment(side === 0 ? 1 : 0, FLAG.ack)
  }

  fin(side: 0 | 1): this {
    return this.segment(side, FLAG.fin | FLAG.ack)
  }

  /** Both sides close, `first` before the other. */
  close(first: 0 | 1 = 0): this {
    const other = first === 0 ? 1 : 0
    return this.fin(first).fin(other).segment(first, FLAG.ack)
  }

  reset(side: 0 | 1): this {
    return this.segment(side, FLAG.rst | FLAG.ack)
  }

  /** Lets time pass. */
  wait(microseconds: number): this {
    this.time += microseconds
    return this
  }

  /** Forgets the packet at `index` (negative counts from the end), as a capture that lost it. */
  drop(index = -1): this {
    this.packets.splice(index < 0 ? this.packets.length + index : index, 1)
    return this
  }

  /** Exchanges the data of two packets; their times stay in order. */
  swap(a: number, b: number): this {
    const first = this.packets[a]
    const second = this.packets[b]
    this.packets[a] = { ...second, time: first.time }
    this.packets[b] = { ...first, time: second.time }
    return this
  }

  /** Cuts every packet to a snap length. */
  cut(snaplen: number): this {
    for (const [index, packet] of this.packets.entries())
      if (packet.data.length > snaplen)
        this.packets[index] = {
          data: packet.data.slice(0, snaplen),
          time: packet.time,
          length: packet.length ?? packet.data.length,
        }
    return this
  }

  feed(sink: PacketSink): this {
    feed(sink, this.packets)
    return this
  }
}

export function feed(sink: PacketSink, packets: Iterable<BuiltPacket>, link = ETHERNET): void {
  for (const { data, time, length } of packets)
    sink.packet(data, 0, data.length, length ?? data.length, time, link)
}

/** 1000 for the usual ends. Other connections differ in their initial sequence numbers, as they do in a network. */
function isnOf({ client = '', server = '', clientPort = 0, serverPort = 0 }: ConversationOptions): number {
  let hash = 0
  for (const char of client + server) hash = Math.imul(hash, 31) + char.charCodeAt(0)
  return 1000 + ((Math.imul(hash + clientPort * 65_536 + serverPort, 0x9e3779b1) >>> 1) & ~0xfff)
}
