import { PROTOCOL } from './ip/protocol.ts'
import { FRAGMENT, openTransport } from './open-transport.ts'
import { Packet } from './packet.ts'
import { parseAddress } from './parse-address.ts'

const ADDRESS = 0x51ed270b
const PORT = 0x2545f491
/** Two addresses for each layer of tunnels, and two ports. */
const MAX_KEYS = 24

/** The key of a fragment, whose ports are unknown: it may belong to any port. */
export const ANY_PORT_KEY = 0x1b873593

/** The key of an address in `PacketKeys`. Throws `Malformed` where the text is not an address. */
export function addressKey(text: string): number {
  const bytes = parseAddress(text)
  return hashOf(bytes, 0, bytes.length, ADDRESS)
}

/** The key of a port in `PacketKeys`. */
export function portKey(port: number): number {
  return hashNumber(port, PORT)
}

/**
 * Hashes of the addresses of all IP headers of a packet, tunnels included, and of the ports of the innermost transport.
 * Different values may share a key: an absent key proves absence, a present one only suggests. No object a packet:
 * read `keys[0, count)` before the next `read`.
 */
export class PacketKeys {
  readonly keys = new Int32Array(MAX_KEYS)
  count = 0
  readonly #packet = new Packet()
  readonly #met = (packet: Packet): void => {
    const size = packet.v6 ? 16 : 4
    this.#add(hashOf(packet.data, packet.src, packet.src + size, ADDRESS))
    this.#add(hashOf(packet.data, packet.dst, packet.dst + size, ADDRESS))
  }

  read(data: Uint8Array, start: number, end: number, length: number, link: number): void {
    this.count = 0
    const packet = this.#packet
    packet.begin(data, start, end, length, 0)
    const protocol = openTransport(packet, link, this.#met)
    if (protocol === FRAGMENT) this.#add(ANY_PORT_KEY)
    if (protocol !== PROTOCOL.tcp && protocol !== PROTOCOL.udp && protocol !== PROTOCOL.sctp) return
    const { at } = packet
    if (at + 4 > packet.end) return
    this.#add(portKey((data[at] << 8) | data[at + 1]))
    this.#add(portKey((data[at + 2] << 8) | data[at + 3]))
  }

  #add(key: number): void {
    if (this.count < MAX_KEYS) this.keys[this.count++] = key
  }
}

function hashOf(bytes: Uint8Array, start: number, end: number, seed: number): number {
  let hash = seed
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
  return Math.imul(hash ^ (hash >>> 15), 0x85ebca6b)
}

function hashNumber(value: number, seed: number): number {
  const hash = Math.imul(seed ^ value, 0x9e3779b1)
  return hash ^ (hash >>> 16)
}
