import fc from 'fast-check'
import { hosts4, hosts6, ports, stations, vlans } from './arbitrary-packet.ts'

const direction = fc.constantFrom('', 'src ', 'dst ', 'src or dst ', 'src and dst ')
const transport = fc.constantFrom('', 'tcp ', 'udp ', 'sctp ')
const port = fc.constantFrom(...ports)
const vlan = fc.oneof(
  fc.constant('vlan'),
  fc.constantFrom(...vlans).map((id) => `vlan ${id}`),
)

const primitive = fc.oneof(
  fc.constantFrom(
    'ip',
    'ip6',
    'arp',
    'rarp',
    'tcp',
    'udp',
    'sctp',
    'icmp',
    'icmp6',
    'igmp',
    'pim',
    'vrrp',
    'esp',
  ),
  fc.tuple(direction, fc.constantFrom(...hosts4, ...hosts6)).map(([way, host]) => `${way}host ${host}`),
  fc
    .tuple(fc.constantFrom('ip ', 'arp ', 'rarp '), direction, fc.constantFrom(...hosts4))
    .map(([layer, way, host]) => `${layer}${way}host ${host}`),
  fc.tuple(direction, fc.constantFrom(...hosts6)).map(([way, host]) => `ip6 ${way}host ${host}`),
  fc
    .tuple(
      direction,
      fc.constantFrom(
        '10.0.0.0/8',
        '10.0',
        '10',
        '192.168.1',
        '0.0.0.0/0',
        'fd00::/16',
        'fd00:1::/33',
        '::/0',
      ),
    )
    .map(([way, net]) => `${way}net ${net}`),
  direction.map((way) => `${way}net 10.0.0.0 mask 255.255.0.0`),
  fc.tuple(transport, direction, port).map(([over, way, one]) => `${over}${way}port ${one}`),
  fc.tuple(transport, direction, port, port).map(([over, way, a, b]) => `${over}${way}portrange ${a}-${b}`),
  fc.tuple(direction, port, port, port).map(([way, a, b, c]) => `${way}port ${a} or ${b} and not ${c}`),
  fc.tuple(direction, port, port).map(([way, a, b]) => `${way}port (${a} or ${b})`),
  fc.tuple(fc.constantFrom(...hosts4), fc.constantFrom(...hosts4)).map(([a, b]) => `src host ${a} or ${b}`),
  fc
    .tuple(fc.constantFrom('ip ', 'ip6 ', ''), fc.constantFrom('6', '17', '\\udp', '58'))
    .map(([l, p]) => `${l}proto ${p}`),
  fc.integer({ min: 0, max: 120 }).chain((n) => fc.constantFrom(`less ${n}`, `greater ${n}`, `len != ${n}`)),
  fc.constantFrom('ip multicast', 'ip6 multicast'),
)

const onEthernet = fc.oneof(
  fc
    .tuple(fc.constantFrom('src', 'dst', 'host'), fc.constantFrom(...stations))
    .map(([way, one]) => `ether ${way} ${one}`),
  fc.constantFrom(
    'ether broadcast',
    'ether multicast',
    'broadcast',
    'multicast',
    'ether proto 0x88cc',
    'ether proto \\arp',
  ),
  fc.constant('ether[12:2] > 1500'),
  vlan,
)

const index = fc.oneof(fc.integer({ min: 0, max: 24 }), fc.constantFrom(60, 70000, 0xffffffff)).map(String)

const plain = fc.oneof(
  fc.constantFrom('len', '(tcp-syn|tcp-fin)'),
  fc.integer({ min: 0, max: 300 }).map(String),
)

function arithmetic(ethernet: boolean, common: boolean): fc.Arbitrary<string> {
  const protocols = [
    'ip',
    'ip6',
    'arp',
    'tcp',
    'udp',
    'sctp',
    'icmp',
    'icmp6',
    'igmp',
    ...(ethernet ? ['ether'] : []),
  ]
  const { value } = fc.letrec<{ value: string; bytes: string }>((tie) => ({
    bytes: fc
      .tuple(
        fc.constantFrom(...protocols),
        fc.oneof({ weight: 4, arbitrary: index }, tie('value')),
        fc.constantFrom('', ':1', ':2', ':4'),
      )
      .map(([protocol, at, size]) => `${protocol}[${at}${size}]`),
    value: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.oneof(fc.integer({ min: 0, max: 300 }), fc.constantFrom(0xffffffff, 0x80000000)).map(String),
      fc.constantFrom('len', 'tcp[tcpflags]', 'icmp[icmptype]', '(tcp-syn|tcp-fin)', 'icmp6[icmp6type]'),
      tie('bytes'),
      fc
        .tuple(tie('value'), fc.constantFrom('+', '-', '*', '&', '|', '^'), common ? plain : tie('value'))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(tie('value'), fc.constantFrom('/', '%', '<<', '>>'), fc.integer({ min: 1, max: 31 }))
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
      fc
        .tuple(
          tie('bytes'),
          fc.constantFrom('/', '%', '<<', '>>'),
          common ? fc.constant('len') : tie('bytes'),
        )
        .map(([left, operator, right]) => `(${left} ${operator} ${right})`),
    ),
  }))
  return value
}

/**
 * Expressions that our parser takes. Of `common` ones libpcap says the same: it forgets to ask for the protocol of
 * bytes to the right of an operator.
 */
export function arbitraryExpression(link: number, common = false): fc.Arbitrary<string> {
  const ethernet = link === 1
  const value = arithmetic(ethernet, common)
  const comparison = fc
    .tuple(value, fc.constantFrom('=', '==', '!=', '>', '<', '>=', '<='), value)
    .map(([left, comparison, right]) => `${left} ${comparison} ${right}`)
  const single = fc.oneof(
    { weight: 4, arbitrary: primitive },
    { weight: 2, arbitrary: comparison },
    ...(ethernet ? [{ weight: 2, arbitrary: onEthernet }] : []),
  )
  return fc.letrec<{ expression: string }>((tie) => ({
    expression: fc.oneof(
      { depthSize: 'medium', withCrossShrink: true },
      single,
      fc
        .tuple(tie('expression'), fc.constantFrom('and', 'or', '&&', '||'), tie('expression'))
        .map(([left, operator, right]) => `${left} ${operator} ${right}`),
      tie('expression').map((inner) => `not (${inner})`),
      tie('expression').map((inner) => `(${inner})`),
      single.map((inner) => `! ${inner}`),
    ),
  })).expression
}
