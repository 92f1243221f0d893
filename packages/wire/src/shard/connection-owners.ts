import { PROTOCOL } from '../ip/protocol.ts'
import type { Packet } from '../packet.ts'
import { ACK, SYN } from '../tcp/tcp-flags.ts'
import { flowHash } from './flow-hash.ts'

/** Of a TCP segment: shorter ones are followed by no thread. */
const MIN_HEADER = 20
/** Views of a connection begin within this time, microseconds. */
const VIEWS_WITHIN_US = 3_000_000
/** Connections whose beginning is remembered, and views that another shard follows; above that the oldest is forgotten. */
const MAX_BEGUN = 65_536
const MAX_MOVED = 65_536
/** Bits by which the packet filter finds views that another shard follows. */
const MOVED_BITS = 1 << 17
const MOVED_SHIFT = 15

/**
 * The shard of each packet: that of its connection. By default a hash of the client's end decides, which translation of the server's
 * address does not change. Where the client's address or port is translated, too, the SYN shows it: it has the same sequence number.
 * Then the shard that follows the first view follows the others. Each shard sees all SYNs, so all of them agree.
 */
export class ConnectionOwners {
  /** A bit for each hash of a view that another shard follows; undefined while there is none. */
  moved: Uint8Array | undefined
  readonly #count: number
  /** By the client's initial sequence number: who follows the connection, and since when. */
  readonly #begun = new Map<number, { readonly owner: number; readonly time: number }>()
  readonly #owners = new Map<string, number>()

  constructor(count: number) {
    this.#count = count
  }

  /** Of a packet at its transport header. */
  ownerOf(packet: Packet, hasPorts: boolean): number {
    const hash = flowHash(packet, hasPorts)
    const owner = Math.floor((hash * this.#count) / 2 ** 32)
    if (packet.protocol !== PROTOCOL.tcp || packet.at + MIN_HEADER > packet.end) return owner
    const isSyn = (packet.data[packet.at + 13]! & (SYN | ACK)) === SYN
    if (isSyn) return this.#begin(packet, hash, owner)
    return this.#isMoved(hash) ? (this.#owners.get(keyOf(packet)) ?? owner) : owner
  }

  #begin(packet: Packet, hash: number, owner: number): number {
    const number = packet.view.getInt32(packet.at + 4)
    const begun = this.#begun.get(number)
    if (begun !== undefined && Math.abs(packet.time - begun.time) <= VIEWS_WITHIN_US) {
      if (begun.owner !== owner || this.#isMoved(hash)) this.#move(keyOf(packet), hash, begun.owner)
      return begun.owner
    }
    // The shard that followed the connection before on these ports learns that it is over.
    const present = this.#isMoved(hash) ? (this.#owners.get(keyOf(packet)) ?? owner) : owner
    this.#begun.delete(number)
    this.#begun.set(number, { owner: present, time: packet.time })
    dropOldest(this.#begun, MAX_BEGUN)
    return present
  }

  #move(key: string, hash: number, owner: number): void {
    this.moved ??= new Uint8Array(MOVED_BITS >> 3)
    const bit = hash >>> MOVED_SHIFT
    this.moved[bit >> 3]! |= 1 << (bit & 7)
    this.#owners.set(key, owner)
    dropOldest(this.#owners, MAX_MOVED)
  }

  #isMoved(hash: number): boolean {
    if (this.moved === undefined) return false
    const bit = hash >>> MOVED_SHIFT
    return (this.moved[bit >> 3]! & (1 << (bit & 7))) !== 0
  }
}

function dropOldest<Key>(map: Map<Key, unknown>, most: number): void {
  if (map.size <= most) return
  const [oldest] = map.keys()
  map.delete(oldest!)
}

/** Both ends, the same for both directions. */
function keyOf({ data, view, at, src, dst, v6 }: Packet): string {
  const size = v6 ? 16 : 4
  const source = `${data.subarray(src, src + size)} ${view.getUint16(at)}`
  const destination = `${data.subarray(dst, dst + size)} ${view.getUint16(at + 2)}`
  return source < destination ? `${source} ${destination}` : `${destination} ${source}`
}
