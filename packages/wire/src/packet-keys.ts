import { PROTOCOL } from './ip/protocol.ts'
import { FRAGMENT, openTransport } from './open-transport.ts'
import { Packet } from './packet.ts'
import { parseAddress } from './parse-address.ts'

const ADDRESS = 0x51ed270b
const PORT = 0x2545f491
/** Every layer of tunnels has two addresses; ports are those of the innermost. */
const MOST_KEYS = 24

/** Where no packet can be skipped for its port: a fragment does not tell which it belongs to. */
export const ANY_PORT_KEY = 0x1b873593

/** The number that stands for an address in `PacketKeys`. Throws `Malformed` where the text is none. */
export function addressKey(text: string): number {
  const bytes = parseAddress(text)
  return hashOf(bytes, 0, bytes.length, ADDRESS)
}

/** The number that stands for a port in `PacketKeys`. */
export function portKey(port: number): number {
  return hashNumber(port, PORT)
}

/**
 * Numbers for who takes part in a packet: the addresses of all its IP headers, tunnels included, and the ports of the
 * innermost transport. Different ends may share a number, so a number that is absent proves absence and one
 * that is present only suggests. No object a packet: read `keys[0, count)` before the next `read`.
 */
export class PacketKeys {
  readonly keys = new Int32Array(MOST_KEYS)
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
    if (this.count < MOST_KEYS) this.keys[this.count++] = key
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
