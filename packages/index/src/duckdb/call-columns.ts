import type { Catalog, SqlColumn, SqlColumns } from '@tapdeck/kfl'
import { quote } from './engine.ts'

/** What must be joined to `calls c` for an expression that names it. */
const joins: Readonly<Record<string, (database: string) => string>> = {
  src_peer: (database) => `JOIN ${database}.endpoints src_peer ON src_peer.id = c.src`,
  dst_peer: (database) => `JOIN ${database}.endpoints dst_peer ON dst_peer.id = c.dst`,
  proto_name: (database) => `JOIN ${database}.words proto_name ON proto_name.id = c.proto`,
  method_name: (database) => `LEFT JOIN ${database}.words method_name ON method_name.id = c.method`,
  status_name: (database) => `LEFT JOIN ${database}.words status_name ON status_name.id = c.status_word`,
  end_name: (database) => `LEFT JOIN ${database}.words end_name ON end_name.id = c.connection_end`,
  error_name: (database) => `LEFT JOIN ${database}.words error_name ON error_name.id = c.error`,
}

/** A source `c` of rows with the names that the expressions use. */
export function withNames(source: string, database: string, ...expressions: readonly string[]): string {
  const used = Object.entries(joins).filter(([alias]) => expressions.some((sql) => sql.includes(`${alias}.`)))
  return [source, ...used.map(([, join]) => join(database))].join(' ')
}

export function callsWith(database: string, ...expressions: readonly string[]): string {
  return withNames(`${database}.calls c`, database, ...expressions)
}

const text = (sql: string): SqlColumn => ({ sql, kind: 'string', nullable: false })
const maybeText = (sql: string): SqlColumn => ({ sql, kind: 'string' })
const number = (sql: string): SqlColumn => ({ sql, kind: 'number', nullable: false })
const maybeNumber = (sql: string): SqlColumn => ({ sql, kind: 'number' })

function peerColumns(side: 'src' | 'dst'): SqlColumns {
  const peer = `${side}_peer`
  return {
    [`${side}.ip`]: text(`${peer}.ip`),
    [`${side}.port`]: number(`c.${side}_port`),
    [`${side}.pod`]: maybeText(`${peer}.pod`),
    [`${side}.ns`]: maybeText(`${peer}.ns`),
    [`${side}.svc`]: maybeText(`${peer}.svc`),
    [`${side}.node`]: maybeText(`${peer}.node`),
    [`${side}.process`]: maybeText(`${peer}.process`),
    [`${side}.dns`]: maybeText(`json_extract_string(${peer}.more, '$.dns')`),
    [`${side}.workload`]: maybeText(`json_extract_string(${peer}.more, '$.workload')`),
  }
}

/** The columns that a filter can be pushed down to, by path of the full call; only paths that the catalog has. */
export function callColumns(
  node: string,
  captureSource: string,
  catalog: Catalog,
  nodeIp?: string,
): SqlColumns {
  const columns: SqlColumns = {
    id: text(`(${quote(`${node}/`)} || c.flow || '/' || c.ordinal)`),
    ts: number('(c.ts / 1000)'),
    ...peerColumns('src'),
    ...peerColumns('dst'),
    proto: text('proto_name.text'),
    method: maybeText('method_name.text'),
    path: maybeText('c.path'),
    status: { sql: 'coalesce(status_name.text, c.status::VARCHAR)', kind: 'status', number: 'c.status' },
    error: maybeText('error_name.text'),
    connection_end: maybeText('end_name.text'),
    latency_ms: maybeNumber('(c.latency_us / 1000)'),
    ttfb_ms: maybeNumber('(c.ttfb_us / 1000)'),
    conn_id: number('c.flow'),
    flow_id: number('c.flow'),
    node_id: text(quote(node)),
    capture_source: text(quote(captureSource)),
    req_size: maybeNumber('c.req_size'),
    resp_size: maybeNumber('c.resp_size'),
    decrypted: { sql: '(CASE WHEN c.tls IS NOT NULL THEN true END)', kind: 'boolean' },
    'tcp.handshake_us': maybeNumber('c.handshake_us'),
    ...(nodeIp !== undefined && { node_ip: text(quote(nodeIp)) }),
  }
  const known = new Set(catalog.fields.flatMap(({ path, fallbacks = [] }) => [path, ...fallbacks]))
  return Object.fromEntries(Object.entries(columns).filter(([path]) => known.has(path)))
}
