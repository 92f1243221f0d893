import { flowOf } from './message.ts'
import { findAll, firstText, type Shown, type ShownPacket } from './pdml.ts'

/** Where a packet went: its innermost IP and transport layers. */
export interface Route {
  readonly flow: string
  readonly from: string
  readonly to: string
}

export function routeOf({ layers }: ShownPacket): Route | undefined {
  const ip = layers.findLast(({ name }) => name === 'ip' || name === 'ipv6')
  if (ip === undefined) return undefined
  const inside = layers.slice(layers.indexOf(ip) + 1)
  const transport = inside.find(({ name }) => /^(tcp|udp|sctp|icmp|icmpv6)$/.test(name))
  if (transport === undefined) return undefined
  const name = transport.name === 'icmpv6' ? 'icmp' : transport.name
  const end = (which: 'src' | 'dst') =>
    `${firstText([ip], `${ip.name}.${which}`)}:${firstText([transport], `${transport.name}.${which}port`) ?? 0}`
  const from = end('src')
  const to = end('dst')
  return { flow: flowOf(name, from, to), from, to }
}

/** All layers of that name in a packet; one per message if there are several. */
export function layersOf({ layers }: ShownPacket, name: string): Shown[] {
  return findAll(layers, name).filter(({ children }) => children.length > 0)
}
