import { type Schema, sqlTypes } from './column-kind.ts'

/**
 * One row a call; absent is NULL. Times are microseconds, doubles because some captures have finer clocks. The order of
 * columns is part of the format.
 */
export const callSchema = {
  ts: 'double',
  flow: 'int64',
  ordinal: 'int32',
  src: 'reference',
  dst: 'reference',
  src_port: 'uint16',
  dst_port: 'uint16',
  proto: 'reference',
  method: 'reference',
  path: 'text',
  /** A status that is a number, or reads as one. */
  status: 'int64',
  /** A status that is a word. */
  status_word: 'reference',
  error: 'reference',
  latency_us: 'double',
  ttfb_us: 'double',
  req_size: 'int64',
  resp_size: 'int64',
  handshake_us: 'double',
  /** Where its payload is: block of the segment, and item in the block. */
  block: 'int32',
  slot: 'uint16',
  /** Of a decrypted call: its TLS connection as JSON. */
  tls: 'reference',
  /** Of a request without a response: how its connection ended. */
  connection_end: 'reference',
  /** The path with `{id}` for ids, or `SAME`. NULL where an older version wrote the row. */
  template: 'text',
  /** Of a request without a response: how long its client waited. */
  waited_us: 'double',
} as const satisfies Schema

/**
 * One row each time that a flow is written: that with the highest version counts. Every flow that was open during a
 * chunk has a row in it. So that nothing has to be sorted for counts and percentiles, `first` is 1 in the first row of a
 * flow, and 2 in its first row in a later chunk; `handshake` likewise in the first row that knows the handshake.
 */
export const flowSchema = {
  id: 'int64',
  version: 'int64',
  client: 'reference',
  server: 'reference',
  client_port: 'uint16',
  server_port: 'uint16',
  transport: 'reference',
  start_ts: 'double',
  last_ts: 'double',
  client_packets: 'int64',
  client_bytes: 'int64',
  client_goodput: 'int64',
  client_missing: 'int64',
  server_packets: 'int64',
  server_bytes: 'int64',
  server_goodput: 'int64',
  server_missing: 'int64',
  closed: 'reference',
  tunnel: 'reference',
  first: 'uint8',
  handshake: 'uint8',
  handshake_us: 'double',
  retransmissions: 'int64',
  out_of_order: 'int64',
  zero_window: 'int64',
  resets: 'int64',
  rtt_avg_us: 'double',
  /** When each end first offered a zero window, from the begin of the flow on. */
  client_zero_window_us: 'double',
  server_zero_window_us: 'double',
  /** The same for the first FIN and the first RST of each end. */
  client_fin_us: 'double',
  server_fin_us: 'double',
  client_reset_us: 'double',
  server_reset_us: 'double',
  /** What became known after its calls, as `lateTextOf` writes it; NULL: nothing. */
  late: 'text',
} as const satisfies Schema

/** A peer without its port, with the names it had. */
export const endpointSchema = {
  id: 'int32',
  ip: 'text',
  pod: 'text',
  ns: 'text',
  svc: 'text',
  node: 'text',
  process: 'text',
  /** What else is known, as JSON. */
  more: 'text',
} as const satisfies Schema

export const wordSchema = { id: 'int32', text: 'text' } as const satisfies Schema

const tables = { calls: callSchema, flows: flowSchema, endpoints: endpointSchema, words: wordSchema }

/** What makes the database of a chunk, with views in which names stand for numbers. */
export function createStatements(database: string): readonly string[] {
  return [
    ...Object.entries(tables).map(([name, schema]) => createTable(`${database}.${name}`, schema)),
    `CREATE TABLE ${database}.sealed (calls BIGINT, flows BIGINT, carried BIGINT, handshakes BIGINT, oldest_ts DOUBLE, newest_ts DOUBLE, protocols VARCHAR)`,
    `CREATE VIEW ${database}.call AS ${callView}`,
    `CREATE VIEW ${database}.flow AS ${flowView}`,
  ]
}

/** The protocol of a call; NULL if it was decrypted, because a right decides who sees what a flow carries inside TLS. */
export const PLAIN_PROTO = 'CASE WHEN tls IS NULL THEN proto END'

/** Adds what an older version did not store. */
export function migrateStatement(database: string): string {
  return [
    ...(['tls', 'connection_end'] as const).map(
      (column) => `ALTER TABLE ${database}.calls ADD COLUMN IF NOT EXISTS ${column} ${sqlTypes.reference}`,
    ),
    `ALTER TABLE ${database}.calls ADD COLUMN IF NOT EXISTS template ${sqlTypes.text}`,
    `ALTER TABLE ${database}.calls ADD COLUMN IF NOT EXISTS waited_us ${sqlTypes.double}`,
    ...['zero_window', 'fin', 'reset'].flatMap((what) =>
      ['client', 'server'].map(
        (side) =>
          `ALTER TABLE ${database}.flows ADD COLUMN IF NOT EXISTS ${side}_${what}_us ${sqlTypes.double}`,
      ),
    ),
    `ALTER TABLE ${database}.flows ADD COLUMN IF NOT EXISTS late ${sqlTypes.text}`,
  ].join('; ')
}

/** The row of each call in `calls`, ordered by id: finds one call quickly in a finished chunk. */
export function listIds(database: string): string {
  return `CREATE OR REPLACE TABLE ${database}.ids AS
    SELECT flow, ordinal, ${PLAIN_PROTO} AS proto, rowid::INTEGER AS row FROM ${database}.calls ORDER BY flow, ordinal`
}

export function createTable(name: string, schema: Schema): string {
  const columns = Object.entries(schema).map(([column, kind]) => `${column} ${sqlTypes[kind]}`)
  return `CREATE TABLE ${name} (${columns.join(', ')})`
}

const peer = (alias: string, as: string) =>
  ['ip', 'pod', 'ns', 'svc', 'node', 'process'].map((name) => `${alias}.${name} AS ${as}_${name}`).join(', ')

const callView = `
  SELECT make_timestamp(c.ts::BIGINT) AS time, c.flow, c.ordinal, ${peer('s', 'src')}, c.src_port,
    ${peer('d', 'dst')}, c.dst_port, proto.text AS proto, method.text AS method, c.path,
    coalesce(word.text, c.status::VARCHAR) AS status, error.text AS error, c.latency_us / 1000 AS latency_ms,
    c.ttfb_us / 1000 AS ttfb_ms, c.req_size, c.resp_size, c.handshake_us
  FROM calls c JOIN endpoints s ON s.id = c.src JOIN endpoints d ON d.id = c.dst JOIN words proto ON proto.id = c.proto
    LEFT JOIN words method ON method.id = c.method LEFT JOIN words word ON word.id = c.status_word
    LEFT JOIN words error ON error.id = c.error`

const flowView = `
  SELECT f.id, make_timestamp(f.start_ts::BIGINT) AS start, make_timestamp(f.last_ts::BIGINT) AS last,
    transport.text AS transport, ${peer('c', 'client')}, f.client_port, ${peer('s', 'server')}, f.server_port,
    f.client_packets, f.client_bytes, f.server_packets, f.server_bytes, closed.text AS closed, tunnel.text AS tunnel,
    f.handshake_us, f.retransmissions, f.out_of_order, f.zero_window, f.resets, f.rtt_avg_us
  FROM (SELECT * FROM flows QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC) = 1) f
    JOIN endpoints c ON c.id = f.client JOIN endpoints s ON s.id = f.server
    JOIN words transport ON transport.id = f.transport LEFT JOIN words closed ON closed.id = f.closed
    LEFT JOIN words tunnel ON tunnel.id = f.tunnel`
