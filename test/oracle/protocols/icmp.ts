import type { Mapping } from '../mapping.ts'
import type { TheirMessage } from '../message.ts'
import { routeOf } from '../packet.ts'
import { firstText, type Shown, type ShownPacket } from '../pdml.ts'
import { decimal } from '../values.ts'

/** ICMP and ICMPv6; the inner of two is what a packet quotes. */
export const icmp: Mapping = {
  protocol: 'icmp',
  dissector: 'icmp',
  read: (packets) => {
    const times = new Map(packets.map(({ number, time }) => [String(number), time]))
    return packets.flatMap((packet): TheirMessage[] => {
      const layer = outermost(packet)
      const route = routeOf({ ...packet, layers: untilIcmp(packet) })
      if (layer === undefined || route === undefined) return []
      const asked = times.get(firstText([layer], `${layer.name}.resp_to`) ?? '')
      return [{ ...route, time: packet.time, nodes: [layer], ...(asked === undefined ? {} : { asked }) }]
    })
  },
  fields: {
    type: { on: 'request', theirs: either(decimal, 'type'), ours: 'icmp.type_code' },
    code: { on: 'request', theirs: either(decimal, 'code'), ours: 'icmp.code' },
    id: { on: 'request', theirs: unquoted(identifier), ours: 'icmp.id' },
    sequence: { on: 'request', theirs: unquoted(sequence), ours: 'icmp.sequence' },
    mtu: { on: 'request', theirs: either(decimal, 'mtu'), ours: 'icmp.mtu' },
    quoted_source: { on: 'request', theirs: quoted('src'), ours: 'icmp.quoted.src' },
    quoted_destination: { on: 'request', theirs: quoted('dst'), ours: 'icmp.quoted.dst' },
    target: {
      on: 'request',
      theirs: (nodes) =>
        firstText(nodes, 'icmpv6.nd.ns.target_address') ?? firstText(nodes, 'icmpv6.nd.na.target_address'),
      ours: 'icmp.target',
    },
  },
}

function outermost(packet: ShownPacket): Shown | undefined {
  return packet.layers.find(({ name }) => name === 'icmp' || name === 'icmpv6')
}

function untilIcmp({ layers }: ShownPacket): Shown[] {
  return layers.slice(0, layers.findIndex(({ name }) => name === 'icmp' || name === 'icmpv6') + 1)
}

function either(read: typeof decimal, field: string) {
  return (nodes: readonly Shown[]) => read(`${nodes[0].name}.${field}`)(nodes)
}

/** A packet that is quoted may have a number of its own. */
function unquoted(read: (nodes: readonly Shown[]) => string | undefined) {
  return (nodes: readonly Shown[]) => (quoted('src')(nodes) === undefined ? read(nodes) : undefined)
}

function identifier(nodes: readonly Shown[]): string | undefined {
  return decimal('icmp.ident')(nodes) ?? decimal('icmpv6.echo.identifier')(nodes)
}

function sequence(nodes: readonly Shown[]): string | undefined {
  return decimal('icmp.seq')(nodes) ?? decimal('icmpv6.echo.sequence_number')(nodes)
}

function quoted(which: 'src' | 'dst') {
  return (nodes: readonly Shown[]) => firstText(nodes, `ip.${which}`) ?? firstText(nodes, `ipv6.${which}`)
}
