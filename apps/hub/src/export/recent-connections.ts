const ETHERNET = 1
/** From the start of the frame. */
const TYPE = 12
const IP = 14
const PORTS = 34
const TCP = 6

const PLACES = 8192
/** Addresses and ports, of which both ports are one word. */
const WORDS = 3

/**
 * Remembers which plain packets were looked at lately, by the bytes that alone say whose they are: TCP over IPv4 in
 * Ethernet, no options, no fragment, no tunnel. Nearly all packets are such, and to open each would cost more than
 * to copy it. One that is forgotten is opened again.
 */
export class RecentConnections {
  readonly #words = new Int32Array(PLACES * WORDS)
  #place = -1
  #source = 0
  #destination = 0
  #ports = 0

  has(data: Uint8Array, start: number, end: number, link: number): boolean {
    this.#place = -1
    if (link !== ETHERNET || end - start < PORTS + 4) return false
    const ip = start + IP
    if (
      data[start + TYPE] !== 8 ||
      data[start + TYPE + 1] !== 0 ||
      data[ip] !== 0x45 ||
      data[ip + 9] !== TCP ||
      (data[ip + 6]! & 0x3f) !== 0 ||
      data[ip + 7] !== 0
    )
      return false
    const source = word(data, ip + 12)
    const destination = word(data, ip + 16)
    const ports = word(data, ip + 20)
    const mixed = Math.imul(
      source ^ Math.imul(destination, 0x2c1b3c6d) ^ Math.imul(ports, 0x297a2d39),
      0x45d9f3b,
    )
    const place = WORDS * ((mixed ^ (mixed >>> 15)) & (PLACES - 1))
    const words = this.#words
    if (words[place] === source && words[place + 1] === destination && words[place + 2] === ports) return true
    this.#place = place
    this.#source = source
    this.#destination = destination
    this.#ports = ports
    return false
  }

  /** The packet that was asked for last. */
  add(): void {
    if (this.#place < 0) return
    this.#words[this.#place] = this.#source
    this.#words[this.#place + 1] = this.#destination
    this.#words[this.#place + 2] = this.#ports
  }
}

function word(data: Uint8Array, at: number): number {
  return (data[at]! << 24) | (data[at + 1]! << 16) | (data[at + 2]! << 8) | data[at + 3]!
}
