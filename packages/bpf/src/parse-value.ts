import { parseIPv4, parseIp } from '@tapdeck/ip'
import { parseIPv4Prefix, parseStation, prefixMask } from './addresses.ts'
import type { Expression, Transport } from './expression.ts'
import { ETHER_TYPES, IP_PROTOCOLS, KEYWORDS, SERVICES } from './names.ts'
import { nearest } from './nearest.ts'
import type { Qualifiers } from './qualifiers.ts'
import type { Token } from './token.ts'
import type { TokenCursor } from './token-cursor.ts'

/** The value after qualifiers: an address, a net, a port, a range of ports, a protocol. */
export function parseValue(cursor: TokenCursor, qualifiers: Qualifiers): Expression {
  switch (qualifiers.kind) {
    case 'host':
      return qualifiers.protocol === 'ether' ? station(cursor, qualifiers) : host(cursor, qualifiers)
    case 'net':
      return net(cursor, qualifiers)
    case 'port':
    case 'portrange':
      return ports(cursor, qualifiers)
    case 'proto':
      return proto(cursor, qualifiers)
  }
}

function station(cursor: TokenCursor, { direction = 'either' }: Qualifiers): Expression {
  const token = cursor.peek()
  const address = parseStation(token.text)
  if (!address)
    throw cursor.wrong(token, `"${cursor.written(token)}" is no Ethernet address.`, {
      expected: ['00:11:22:33:44:55'],
    })
  cursor.next()
  return { kind: 'station', direction, address }
}

function host(cursor: TokenCursor, qualifiers: Qualifiers): Expression {
  const token = cursor.peek()
  if (parseStation(token.text))
    throw cursor.wrong(token, 'This is an Ethernet address.', { suggestion: `ether host ${token.text}` })
  const address = ipAddress(token)
  if (!address || (address.length !== 4 && address.length !== 16))
    throw cursor.wrong(token, `"${cursor.written(token)}" is no IP address; names are not looked up.`, {
      expected: ['10.0.0.1', 'fd00::1'],
      ...(address && { suggestion: `net ${token.text}` }),
    })
  if (cursor.is('/', 1))
    throw cursor.wrong(token, 'A host has no prefix length.', {
      to: cursor.peek(2),
      suggestion: `net ${token.text}/${cursor.peek(2).text}`,
    })
  cursor.next()
  return addressed(cursor, token, qualifiers, address, prefixMask(128, address.length))
}

function net(cursor: TokenCursor, qualifiers: Qualifiers): Expression {
  const token = cursor.peek()
  const written = ipAddress(token)
  if (!written)
    throw cursor.wrong(token, `"${cursor.written(token)}" is no net.`, {
      expected: ['10.0.0.0/8', 'fd00::/8'],
    })
  cursor.next()
  const size = written.length === 16 ? 16 : 4
  const address = new Uint8Array(size)
  address.set(written)
  let last = token
  let mask = prefixMask(written.length * 8, size)
  if (cursor.take('/')) {
    last = cursor.peek()
    if (last.kind !== 'number' || last.value > size * 8)
      throw cursor.wrong(last, `A prefix length is 0 to ${size * 8}.`, { expected: ['prefix length'] })
    cursor.next()
    mask = prefixMask(last.value, size)
  } else if (size === 4 && cursor.take('mask')) {
    last = cursor.peek()
    const given = last.kind === 'address' ? parseIPv4(last.text) : undefined
    if (given === undefined) throw cursor.wrong(last, 'This is no mask.', { expected: ['255.255.255.0'] })
    cursor.next()
    mask = given
  }
  if (address.some((byte, at) => (byte & ~mask[at]) !== 0)) {
    const base = address.map((byte, at) => byte & mask[at])
    const suggestion = size === 4 ? `${base.join('.')}${cursor.text.slice(token.end, last.end)}` : undefined
    throw cursor.wrong(token, 'The address has bits beyond its mask.', {
      to: last,
      ...(suggestion && { suggestion }),
    })
  }
  return addressed(cursor, token, qualifiers, address, mask)
}

/** A bare number is the first byte of a net, as in `net 10`. */
function ipAddress({ kind, text }: Token): Uint8Array | undefined {
  if (kind === 'address') return text.includes(':') ? parseIp(text) : parseIPv4Prefix(text)
  return kind === 'number' ? parseIPv4Prefix(text) : undefined
}

function addressed(
  cursor: TokenCursor,
  token: Token,
  { protocol, direction = 'either' }: Qualifiers,
  address: Uint8Array,
  mask: Uint8Array,
): Expression {
  const fits = address.length === 4 ? ['ip', 'arp', 'rarp'] : ['ip6']
  if (protocol !== undefined && !fits.includes(protocol))
    throw cursor.wrong(token, `"${protocol}" packets have no address of this kind.`, {
      expected: fits,
      suggestion: `${protocol} and host ${token.text}`,
    })
  const layer = protocol as 'ip' | 'ip6' | 'arp' | 'rarp' | undefined
  return { kind: 'host', direction, address, mask, ...(layer && { layer }) }
}

const TRANSPORTS: readonly string[] = ['tcp', 'udp', 'sctp'] satisfies Transport[]

function ports(cursor: TokenCursor, { protocol, direction = 'either', kind }: Qualifiers): Expression {
  const first = cursor.peek()
  if (protocol !== undefined && !TRANSPORTS.includes(protocol))
    throw cursor.wrong(first, `"${protocol}" has no ports.`, {
      expected: TRANSPORTS,
      suggestion: `${protocol} and ${kind} ${cursor.written(first)}`,
    })
  const one = port(cursor)
  let other = one
  if (cursor.is('-')) {
    if (kind === 'port')
      throw cursor.wrong(first, 'A range of ports is a portrange.', {
        to: cursor.peek(1),
        suggestion: `portrange ${first.text}-${cursor.peek(1).text}`,
      })
    cursor.next()
    other = port(cursor)
  }
  const transport = protocol as Transport | undefined
  return {
    kind: 'port',
    direction,
    low: Math.min(one, other),
    high: Math.max(one, other),
    ...(transport && { transport }),
  }
}

function port(cursor: TokenCursor): number {
  const token = cursor.peek()
  if (token.kind === 'number' && token.value <= 65_535) return cursor.next().value
  if (token.kind === 'number')
    throw cursor.wrong(token, `"${token.text}" is no port.`, { expected: ['0 to 65535'] })
  if (token.kind === 'word' && Object.hasOwn(SERVICES, token.text)) return SERVICES[cursor.next().text]
  if (token.kind !== 'word') throw cursor.unexpected(['port number'])
  const suggestion = nearest(token.text, [...Object.keys(SERVICES), ...KEYWORDS])
  throw cursor.wrong(token, `"${token.text}" is no port that is known by name.`, {
    expected: ['port number', 'http'],
    ...(suggestion && { suggestion }),
  })
}

function proto(cursor: TokenCursor, { protocol, direction }: Qualifiers): Expression {
  const token = cursor.peek()
  if (direction !== undefined) throw cursor.wrong(token, 'A protocol has no direction.')
  if (protocol !== undefined && protocol !== 'ether' && protocol !== 'ip' && protocol !== 'ip6')
    throw cursor.wrong(token, `"${protocol}" names no other protocol.`, { expected: ['ether', 'ip', 'ip6'] })
  const names = protocol === 'ether' ? ETHER_TYPES : IP_PROTOCOLS
  const most = protocol === 'ether' ? 0xffff : 0xff
  const layer = protocol && { layer: protocol }
  if (token.kind === 'number' && token.value <= most)
    return { kind: 'proto', value: cursor.next().value, ...layer }
  if (token.kind === 'number')
    throw cursor.wrong(token, `"${token.text}" is no protocol.`, { expected: [`0 to ${most}`] })
  if (token.kind === 'word' && Object.hasOwn(names, token.text))
    return { kind: 'proto', value: names[cursor.next().text], ...layer }
  throw cursor.unexpected(['protocol number', ...Object.keys(names)], nearest(token.text, Object.keys(names)))
}
