import type { ByteBudget } from '../byte-budget.ts'
import type { Loss } from '../loss.ts'
import type { Packet } from '../packet.ts'
import { PieceList } from '../piece-list.ts'

const MAX_DATAGRAM = 65_535

class PartialDatagram {
  readonly pieces = new PieceList()
  /** From the first fragment (RFC 8200). */
  protocol: number
  readonly time: number
  count = 0
  /** Bytes of all frames that brought a piece. */
  length = 0
  /** Payload bytes of the whole datagram; -1 before its last fragment came. */
  total = -1
  /** Fixed IP header with the addresses. */
  readonly header: Uint8Array

  constructor(header: Uint8Array, protocol: number, time: number) {
    this.header = header
    this.protocol = protocol
    this.time = time
  }
}

/** Reassembles IP fragments. Bounded in bytes, datagrams and packet time; the oldest are dropped first. */
export class Fragments {
  readonly #partials = new Map<string, PartialDatagram>()
  readonly #budget: ByteBudget
  readonly #loss: Loss
  readonly #maxDatagrams: number
  readonly #wait: number

  constructor(budget: ByteBudget, maxDatagrams: number, wait: number, loss: Loss) {
    this.#budget = budget
    this.#maxDatagrams = maxDatagrams
    this.#wait = wait
    this.#loss = loss
  }

  get size(): number {
    return this.#partials.size
  }

  /**
   * Takes a fragment. True: the datagram is complete, and `packet` is now at its payload. False: fragments are missing,
   * or this one is malformed and was counted.
   */
  take(packet: Packet): boolean {
    const size = packet.wire - packet.at
    const stop = packet.fragmentOffset + size
    if (size <= 0 || stop > MAX_DATAGRAM || (packet.moreFragments && (size & 7) !== 0)) {
      this.#loss.malformed_packets = (this.#loss.malformed_packets ?? 0) + 1
      return false
    }
    const key = keyOf(packet)
    let partial = this.#partials.get(key)
    if (partial === undefined) {
      if (this.#partials.size >= this.#maxDatagrams) this.#dropOldest()
      const header = packet.data.slice(packet.ip, packet.ip + (packet.v6 ? 40 : 20))
      partial = new PartialDatagram(header, packet.protocol, packet.time)
      this.#partials.set(key, partial)
    }
    const before = partial.pieces.cost
    const { fragmentOffset: seq, data, at: start, end, time } = packet
    partial.pieces.insert({ seq, length: size, data, start, end, time, ack: 0, packets: 0 })
    this.#budget.book(partial.pieces.cost - before)
    partial.count++
    partial.length += packet.length
    if (packet.fragmentOffset === 0) partial.protocol = packet.protocol
    if (!packet.moreFragments) partial.total = stop
    if (isWhole(partial)) {
      this.#remove(key, partial)
      assemble(partial, packet)
      return true
    }
    while (this.#budget.exhausted && this.#partials.size > 0) this.#dropOldest()
    return false
  }

  /** Forgets datagrams whose first fragment came too long before `now`. */
  expire(now: number): void {
    for (const [key, partial] of this.#partials) {
      if (now - partial.time <= this.#wait) return
      this.#remove(key, partial)
      this.#loss.fragments_expired = (this.#loss.fragments_expired ?? 0) + partial.count
    }
  }

  clear(): void {
    for (const [key, partial] of this.#partials) {
      this.#remove(key, partial)
      this.#loss.fragments_expired = (this.#loss.fragments_expired ?? 0) + partial.count
    }
  }

  #remove(key: string, partial: PartialDatagram): void {
    this.#budget.book(-partial.pieces.cost)
    this.#partials.delete(key)
  }

  #dropOldest(): void {
    for (const [key, partial] of this.#partials) {
      this.#remove(key, partial)
      this.#loss.reassembly_overflow = (this.#loss.reassembly_overflow ?? 0) + partial.count
      return
    }
  }
}

/** Addresses, identification and, for IPv4, the protocol: what fragments of one datagram share. */
function keyOf(packet: Packet): string {
  const stop = packet.dst + (packet.v6 ? 16 : 4)
  let key = packet.v6 ? '6' : String.fromCharCode(packet.protocol)
  for (let at = packet.src; at < stop; at++) key += String.fromCharCode(packet.data[at])
  return key + packet.fragmentId
}

function isWhole(partial: PartialDatagram): boolean {
  if (partial.total < 0 || partial.pieces.covered < partial.total) return false
  let reached = 0
  for (let piece = partial.pieces.head; piece !== undefined; piece = piece.next) {
    if (piece.seq !== reached) return false
    reached = piece.seq + piece.length
  }
  return reached >= partial.total
}

/** A fragment that the snap length cut ends the datagram there. */
function assemble(partial: PartialDatagram, packet: Packet): void {
  const size = partial.header.length
  const whole = new Uint8Array(size + partial.total)
  whole.set(partial.header)
  let end = 0
  for (let piece = partial.pieces.head; piece !== undefined; piece = piece.next) {
    if (piece.seq >= partial.total) break
    const kept = Math.min(piece.bytes.length, partial.total - piece.seq)
    whole.set(piece.bytes.subarray(0, kept), size + piece.seq)
    end = piece.seq + kept
    if (kept < piece.length) break
  }
  packet.show(whole)
  packet.ip = 0
  packet.src = packet.v6 ? 8 : 12
  packet.dst = packet.v6 ? 24 : 16
  packet.at = size
  packet.end = size + end
  packet.wire = size + partial.total
  packet.protocol = partial.protocol
  packet.length = partial.length
  packet.fragment = false
}
