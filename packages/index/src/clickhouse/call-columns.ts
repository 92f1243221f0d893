import type { Catalog, SqlColumn, SqlColumns } from '@tapdeck/kfl'

const text = (sql: string): SqlColumn => ({ sql, kind: 'string', nullable: false })
const maybeText = (sql: string): SqlColumn => ({ sql, kind: 'string' })
const number = (sql: string): SqlColumn => ({ sql, kind: 'number', nullable: false })
const maybeNumber = (sql: string): SqlColumn => ({ sql, kind: 'number' })

function peerColumns(side: 'src' | 'dst'): SqlColumns {
  const names = ['pod', 'ns', 'svc', 'node', 'process', 'dns', 'workload']
  return {
    [`${side}.ip`]: text(`c.${side}_ip`),
    [`${side}.port`]: number(`c.${side}_port`),
    ...Object.fromEntries(names.map((name) => [`${side}.${name}`, maybeText(`c.${side}_${name}`)])),
  }
}

/** The text of a status, whether it is a word or a number. */
export const STATUS_TEXT = 'coalesce(c.status_word, toString(c.status))'

/** The columns of `calls c` that a filter can be pushed down to, by path of the full call; only paths that the catalog has. */
export function callColumns(catalog: Catalog): SqlColumns {
  const columns: SqlColumns = {
    id: text(`concat(c.node, '/', toString(c.flow), '/', toString(c.ordinal))`),
    ts: number('(c.ts / 1000)'),
    ...peerColumns('src'),
    ...peerColumns('dst'),
    proto: text('c.proto'),
    method: maybeText('c.method'),
    path: maybeText('c.path'),
    status: { sql: STATUS_TEXT, kind: 'status', number: 'c.status' },
    error: maybeText('c.error'),
    connection_end: maybeText('c.connection_end'),
    latency_ms: maybeNumber('(c.latency_us / 1000)'),
    ttfb_ms: maybeNumber('(c.ttfb_us / 1000)'),
    conn_id: number('c.flow'),
    flow_id: number('c.flow'),
    node_id: text('c.node'),
    node_ip: maybeText('c.node_ip'),
    capture_source: text('c.capture_source'),
    req_size: maybeNumber('c.req_size'),
    resp_size: maybeNumber('c.resp_size'),
    decrypted: { sql: '(CASE WHEN c.tls IS NOT NULL THEN true END)', kind: 'boolean' },
    'tcp.handshake_us': maybeNumber('c.handshake_us'),
  }
  const known = new Set(catalog.fields.flatMap(({ path, fallbacks = [] }) => [path, ...fallbacks]))
  return Object.fromEntries(Object.entries(columns).filter(([path]) => known.has(path)))
}
