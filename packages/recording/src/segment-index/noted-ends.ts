/** Of an enhanced packet block, in 32-bit words: the interface, the bytes captured, and the packet itself. */
const INTERFACE = 2
const CAPTURED = 5
const PACKET = 7

const LINKTYPE_ETHERNET = 1
/** EtherType and first byte of an IPv4 header without options, as they stand behind two Ethernet addresses. */
const PLAIN_IPV4 = 0x450008
const TCP = 6
const UDP = 17
/** Ports of overlays (VXLAN, Geneve), as they stand in the lower half of a word: others talk inside of these. */
const OVERLAYS = [4789, 8472, 6081].map((port) => ((port & 0xff) << 8) | (port >> 8))
const HEADERS = 14 + 20 + 4
/** Fragments do not tell their ports; bits for "more fragments" and the offset, in the order of bytes on the wire. */
const FRAGMENT_BITS = 0xff3f

const PLACES = 4096
const PLACE_WORDS = 4

/**
 * Remembers whose packets were noted in the present region, for the most frequent kinds: TCP and UDP over
 * IPv4 over Ethernet.
 * Of any other kind, and of ends that another pushed out, it knows nothing. It never says yes for a packet with
 * other addresses or ports than one before it.
 */
export class NotedEnds {
  readonly #places = new Int32Array(PLACES * PLACE_WORDS)

  /** Whether the ends of the packet block at `word` were noted in this region (not 0) already; from now on they are. */
  has(words: Int32Array, word: number, region: number, links: readonly number[]): boolean {
    const packet = word + PACKET
    if (links[words[word + INTERFACE]!] !== LINKTYPE_ETHERNET || words[word + CAPTURED]! < HEADERS)
      return false
    if ((words[packet + 3]! & 0xffffff) !== PLAIN_IPV4) return false
    const middle = words[packet + 5]!
    const protocol = middle >>> 24
    if ((protocol !== TCP && protocol !== UDP) || (middle & FRAGMENT_BITS) !== 0) return false
    // Addresses and ports as they stand in the words, together with nothing but each other.
    const second = words[packet + 7]!
    const third = words[packet + 8]!
    const fourth = words[packet + 9]!
    const edges = (words[packet + 6]! >>> 16) | (fourth << 16)
    if (protocol === UDP && OVERLAYS.includes(fourth & 0xffff)) return false
    const hash = Math.imul(second ^ Math.imul(third, 0x85ebca6b) ^ Math.imul(edges, 0xc2b2ae35), 0x9e3779b1)
    const place = (hash >>> 20) * PLACE_WORDS
    const places = this.#places
    if (
      places[place] === second &&
      places[place + 1] === third &&
      places[place + 2] === edges &&
      places[place + 3] === region
    )
      return true
    places[place] = second
    places[place + 1] = third
    places[place + 2] = edges
    places[place + 3] = region
    return false
  }
}
