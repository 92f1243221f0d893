const PLACES = 8192
const PLACE_WORDS = 4
/** A packet is forwarded from one interface to the next within this many microseconds, or it is another packet. */
const TWIN_MICROS = 20_000

const ETHERNET = 14
const TAG = 4
const ETHER_TYPE_VLAN = 0x8100
const IPV4 = 0x0800
const IPV6 = 0x86dd
const IPV6_HEADER = 40
const TCP = 6

/**
 * Finds packets that pass several interfaces of this machine, as from a pod through a bridge to another pod: the same
 * addresses, ports, numbers and first bytes, on another interface, a moment later. On the same interface it
 * is sent again, which is no twin. What a router rewrites (MAC addresses, time to live, checksums) does not count; where
 * addresses are translated on the way the packets differ, and both are needed to follow both conversations.
 */
export class TwinPackets {
  readonly #places = new Int32Array(PLACES * PLACE_WORDS)
  #first = 0
  #second = 0

  /** Whether the frame at `[start, end)` was seen on another interface just before; `micros` is the time, modulo 2^32. */
  has(
    bytes: Uint8Array,
    start: number,
    end: number,
    ethernet: boolean,
    interfaceIndex: number,
    micros: number,
  ): boolean {
    if (!this.#read(bytes, ethernet ? networkHeader(bytes, start) : start, end)) return false
    const places = this.#places
    const place = (this.#first >>> 19) * PLACE_WORDS
    const age = (micros - places[place + 3]) | 0
    const known = places[place] === this.#first && places[place + 1] === this.#second
    if (known && places[place + 2] !== interfaceIndex && age >= 0 && age < TWIN_MICROS) return true
    places[place] = this.#first
    places[place + 1] = this.#second
    places[place + 2] = interfaceIndex
    places[place + 3] = micros
    return false
  }

  /** False where it is no IP packet, or too short to tell it from another. */
  #read(bytes: Uint8Array, ip: number, end: number): boolean {
    this.#first = 0x811c9dc5 | 0
    this.#second = 0
    const version = ip < end ? bytes[ip] >> 4 : 0
    if (version === 4) {
      const transport = ip + ((bytes[ip] & 15) << 2)
      // Length, identification and place in the datagram; then who talks to whom.
      this.#mix(bytes, ip + 2, ip + 8)
      this.#mix(bytes, ip + 9, ip + 10)
      this.#mix(bytes, ip + 12, ip + 20)
      return this.#transport(bytes, transport, end, bytes[ip + 9])
    }
    if (version !== 6) return false
    this.#mix(bytes, ip + 4, ip + 7)
    this.#mix(bytes, ip + 8, ip + IPV6_HEADER)
    return this.#transport(bytes, ip + IPV6_HEADER, end, bytes[ip + 6])
  }

  /** Ports, then what follows: numbers of TCP, or of anything else the first bytes behind length and checksum. */
  #transport(bytes: Uint8Array, at: number, end: number, protocol: number): boolean {
    if (at + 8 > end) return false
    const numbered = protocol === TCP
    this.#mix(bytes, at, numbered ? at + 8 : at + 6)
    this.#mix(bytes, at + 8, Math.min(end, numbered ? at + 16 : at + 40))
    return true
  }

  #mix(bytes: Uint8Array, from: number, to: number): void {
    let first = this.#first
    let second = this.#second
    for (let at = from; at < to; at++) {
      first = Math.imul(first ^ bytes[at], 0x01000193)
      second = Math.imul(second + bytes[at] + 1, 0x85ebca6b) ^ (second >>> 15)
    }
    this.#first = first
    this.#second = second
  }
}

/** Where the IP header begins, behind one VLAN tag at most; 0 bytes of a packet where it is none. */
function networkHeader(bytes: Uint8Array, start: number): number {
  const type = (bytes[start + 12] << 8) | bytes[start + 13]
  if (type === IPV4 || type === IPV6) return start + ETHERNET
  return type === ETHER_TYPE_VLAN ? start + ETHERNET + TAG : Number.MAX_SAFE_INTEGER
}
