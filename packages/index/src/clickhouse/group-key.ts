import {
  dimensionsOf,
  NS_SEPARATOR,
  PART_SEPARATOR,
  type StatsDimension,
  type StatsGroupBy,
} from '@tapdeck/questions'
import { POD_SUFFIX } from '../pod-suffix.ts'
import { STATUS_TEXT } from './call-columns.ts'
import { quote } from './quote.ts'

/** How calls are put into groups: an expression over `calls c`. */
export interface GroupKey {
  readonly sql: string
  /** The namespace follows the name: see `nameOfGroup`. */
  readonly hasNs?: boolean
}

const UNKNOWN = quote('(unknown)')
/** The group of calls without an error. */
const NO_ERROR = quote('(none)')

/** `bucket` is the width of a time bucket in milliseconds; a time is given as the number of its bucket. */
export function groupKey(by: StatsGroupBy, bucket: number): GroupKey {
  const dimensions = dimensionsOf(by)
  const keys = dimensions.map((dimension) => dimensionKey(dimension, bucket))
  const [only] = keys
  if (only !== undefined && keys.length === 1) return only
  const parts = keys.map(({ sql, hasNs }, at) => {
    if (dimensions[at] === 'time') return `toString(toInt64(${sql} * ${bucket}))`
    // Names have no separators in them; words of the traffic may.
    const text = hasNs ? sql : `translate(${sql}, ${quote(PART_SEPARATOR + NS_SEPARATOR)}, '  ')`
    return `coalesce(${text}, ${UNKNOWN})`
  })
  return { sql: `concat(${parts.join(`, ${quote(PART_SEPARATOR)}, `)})` }
}

/** By the name of a service or a pod, which is unique only in its namespace. A bare address has none. */
function named(side: 'src' | 'dst', name: string, otherwise?: string): GroupKey {
  const column = (of: string) => `c.${side}_${of}`
  const ofNs = `if(${column('ns')} IS NULL OR coalesce(${column('pod')}, ${column('svc')}) IS NULL, '', concat(${quote(NS_SEPARATOR)}, coalesce(${column('ns')}, '')))`
  const sql = `concat(${name}, ${ofNs})`
  return { sql: otherwise === undefined ? sql : `coalesce(${sql}, ${otherwise})`, hasNs: true }
}

const workload = (side: string) =>
  `coalesce(c.${side}_workload, replaceRegexpOne(toString(c.${side}_pod), ${quote(POD_SUFFIX)}, ''), c.${side}_svc)`
const pod = (side: string) => `coalesce(c.${side}_pod, c.${side}_svc, c.${side}_ip)`
const BY_PORT = `concat(c.dst_ip, ':', toString(c.dst_port))`

function dimensionKey(by: StatsDimension, bucket: number): GroupKey {
  switch (by) {
    case 'service':
      return { sql: 'c.service', hasNs: true }
    case 'workload':
      return named('dst', workload('dst'), BY_PORT)
    case 'src':
      return named('src', pod('src'))
    case 'dst':
      return named('dst', pod('dst'))
    case 'node':
      return { sql: 'coalesce(c.dst_node, c.node)' }
    case 'ns':
      return { sql: `coalesce(c.dst_ns, ${UNKNOWN})` }
    case 'path':
      return { sql: `coalesce(c.template, ${UNKNOWN})` }
    case 'status':
      return { sql: `coalesce(${STATUS_TEXT}, ${UNKNOWN})` }
    case 'proto':
      return { sql: 'toString(c.proto)' }
    case 'method':
      return { sql: `coalesce(c.method, ${UNKNOWN})` }
    case 'error':
      return { sql: `coalesce(c.error, ${NO_ERROR})` }
    case 'connection_end':
      return { sql: `coalesce(c.connection_end, ${UNKNOWN})` }
    case 'src_service':
      return named('src', 'coalesce(c.src_svc, c.src_pod, c.src_ip)')
    case 'src_workload':
      return named('src', `coalesce(${workload('src')}, c.src_ip)`)
    case 'src_node':
      return { sql: 'coalesce(c.src_node, c.node)' }
    case 'src_ns':
      return { sql: `coalesce(c.src_ns, ${UNKNOWN})` }
    case 'time':
      return { sql: `floor(c.ts / ${bucket * 1000})` }
  }
}
