import type { OperationOutput } from '@tapdeck/api'
import { quote } from '../../kfl/clause.ts'

export type Flow = OperationOutput<'list_l4_flows'>['flows'][number]
type Peer = Flow['client']

/** The filter for the calls of a row of flows; nothing where a peer has no name that calls have too. */
export function flowFilter({ client, server }: Pick<Flow, 'client' | 'server'>): string | undefined {
  const from = clauseOf('src', client)
  const to = clauseOf('dst', server)
  return from && to ? `${from} and ${to}` : undefined
}

function clauseOf(side: 'src' | 'dst', { pod, svc, ip, ns, node, port }: Peer): string | undefined {
  const named = (
    [
      ['pod', pod],
      ['svc', svc],
      ['ip', ip],
      ['ns', ns],
      ['node', node],
    ] as const
  ).find(([, value]) => value)
  if (!named?.[1]) return undefined
  const own = `${side}.${named[0]} == ${quote(named[1])}`
  if (named[0] === 'ip' && side === 'dst' && port) return `${own} and dst.port == ${port}`
  const isOfNs = ns !== undefined && (named[0] === 'pod' || named[0] === 'svc')
  return isOfNs ? `${own} and ${side}.ns == ${quote(ns)}` : own
}

/** Whom a row is about. Flows are between pods: a service may have several. */
export function flowPeerName({ pod, svc, ns, node, ip, port }: Peer): string {
  const name = pod ?? svc
  if (name) return name
  if (ip) return port ? `${ip.includes(':') ? `[${ip}]` : ip}:${port}` : ip
  return ns ?? node ?? 'unknown'
}
