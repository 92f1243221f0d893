import type { FlowPage, FlowQuery, Ownership } from '@tapdeck/questions'
import { ENDED, flowRow, flowViews, KEY, KEY_SEPARATOR, MAX_HASHES, PEER, TROUBLE } from '../flow-view.ts'
import { ownedSql } from '../owned-sql.ts'
import { readDistributions } from './distributions.ts'
import { discretePercentiles, percentilesOf } from './handshakes.ts'
import { quote } from './quote.ts'
import type { Reading } from './reading.ts'

const SIDES = ['client', 'server'] as const

/** Who talked to whom. */
export async function flowPage(reading: Reading, query: FlowQuery): Promise<FlowPage> {
  const { connection } = reading
  const sql = flowSql(reading, query)
  const rows = await connection.rows(sql.page)
  const flows = rows.map((row) => flowRow(row, percentilesOf(row[22])))
  const page = { flows, total: rows.length === 0 ? 0 : Number(rows[0][0]) }
  const carried = query.distributions
    ? await readDistributions(
        connection,
        sql.handshakes,
        new Map(rows.map((row, i) => [row[KEY], flows[i].flows])),
      )
    : undefined
  const hashes = query.hashes ? (await connection.rows(sql.hashes)).map(([hash]) => Number(hash)) : undefined
  return {
    ...page,
    flows: carried
      ? flows.map((flow, i) => ({ ...flow, handshakes: carried.get(rows[i][KEY]) ?? { values: [] } }))
      : flows,
    ...(hashes !== undefined && hashes.length <= MAX_HASHES && { hashes }),
  }
}

interface FlowSql {
  readonly page: string
  /** The key of each flow's row as `name`, and its handshake as `value`. */
  readonly handshakes: string
  readonly hashes: string
}

function flowSql(reading: Reading, query: FlowQuery): FlowSql {
  const view = flowViews[query.aggregate ?? 'address']
  const byPort = query.aggregate === undefined
  const name = (side: string, column: string) =>
    column === 'address' ? `if(f.${side}_${view.key[0]} IS NULL, f.${side}_ip, NULL)` : `f.${side}_${column}`
  const keys = SIDES.flatMap((side) =>
    view.key.map((column) => ({ as: `key_${side}_${column}`, sql: name(side, column) })),
  )
  const grouped = ['transport', ...keys.map(({ as }) => as), ...(byPort ? ['server_port'] : [])]
  const shown = (side: string, column: (typeof PEER)[number]) => {
    if (view.key.includes(column)) return `key_${side}_${column}`
    if (column === 'ip' && view.key.includes('address')) return `key_${side}_address`
    // Of several names at one address, the newest.
    const newest = `argMax(${side}_${column}, last_ts)`
    // A client that no service selects is known by its pod.
    if (column === 'pod' && query.aggregate === 'service')
      return `if(key_${side}_address IS NULL, NULL, ${newest})`
    return view.also.includes(column) ? newest : 'NULL'
  }
  // The same in `keyOfFlow`.
  const parts = grouped.map((column) => `ifNull(toString(${column}), '')`)
  const key = `concat(${parts.join(`, ${quote(KEY_SEPARATOR)}, `)})`
  const order = { bytes: 'all_bytes DESC', packets: 'all_packets DESC', newest: 'latest DESC', key: '' }[
    query.order
  ]
  const score = { bytes: 'all_bytes', packets: 'all_packets', newest: 'latest / 1000', key: '0' }[query.order]
  const { at_least, only, after } = query
  const having = [
    ...(at_least === undefined ? [] : [`${score} >= ${at_least}`]),
    ...(only === undefined ? [] : [`row_key IN (${['NULL', ...only.map(quote)].join(', ')})`]),
  ]
  const conditions = [reading.ofNode('f.node'), ...conditionsOf(query)]
  const named = `SELECT f.*, ${keys.map(({ as, sql }) => `${sql} AS ${as}`).join(', ')},
      ifNull(f.closed, '') NOT IN (${ENDED.map(quote).join(', ')}) AS is_open
    FROM ${reading.flows} AS f FINAL WHERE ${conditions.join(' AND ')}`
  const page = `
    SELECT count() OVER (), transport, ${byPort ? 'server_port' : 'NULL'},
      ${SIDES.flatMap((side) => PEER.map((column) => shown(side, column))).join(', ')},
      sum(client_packets), sum(client_bytes), sum(server_packets), sum(server_bytes),
      sum(client_packets + server_packets) AS all_packets, sum(client_bytes + server_bytes) AS all_bytes,
      max(last_ts) AS latest, min(start_ts), count(),
      if(count(handshake_us) = 0, [], ${discretePercentiles('handshake_us')}), ${key} AS row_key,
      ${TROUBLE.map((column) => `sum(ifNull(${column}, 0))`).join(', ')},
      countIf(is_open), avgIf(last_ts, is_open),
      min(start_ts + client_zero_window_us), min(start_ts + server_zero_window_us)
    FROM (${named}) ${after === undefined ? '' : `WHERE ${key} > ${quote(after)}`} GROUP BY ${grouped.join(', ')} ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`}
    ORDER BY ${order === '' ? '' : `${order}, `}row_key LIMIT ${query.limit}`
  return {
    page,
    handshakes: `SELECT ${key} AS name, handshake_us AS value FROM (${named}) WHERE handshake_us IS NOT NULL`,
    // The same number as DuckDB's md5_number_lower gives.
    hashes: `SELECT DISTINCT bitShiftRight(reinterpretAsUInt64(substring(MD5(${key}), 9, 8)), 11) FROM (${named}) LIMIT ${MAX_HASHES + 1}`,
  }
}

function conditionsOf(query: FlowQuery): readonly string[] {
  const { start, end, l4proto, within, owners } = query
  const either = (column: 'ip' | 'ns' | 'pod' | 'svc') => {
    const value = query[column]
    if (value === undefined) return []
    return [
      `(ifNull(f.client_${column} = ${quote(value)}, 0) OR ifNull(f.server_${column} = ${quote(value)}, 0))`,
    ]
  }
  return [
    ...(start === undefined ? [] : [`f.last_ts >= ${start * 1000}`]),
    ...(end === undefined ? [] : [`f.start_ts <= ${end * 1000}`]),
    ...(l4proto === undefined ? [] : [`f.transport = ${quote(l4proto.toLowerCase())}`]),
    ...either('ip'),
    ...either('ns'),
    ...either('pod'),
    ...either('svc'),
    ...(within === undefined ? [] : [withinSql(within)]),
    ...(owners === undefined ? [] : [ownedFlows(owners)]),
  ]
}

/** By the time at which a flow began. */
function ownedFlows(owners: Ownership): string {
  return ownedSql(owners, {
    node: (side) => (side === 'src' ? 'f.client_node' : 'f.server_node'),
    captor: owners.node === undefined ? 'f.node' : quote(owners.node),
    start: 'f.start_ts',
    time: String,
    quote,
  })
}

function withinSql(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return 'false'
  const list = namespaces.map(quote).join(', ')
  return `(ifNull(f.client_ns IN (${list}), 0) OR ifNull(f.server_ns IN (${list}), 0))`
}
