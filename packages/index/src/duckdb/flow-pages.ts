import type { DuckDBValue } from '@duckdb/node-api'
import type { FlowPage, FlowQuery, FlowRow } from '../call-index.ts'
import { ENDED, flowRow, flowViews, KEY, KEY_SEPARATOR, MAX_HASHES, PEER, TROUBLE } from '../flow-view.ts'
import type { Ownership } from '../ownership.ts'
import type { Chunk } from './chunk.ts'
import { readDistributions } from './distributions.ts'
import { type Engine, quote } from './engine.ts'
import { percentilesOf, quantiles } from './handshakes.ts'

const ENDED_LIST = ENDED.map(quote).join(', ')

/**
 * Who talked to whom. `latest` is a table in memory with the present state of flows that are still open, whose names
 * are those of the newest chunk.
 */
export async function flowPage(
  engine: Engine,
  chunks: readonly Chunk[],
  latest: { readonly table: string; readonly chunk: Chunk } | undefined,
  query: FlowQuery,
): Promise<FlowPage> {
  if (chunks.length === 0) return { flows: [], total: 0 }
  const sql = flowSql(chunks, latest, query)
  const rows = await engine.rows(sql.page)
  const page = {
    flows: rows.map((row) => flowRow(row, percentilesOf(row[22]))),
    total: rows.length === 0 ? 0 : Number(rows[0][0]),
  }
  const flows = query.distributions
    ? await withHandshakes(engine, sql.handshakes, rows, page.flows)
    : page.flows
  if (!query.hashes) return { ...page, flows }
  const hashes = (await engine.rows(sql.hashes)).map(([hash]) => Number(hash))
  return { ...page, flows, ...(hashes.length <= MAX_HASHES && { hashes }) }
}

async function withHandshakes(
  engine: Engine,
  sql: string,
  rows: readonly (readonly DuckDBValue[])[],
  flows: readonly FlowRow[],
): Promise<readonly FlowRow[]> {
  const keys = rows.map((row) => row[KEY])
  const sizes = new Map(keys.map((key, i) => [key, flows[i].flows]))
  const found = await readDistributions(engine, sql, sizes)
  return flows.map((flow, i) => ({ ...flow, handshakes: found.get(keys[i]) ?? { values: [] } }))
}

interface FlowSql {
  readonly page: string
  /** The key of each flow's row as `name`, and its handshake as `value`. */
  readonly handshakes: string
  readonly hashes: string
}

function flowSql(
  chunks: readonly Chunk[],
  latest: { readonly table: string; readonly chunk: Chunk } | undefined,
  query: FlowQuery,
): FlowSql {
  const sources = [
    ...chunks.map(({ database, number }) => ({ table: `${database}.flows`, number })),
    ...(latest ? [{ table: latest.table, number: latest.chunk.number }] : []),
  ]
  const union = (parts: readonly string[]) => parts.join(' UNION ALL ')
  const view = flowViews[query.aggregate ?? 'address']
  const name = (side: string, column: string) =>
    column === 'address'
      ? `CASE WHEN ${side}.${view.key[0]} IS NULL THEN ${side}.ip END`
      : `${side}.${column}`
  const shown = (side: string, column: (typeof PEER)[number]) => {
    if (view.key.includes(column)) return `${side}_${column}`
    if (column === 'ip' && view.key.includes('address')) return `${side}_address`
    // Of several names at one address, the newest.
    const newest = `arg_max(${side}_${column}_, last_ts)`
    // A client that no service selects is known by its pod.
    if (column === 'pod' && query.aggregate === 'service')
      return `CASE WHEN ${side}_address IS NOT NULL THEN ${newest} END`
    return view.also.includes(column) ? newest : 'NULL'
  }
  const keys = ['client', 'server'].flatMap((side) => view.key.map((column) => ({ side, column })))
  const byPort = query.aggregate === undefined
  const grouped = [
    'transport',
    ...keys.map(({ side, column }) => `${side}_${column}`),
    ...(byPort ? ['server_port'] : []),
  ]
  const conditions = conditionsOf(query)
  const order = { bytes: 'bytes DESC', packets: 'packets DESC', newest: 'last DESC', key: '' }[query.order]
  // The same in `keyOfFlow`.
  const key = `concat_ws('${KEY_SEPARATOR}', ${grouped.map((column) => `coalesce(${column}::VARCHAR, '')`).join(', ')})`
  const { at_least, only, after } = query
  const score = { bytes: 'bytes', packets: 'packets', newest: 'last / 1000', key: '0' }[query.order]
  const having = [
    ...(at_least === undefined ? [] : [`${score} >= ${at_least}::DOUBLE`]),
    ...(only === undefined ? [] : [`${key} IN (${['NULL', ...only.map(quote)].join(', ')})`]),
  ]
  const named = `
    WITH f AS (
      SELECT * FROM (${union(sources.map(({ table, number }) => `SELECT ${number} AS chunk, * FROM ${table}`))})
      QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC, chunk DESC) = 1
    ), e AS (${union(chunks.map(({ database, number }) => `SELECT ${number} AS chunk, * FROM ${database}.endpoints`))}),
    w AS (${union(chunks.map(({ database, number }) => `SELECT ${number} AS chunk, * FROM ${database}.words`))}),
    named AS (
      SELECT f.*, t.text AS transport, coalesce(c.text, '') NOT IN (${ENDED_LIST}) AS is_open,
        ${keys.map(({ side, column }) => `${name(side, column)} AS ${side}_${column}`).join(', ')},
        ${['client', 'server'].flatMap((side) => PEER.map((column) => `${side}.${column} AS ${side}_${column}_`)).join(', ')}
      FROM (SELECT * EXCLUDE (transport), transport AS transport_id FROM f) f
        JOIN e client ON client.chunk = f.chunk AND client.id = f.client
        JOIN e server ON server.chunk = f.chunk AND server.id = f.server
        JOIN w t ON t.chunk = f.chunk AND t.id = f.transport_id
        LEFT JOIN w c ON c.chunk = f.chunk AND c.id = f.closed
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}
    )`
  const page = `${named}
    SELECT (count(*) OVER ())::DOUBLE, transport, ${byPort ? 'server_port' : 'NULL'},
      ${['client', 'server'].flatMap((side) => PEER.map((column) => shown(side, column))).join(', ')},
      sum(client_packets)::DOUBLE, sum(client_bytes)::DOUBLE, sum(server_packets)::DOUBLE, sum(server_bytes)::DOUBLE,
      sum(client_packets + server_packets)::DOUBLE AS packets, sum(client_bytes + server_bytes)::DOUBLE AS bytes,
      max(last_ts) AS last, min(start_ts), count(*)::DOUBLE,
      ${quantiles('handshake_us')}, ${key},
      ${TROUBLE.map((name) => `coalesce(sum(${name}), 0)::DOUBLE`).join(', ')},
      sum(is_open::INTEGER)::DOUBLE, avg(last_ts) FILTER (WHERE is_open),
      min(start_ts + client_zero_window_us), min(start_ts + server_zero_window_us)
    FROM named ${after === undefined ? '' : `WHERE ${key} > ${quote(after)}`} GROUP BY ${grouped.join(', ')} ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}
    ORDER BY ${order === '' ? '' : `${order}, `}${key} LIMIT ${query.limit}`
  return {
    page,
    handshakes: `${named} SELECT ${key} AS name, handshake_us AS value FROM named WHERE handshake_us IS NOT NULL`,
    hashes: `${named} SELECT DISTINCT (md5_number_lower(${key}) >> 11)::DOUBLE FROM named LIMIT ${MAX_HASHES + 1}`,
  }
}

function conditionsOf({
  start,
  end,
  l4proto,
  ip,
  ns,
  pod,
  svc,
  within,
  owners,
}: FlowQuery): readonly string[] {
  const either = (column: string, value: string | undefined) =>
    value === undefined ? [] : [`(client.${column} = ${quote(value)} OR server.${column} = ${quote(value)})`]
  return [
    ...(start === undefined ? [] : [`f.last_ts >= ${start * 1000}::DOUBLE`]),
    ...(end === undefined ? [] : [`f.start_ts <= ${end * 1000}::DOUBLE`]),
    ...(l4proto === undefined ? [] : [`t.text = ${quote(l4proto.toLowerCase())}`]),
    ...either('ip', ip),
    ...either('ns', ns),
    ...either('pod', pod),
    ...either('svc', svc),
    ...(within === undefined ? [] : [withinSql(within)]),
    // An index on disk is of one node.
    ...(owners?.node === undefined ? [] : [ownedSql(owners, owners.node)]),
  ]
}

/** As `ownedFilter`, by the time at which a flow began. */
function ownedSql({ nodes, gaps = [] }: Ownership, node: string): string {
  const mine = (side: string) => `coalesce(${side}.node = ${quote(node)}, false)`
  const isOwner = (side: string) => {
    const missing = gaps.map(
      (gap) =>
        `NOT (${side}.node = ${quote(gap.node)} AND f.start_ts BETWEEN ${gap.from * 1000}::DOUBLE AND ${gap.to * 1000}::DOUBLE)`,
    )
    const listed = `${side}.node IN (${nodes.map(quote).join(', ')})`
    return `coalesce(${[listed, ...missing].join(' AND ')}, false)`
  }
  return `(${mine('client')} OR (NOT ${isOwner('client')} AND (${mine('server')} OR NOT ${isOwner('server')})))`
}

function withinSql(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return 'false'
  const list = namespaces.map(quote).join(', ')
  return `(client.ns IN (${list}) OR server.ns IN (${list}))`
}
