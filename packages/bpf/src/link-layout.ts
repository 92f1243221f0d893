import { and, bits, compare, or, type Test, type Value } from './test-tree.ts'

const ETHER_IPV4 = 0x0800
const ETHER_IPV6 = 0x86dd
/** Values up to this are the length of an 802.3 frame. */
const MAX_LENGTH_FIELD = 1500
const VLAN_TYPES = [0x8100, 0x88a8, 0x9100]
/** AF_INET6 of Linux, NetBSD and OpenBSD, FreeBSD, macOS. */
const IPV6_FAMILIES = [10, 24, 28, 30]

/** linux/filter.h: load offsets from here on are relative to the network header. */
const NETWORK = 0xfff00000
/** The tag that the kernel took out of the frame. */
const TAKEN_TAG = 0xfffff000 + 44

type Kind = 'typed' | 'ip' | 'ipv4' | 'ipv6' | 'family' | 'unknown'

/** Where things lie in packets of one link layer. It moves while an expression is read: `vlan` shifts what follows. */
export class LinkLayout {
  readonly hasStations: boolean
  readonly #kind: Kind
  #typeAt: number
  #payloadAt: number
  #tagTaken = false

  private constructor(kind: Kind, typeAt: number, payloadAt: number, hasStations = false) {
    this.#kind = kind
    this.#typeAt = typeAt
    this.#payloadAt = payloadAt
    this.hasStations = hasStations
  }

  /** By LINKTYPE_*, as in capture files. */
  static of(link: number): LinkLayout {
    switch (link) {
      case 1:
        return new LinkLayout('typed', 12, 14, true)
      case 113:
        return new LinkLayout('typed', 14, 16)
      case 276:
        return new LinkLayout('typed', 0, 20)
      case 12:
      case 14:
      case 101:
        return new LinkLayout('ip', 0, 0)
      case 228:
        return new LinkLayout('ipv4', 0, 0)
      case 229:
        return new LinkLayout('ipv6', 0, 0)
      case 0:
      case 108:
        return new LinkLayout('family', 0, 4)
      default:
        return new LinkLayout('unknown', 0, 0)
    }
  }

  /** A frame that the kernel took the outer VLAN tag out of. */
  static untagged(): LinkLayout {
    const layout = LinkLayout.of(1)
    layout.#tagTaken = true
    return layout
  }

  /** In the kernel, any link layer: only the network header is known. */
  static network(): LinkLayout {
    return new LinkLayout('ip', NETWORK, NETWORK)
  }

  get payloadAt(): number {
    return this.#payloadAt
  }

  /** What follows the link layer is of this EtherType. */
  carries(type: number): Test {
    switch (this.#kind) {
      case 'typed':
        return type > MAX_LENGTH_FIELD
          ? compare(this.#type, '=', type)
          : and(compare(this.#type, '<=', MAX_LENGTH_FIELD), compare(this.payload(0, 1), '=', type))
      case 'ip':
        if (type === ETHER_IPV4) return bits(this.payload(0, 1), 0xf0, 0x40)
        return type === ETHER_IPV6 ? bits(this.payload(0, 1), 0xf0, 0x60) : NEVER
      case 'ipv4':
        return type === ETHER_IPV4 ? ALWAYS : NEVER
      case 'ipv6':
        return type === ETHER_IPV6 ? ALWAYS : NEVER
      case 'family':
        if (type === ETHER_IPV4) return family(2)
        return type === ETHER_IPV6 ? or(...IPV6_FAMILIES.map(family)) : NEVER
      case 'unknown':
        return NEVER
    }
  }

  /** Bytes counted from the network header. */
  payload(at: number, size: 1 | 2 | 4): Value {
    return { kind: 'load', size, from: this.#payloadAt + at }
  }

  /** A VLAN tag stands here, with this number if one is given. All that follows lies behind it. */
  vlan(id: number | undefined): Test {
    if (this.#kind !== 'typed') return NEVER
    if (this.#tagTaken) {
      this.#tagTaken = false
      return id === undefined ? ALWAYS : bits({ kind: 'load', size: 4, from: TAKEN_TAG }, 0xfff, id)
    }
    const tagged = or(...VLAN_TYPES.map((type) => this.carries(type)))
    const test = id === undefined ? tagged : and(tagged, bits(this.payload(0, 2), 0xfff, id))
    this.#typeAt = this.#payloadAt + 2
    this.#payloadAt += 4
    return test
  }

  get #type(): Value {
    return { kind: 'load', size: 2, from: this.#typeAt }
  }
}

export const ALWAYS: Test = { kind: 'constant', value: true }
export const NEVER: Test = { kind: 'constant', value: false }

/** In the byte order of the machine that captured, or of the network: families are small numbers. */
function family(value: number): Test {
  const word: Value = { kind: 'load', size: 4, from: 0 }
  return or(compare(word, '=', value), compare(word, '=', value * 0x1000000))
}
