import type { GroupName, StatsGroupBy } from '../call-index.ts'
import { ID_PART } from '../path-template.ts'
import { quote } from './engine.ts'

/** How calls are put into groups. */
export interface GroupKey {
  /** Over `calls c`, its names, and what `join` adds. */
  readonly sql: string
  /** Names the group of each peer once, and not with every call. */
  readonly join?: (database: string) => string
  /** A second step over that, where it is worth doing once for each value that occurs. */
  readonly refine?: (value: string) => string
  /** Depends only on the two peers, so that it applies to connections as well. */
  readonly ofPeers: boolean
  /** The namespace follows the name: see `nameOfGroup`. */
  readonly hasNs?: boolean
}

const UNKNOWN = '(unknown)'

/** The suffixes that ReplicaSets, DaemonSets and StatefulSets give to the pods of a workload. */
const POD_SUFFIX = '(-[a-f0-9]{6,10})?-[a-z0-9]{5}$|-[0-9]+$'

const service = 'coalesce(svc, pod)'
const workload = `coalesce(regexp_replace(pod, '${POD_SUFFIX}', ''), svc)`
const pod = 'coalesce(pod, svc, ip)'

/** As `pathTemplate` does it. */
const templated = (path: string) => `regexp_replace(${path}, '${ID_PART}', '/{id}\\2', 'g')`

const ofCalls = (sql: string): GroupKey => ({ sql, ofPeers: false })

/** Separates the name of a group and its namespace: grouping by one text is faster than by two. */
const OF = '\u001f'

/** By a name over the columns of `endpoints`; `otherwise` is for peers that have none. */
function ofPeer(side: 'src' | 'dst', name: string, otherwise?: string): GroupKey {
  return {
    sql: otherwise ? `coalesce(peer_group.name, ${otherwise})` : 'peer_group.name',
    join: (database) =>
      `JOIN (SELECT id, ${name} AS name FROM ${database}.endpoints) peer_group ON peer_group.id = c.${side}`,
    ofPeers: true,
  }
}

/** By the name of a service or a pod, which is unique only in its namespace. A bare address has none. */
const ofNamed: typeof ofPeer = (side, name, otherwise) => {
  const ofNs = `CASE WHEN ns IS NULL OR coalesce(pod, svc) IS NULL THEN '' ELSE '${OF}' || ns END`
  return { ...ofPeer(side, `${name} || ${ofNs}`, otherwise), hasNs: true }
}

/** What the database calls a group. Names have no such character in them; paths and other words of the traffic may. */
export function nameOfGroup({ hasNs }: GroupKey, text: string): GroupName {
  const at = hasNs ? text.lastIndexOf(OF) : -1
  return at < 0 ? { group: text } : { group: text.slice(0, at), ns: text.slice(at + OF.length) }
}

/** How the database writes the name of a group. */
export function textOfGroup({ hasNs }: GroupKey, { group, ns }: GroupName): string {
  return hasNs && ns !== undefined ? `${group}${OF}${ns}` : group
}

/** Groups that peers without any name have only by their ports, which takes a text with every call. */
export const namedByPort: readonly StatsGroupBy[] = ['service', 'workload']

/**
 * `bucket` is the width of a time bucket in milliseconds; a time is given as the number of its bucket. `unnamed` says that
 * there are peers which are neither of a service nor a pod.
 */
export function groupKey(by: StatsGroupBy, node: string, bucket: number, unnamed: boolean): GroupKey {
  const byPort = unnamed ? `dst_peer.ip || ':' || c.dst_port` : undefined
  switch (by) {
    case 'service':
      return ofNamed('dst', service, byPort)
    case 'workload':
      return ofNamed('dst', workload, byPort)
    case 'src':
      return ofNamed('src', pod)
    case 'dst':
      return ofNamed('dst', pod)
    case 'node':
      return ofPeer('dst', `coalesce(node, ${quote(node)})`)
    case 'ns':
      return ofPeer('dst', `coalesce(ns, '${UNKNOWN}')`)
    case 'path':
      return { ...ofCalls(`coalesce(c.path, '${UNKNOWN}')`), refine: (path) => templated(templated(path)) }
    case 'status':
      return ofCalls(`coalesce(status_name.text, c.status::VARCHAR, '${UNKNOWN}')`)
    case 'proto':
      return ofCalls('proto_name.text')
    case 'time':
      return ofCalls(`floor(c.ts / ${bucket * 1000})`)
  }
}
