import type { StatsGroupBy } from '../call-index.ts'
import { ID_PART } from '../path-template.ts'
import { quote } from './engine.ts'

/** How calls are put into groups. */
export interface GroupKey {
  /** Over `calls c` and its names. */
  readonly sql: string
  /** A second step over that, where it is worth doing once for each value that occurs. */
  readonly refine?: (value: string) => string
  /** Says something of the two peers only, so that it can be told of a connection as well. */
  readonly ofPeers: boolean
}

const UNKNOWN = '(unknown)'

/** The suffixes that ReplicaSets, DaemonSets and StatefulSets give to the pods of a workload. */
const POD_SUFFIX = '(-[a-f0-9]{6,10})?-[a-z0-9]{5}$|-[0-9]+$'

const service = `coalesce(dst_peer.svc, dst_peer.pod, dst_peer.ip || ':' || c.dst_port)`
const workload = `coalesce(regexp_replace(dst_peer.pod, '${POD_SUFFIX}', ''), ${service})`
const pod = (peer: string) => `coalesce(${peer}.pod, ${peer}.svc, ${peer}.ip)`

/** As `pathTemplate` does it. */
const templated = (path: string) => `regexp_replace(${path}, '${ID_PART}', '/{id}\\2', 'g')`

const ofPeers = (sql: string): GroupKey => ({ sql, ofPeers: true })
const ofCalls = (sql: string): GroupKey => ({ sql, ofPeers: false })

/** `bucket` is the width of a time bucket in milliseconds; a time is told as the number of its bucket. */
export function groupKey(by: StatsGroupBy, node: string, bucket: number): GroupKey {
  switch (by) {
    case 'service':
      return ofPeers(service)
    case 'workload':
      return ofPeers(workload)
    case 'src':
      return ofPeers(pod('src_peer'))
    case 'dst':
      return ofPeers(pod('dst_peer'))
    case 'node':
      return ofPeers(`coalesce(dst_peer.node, ${quote(node)})`)
    case 'ns':
      return ofPeers(`coalesce(dst_peer.ns, '${UNKNOWN}')`)
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
