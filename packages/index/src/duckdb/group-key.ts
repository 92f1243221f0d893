import {
  dimensionsOf,
  NS_SEPARATOR as OF,
  PART_SEPARATOR,
  type StatsDimension,
  type StatsGroupBy,
} from '@tapdeck/questions'
import { ID_PART } from '../path-template.ts'
import { POD_SUFFIX } from '../pod-suffix.ts'
import { quote } from './engine.ts'
import { SAME } from './path-templates.ts'

/** How calls are put into groups. */
export interface GroupKey {
  /** Over `calls c`, its names, and what `join` adds. */
  readonly sql: string
  /** Names the group of each peer once, and not with every call. */
  readonly join?: (database: string) => string
  /** Depends only on the two peers, so that it applies to connections as well. */
  readonly ofPeers: boolean
  /** The namespace follows the name: see `nameOfGroup`. */
  readonly hasNs?: boolean
}

const UNKNOWN = '(unknown)'
/** The group of calls without an error. */
const NO_ERROR = '(none)'

const service = 'coalesce(svc, pod)'
const workload = `coalesce(json_extract_string(more, '$.workload'), regexp_replace(pod, '${POD_SUFFIX}', ''), svc)`
const pod = 'coalesce(pod, svc, ip)'

const withoutIds = (path: string) => `regexp_replace(${path}, '${ID_PART}', '/{id}\\2', 'g')`
/** Rows of an older version have none: it is made as `pathTemplate` does it. */
const template = `CASE c.template WHEN '${SAME}' THEN c.path ELSE coalesce(c.template, ${withoutIds(withoutIds('c.path'))}) END`

const ofCalls = (sql: string): GroupKey => ({ sql, ofPeers: false })

/** By a name over the columns of `endpoints`; `otherwise` is for peers that have none. */
function ofPeer(by: StatsDimension, name: string, otherwise?: string): GroupKey {
  const side = by.startsWith('src') ? 'src' : 'dst'
  const named = `${by}_group`
  return {
    sql: otherwise ? `coalesce(${named}.name, ${otherwise})` : `${named}.name`,
    join: (database) =>
      `JOIN (SELECT id, ${name} AS name FROM ${database}.endpoints) ${named} ON ${named}.id = c.${side}`,
    ofPeers: true,
  }
}

/** By the name of a service or a pod, which is unique only in its namespace. A bare address has none. */
const ofNamed: typeof ofPeer = (by, name, otherwise) => {
  const ofNs = `CASE WHEN ns IS NULL OR coalesce(pod, svc) IS NULL THEN '' ELSE '${OF}' || ns END`
  return { ...ofPeer(by, `${name} || ${ofNs}`, otherwise), hasNs: true }
}

/** Groups that peers without any name have only by their ports, which takes a text with every call. */
const namedByPort: readonly StatsDimension[] = ['service', 'workload']

export function isNamedByPort(by: StatsGroupBy): boolean {
  return dimensionsOf(by).some((dimension) => namedByPort.includes(dimension))
}

/**
 * `bucket` is the width of a time bucket in milliseconds; a time is given as the number of its bucket. `unnamed` says that
 * there are peers which are neither of a service nor a pod.
 */
export function groupKey(by: StatsGroupBy, node: string, bucket: number, unnamed: boolean): GroupKey {
  const dimensions = dimensionsOf(by)
  const keys = dimensions.map((dimension) => dimensionKey(dimension, node, bucket, unnamed))
  const [only] = keys
  return only !== undefined && keys.length === 1 ? only : joinedKey(dimensions, keys, bucket)
}

/** Several keys as one text. */
function joinedKey(
  dimensions: readonly StatsDimension[],
  keys: readonly GroupKey[],
  bucket: number,
): GroupKey {
  const parts = keys.map(({ sql, hasNs }, at) => {
    if (dimensions[at] === 'time') return `(${sql} * ${bucket})::BIGINT::VARCHAR`
    // Names have no separators in them; words of the traffic may.
    const text = hasNs ? sql : `translate(${sql}, '${PART_SEPARATOR}${OF}', '  ')`
    return `coalesce(${text}, '${UNKNOWN}')`
  })
  return {
    sql: parts.join(` || '${PART_SEPARATOR}' || `),
    join: (database) => [...new Set(keys.flatMap(({ join }) => join?.(database) ?? []))].join(' '),
    ofPeers: keys.every(({ ofPeers }) => ofPeers),
  }
}

function dimensionKey(by: StatsDimension, node: string, bucket: number, unnamed: boolean): GroupKey {
  const byPort = unnamed ? `dst_peer.ip || ':' || c.dst_port` : undefined
  switch (by) {
    case 'service':
      return ofNamed(by, service, byPort)
    case 'workload':
      return ofNamed(by, workload, byPort)
    case 'src':
      return ofNamed(by, pod)
    case 'dst':
      return ofNamed(by, pod)
    case 'node':
      return ofPeer(by, `coalesce(node, ${quote(node)})`)
    case 'ns':
      return ofPeer(by, `coalesce(ns, '${UNKNOWN}')`)
    case 'path':
      return ofCalls(`coalesce(${template}, '${UNKNOWN}')`)
    case 'status':
      return ofCalls(`coalesce(status_name.text, c.status::VARCHAR, '${UNKNOWN}')`)
    case 'proto':
      return ofCalls('proto_name.text')
    case 'method':
      return ofCalls(`coalesce(method_name.text, '${UNKNOWN}')`)
    case 'error':
      return ofCalls(`coalesce(error_name.text, '${NO_ERROR}')`)
    case 'connection_end':
      return ofCalls(`coalesce(end_name.text, '${UNKNOWN}')`)
    case 'src_service':
      return ofNamed(by, `coalesce(svc, pod, ip)`)
    case 'src_workload':
      return ofNamed(by, `coalesce(${workload}, ip)`)
    case 'src_node':
      return ofPeer(by, `coalesce(node, ${quote(node)})`)
    case 'src_ns':
      return ofPeer(by, `coalesce(ns, '${UNKNOWN}')`)
    case 'time':
      return ofCalls(`floor(c.ts / ${bucket * 1000})`)
  }
}
