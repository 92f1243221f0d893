import type { Arithmetic, Direction, Expression, Protocol, Transport } from './expression.ts'
import { ALWAYS, type LinkLayout, NEVER } from './link-layout.ts'
import { ETHER_TYPES, IP_PROTOCOLS } from './names.ts'
import { and, bits, compare, or, type Test, type Value } from './test-tree.ts'

const IPV4 = ETHER_TYPES.ip
const IPV6 = ETHER_TYPES.ip6
const IPV6_HEADER = 40
const FRAGMENT_HEADER = 44
const FRAGMENT_OFFSET = 0x1fff
const TRANSPORTS: readonly Transport[] = ['tcp', 'udp', 'sctp']
const BROADCAST = new Uint8Array(6).fill(0xff)
/** Where the sender's and the target's address lie, after the link layer. */
const ADDRESSES = { ip: [12, 16], arp: [14, 24], rarp: [14, 24], ip6: [8, 24] } as const

/** What an expression means for packets that lie like this. The meaning of each word is that of pcap-filter(7). */
export function lower(expression: Expression, layout: LinkLayout): Test {
  switch (expression.kind) {
    case 'all':
      return ALWAYS
    case 'and':
    case 'or': {
      // Left before right: `vlan` shifts what is read after it.
      const left = lower(expression.left, layout)
      return { kind: expression.kind, left, right: lower(expression.right, layout) }
    }
    case 'not':
      return { kind: 'not', of: lower(expression.of, layout) }
    case 'protocol':
      return protocol(expression.protocol, layout)
    case 'host':
      return host(expression, layout)
    case 'station':
      return layout.hasStations ? station(expression.address, expression.direction) : NEVER
    case 'port':
      return port(expression, layout)
    case 'proto':
      return proto(expression.layer, expression.value, layout)
    case 'cast':
      return cast(expression.cast, expression.layer, layout)
    case 'vlan':
      return layout.vlan(expression.id)
    case 'compare': {
      const conditions: Test[] = []
      const left = value(expression.left, layout, conditions)
      const right = value(expression.right, layout, conditions)
      return and(...conditions, { kind: 'compare', comparison: expression.comparison, left, right })
    }
  }
}

function protocol(name: Protocol, layout: LinkLayout): Test {
  if (Object.hasOwn(ETHER_TYPES, name)) return layout.carries(ETHER_TYPES[name])
  const layer =
    name === 'icmp6' ? 'ip6' : name === 'icmp' || name === 'igmp' || name === 'vrrp' ? 'ip' : undefined
  return proto(layer, IP_PROTOCOLS[name], layout)
}

function proto(layer: 'ether' | 'ip' | 'ip6' | undefined, number: number, layout: LinkLayout): Test {
  if (layer === 'ether') return layout.carries(number)
  if (layer === 'ip') return and(layout.carries(IPV4), compare(layout.payload(9, 1), '=', number))
  if (layer === undefined) return or(proto('ip', number, layout), proto('ip6', number, layout))
  const next = layout.payload(6, 1)
  const behindFragment = and(
    compare(next, '=', FRAGMENT_HEADER),
    compare(layout.payload(IPV6_HEADER, 1), '=', number),
  )
  return and(layout.carries(IPV6), or(compare(next, '=', number), behindFragment))
}

type Host = Extract<Expression, { kind: 'host' }>

function host({ layer, direction, address, mask }: Host, layout: LinkLayout): Test {
  const layers = layer
    ? [layer]
    : address.length === 4
      ? (['ip', 'arp', 'rarp'] as const)
      : (['ip6'] as const)
  return or(
    ...layers.map((one) =>
      and(
        layout.carries(ETHER_TYPES[one]),
        directed(direction, (end) => holds(layout, ADDRESSES[one][end], address, mask)),
      ),
    ),
  )
}

function holds(layout: LinkLayout, at: number, address: Uint8Array, mask: Uint8Array): Test {
  const words = Array.from({ length: address.length / 4 }, (_, word) => word * 4)
  return and(
    ...words.map((word) => bits(layout.payload(at + word, 4), word32(mask, word), word32(address, word))),
  )
}

function station(address: Uint8Array, direction: Direction): Test {
  return directed(direction, (end) => {
    const from = end === 0 ? 6 : 0
    const low = compare({ kind: 'load', size: 4, from: from + 2 }, '=', word32(address, 2))
    return and(low, compare({ kind: 'load', size: 2, from }, '=', (address[0] << 8) | address[1]))
  })
}

type Port = Extract<Expression, { kind: 'port' }>

function port({ transport, direction, low, high }: Port, layout: LinkLayout): Test {
  const within = (load: Value) =>
    low === high ? compare(load, '=', low) : and(compare(load, '>=', low), compare(load, '<=', high))
  const transports = transport ? [transport] : TRANSPORTS
  const in6 = or(
    ...transports.map((one) =>
      and(
        compare(layout.payload(6, 1), '=', IP_PROTOCOLS[one]),
        directed(direction, (end) => within(layout.payload(IPV6_HEADER + end * 2, 2))),
      ),
    ),
  )
  const in4 = or(
    ...transports.map((one) =>
      and(
        compare(layout.payload(9, 1), '=', IP_PROTOCOLS[one]),
        firstFragment(layout),
        directed(direction, (end) => within(inTransport(layout, end * 2, 2))),
      ),
    ),
  )
  return or(and(layout.carries(IPV6), in6), and(layout.carries(IPV4), in4))
}

/** Only the first fragment has a transport header. */
function firstFragment(layout: LinkLayout): Test {
  return bits(layout.payload(6, 2), FRAGMENT_OFFSET, 0)
}

function inTransport(layout: LinkLayout, at: number, size: 1 | 2 | 4): Value {
  return { kind: 'load', size, from: layout.payloadAt + at, headerAt: layout.payloadAt }
}

function directed(direction: Direction, test: (end: 0 | 1) => Test): Test {
  switch (direction) {
    case 'src':
      return test(0)
    case 'dst':
      return test(1)
    case 'either':
      return or(test(0), test(1))
    case 'both':
      return and(test(0), test(1))
  }
}

function cast(kind: 'broadcast' | 'multicast', layer: 'ether' | 'ip' | 'ip6', layout: LinkLayout): Test {
  if (layer === 'ip') return and(layout.carries(IPV4), compare(layout.payload(16, 1), '>=', 224))
  if (layer === 'ip6') return and(layout.carries(IPV6), compare(layout.payload(24, 1), '=', 255))
  if (!layout.hasStations) return NEVER
  return kind === 'broadcast' ? station(BROADCAST, 'dst') : bits({ kind: 'load', size: 1, from: 0 }, 1, 1)
}

/** A value, and into `conditions` what a packet must be for its bytes to mean anything. */
function value(arithmetic: Arithmetic, layout: LinkLayout, conditions: Test[]): Value {
  switch (arithmetic.kind) {
    case 'number':
    case 'length':
      return arithmetic
    case 'binary': {
      const left = value(arithmetic.left, layout, conditions)
      return { ...arithmetic, left, right: value(arithmetic.right, layout, conditions) }
    }
    case 'bytes': {
      const index = value(arithmetic.index, layout, conditions)
      return { ...place(arithmetic.protocol, arithmetic.size, layout, conditions), index }
    }
  }
}

function place(
  name: Protocol,
  size: 1 | 2 | 4,
  layout: LinkLayout,
  conditions: Test[],
): Extract<Value, { kind: 'load' }> {
  if (name === 'ether') return { kind: 'load', size, from: 0 }
  const from = layout.payloadAt
  if (Object.hasOwn(ETHER_TYPES, name)) {
    conditions.push(layout.carries(ETHER_TYPES[name]))
    return { kind: 'load', size, from }
  }
  if (name === 'icmp6') {
    conditions.push(layout.carries(IPV6), compare(layout.payload(6, 1), '=', IP_PROTOCOLS.icmp6))
    return { kind: 'load', size, from: from + IPV6_HEADER }
  }
  // Only after an IPv4 header: the length of an IPv6 header chain is unknown here.
  conditions.push(layout.carries(IPV4), protocol(name, layout), firstFragment(layout))
  return { kind: 'load', size, from, headerAt: from }
}

function word32(bytes: Uint8Array, at: number): number {
  return ((bytes[at] << 24) | (bytes[at + 1] << 16) | (bytes[at + 2] << 8) | bytes[at + 3]) >>> 0
}
