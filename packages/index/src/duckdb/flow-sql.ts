import type { FlowQuery, Ownership } from '@tapdeck/questions'
import { ENDED, flowViews, KEY_SEPARATOR, MAX_HASHES, PEER, TROUBLE } from '../flow-view.ts'
import { ownedSql } from '../owned-sql.ts'
import type { Chunk } from './chunk.ts'
import { quote } from './engine.ts'

/** The present state of flows that are still open, in memory. Their names are those of the newest chunk. */
export interface LatestFlows {
  readonly table: string
  readonly chunk: Chunk
}

const ENDED_LIST = ENDED.map(quote).join(', ')
const SIDES = ['client', 'server'] as const
/** Each name that a peer had, and until when. */
const NAMES = SIDES.flatMap((side) => PEER.map((column) => `${side}_${column}_`))
const COUNTS = ['client_packets', 'client_bytes', 'server_packets', 'server_bytes', ...TROUBLE]

/**
 * The statements of one question about flows. `named`, a row for each flow, and `added`, sums of such rows, have the same columns,
 * so that a page can be made of either.
 */
export class FlowSql {
  readonly #chunks: readonly Chunk[]
  readonly #latest: LatestFlows | undefined
  readonly #query: FlowQuery
  readonly #view: (typeof flowViews)[string]
  /** What a row of a page is of: columns, and the same as one text, as `keyOfFlow` has it. */
  readonly #grouped: string
  readonly #key: string

  constructor(chunks: readonly Chunk[], latest: LatestFlows | undefined, query: FlowQuery) {
    this.#chunks = chunks
    this.#latest = latest
    this.#query = query
    this.#view = flowViews[query.aggregate ?? 'address']!
    const grouped = [
      'transport',
      ...SIDES.flatMap((side) => this.#view.key.map((column) => `${side}_${column}`)),
      ...(query.aggregate === undefined ? ['server_port'] : []),
    ]
    this.#grouped = grouped.join(', ')
    this.#key = `concat_ws('${KEY_SEPARATOR}', ${grouped.map((column) => `coalesce(${column}::VARCHAR, '')`).join(', ')})`
  }

  /**
   * A row for each flow that has its last state in these chunks, which follow each other. A flow that was open at the end of a chunk
   * has a row in the next one.
   */
  named(chunks: readonly Chunk[]): string {
    const next = this.#chunks[this.#chunks.indexOf(chunks.at(-1)!) + 1]
    const sources = chunks.map(({ database, number }) => ({ table: `${database}.flows`, number }))
    if (this.#latest && chunks.includes(this.#latest.chunk))
      sources.push({ table: this.#latest.table, number: this.#latest.chunk.number })
    const union = (tables: readonly { readonly table: string; readonly number: number }[]) =>
      tables.map(({ table, number }) => `SELECT ${number} AS chunk, * FROM ${table}`).join(' UNION ALL ')
    const ofEach = (name: string) =>
      union(chunks.map(({ database, number }) => ({ table: `${database}.${name}`, number })))
    const part = (side: string, column: string) =>
      column === 'address'
        ? `CASE WHEN ${side}.${this.#view.key[0]} IS NULL THEN ${side}.ip END`
        : `${side}.${column}`
    const columns = SIDES.flatMap((side) => [
      ...this.#view.key.map((column) => `${part(side, column)} AS ${side}_${column}`),
      ...PEER.map((column) => `${side}.${column} AS ${side}_${column}_, f.last_ts AS ${side}_${column}_at`),
      `f.start_ts + f.${side}_zero_window_us AS ${side}_zero_window`,
    ])
    const isOpen = `coalesce(c.text, '') NOT IN (${ENDED_LIST})`
    const conditions = flowConditions(this.#query)
    return `
      WITH f AS (
        SELECT * FROM (${union(sources)}) ${next === undefined ? '' : `ANTI JOIN ${next.database}.flows USING (id)`}
        QUALIFY row_number() OVER (PARTITION BY id ORDER BY version DESC, chunk DESC) = 1
      ), e AS (${ofEach('endpoints')}), w AS (${ofEach('words')})
      SELECT t.text AS transport, f.server_port, ${columns.join(', ')}, ${COUNTS.map((name) => `f.${name}`).join(', ')}, 1 AS flows,
        f.start_ts, f.last_ts, f.handshake_us, (${isOpen})::INTEGER AS open, CASE WHEN ${isOpen} THEN f.last_ts END AS open_last
      FROM f
        JOIN e client ON client.chunk = f.chunk AND client.id = f.client
        JOIN e server ON server.chunk = f.chunk AND server.id = f.server
        JOIN w t ON t.chunk = f.chunk AND t.id = f.transport
        LEFT JOIN w c ON c.chunk = f.chunk AND c.id = f.closed
      ${conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`}`
  }

  /** The same, added up for each row of a page; without handshakes. */
  added(chunks: readonly Chunk[]): string {
    const sums = [...COUNTS, 'flows', 'open', 'open_last'].map((name) => `sum(${name}) AS ${name}`)
    const firsts = ['start_ts', ...SIDES.map((side) => `${side}_zero_window`)].map(
      (name) => `min(${name}) AS ${name}`,
    )
    const names = NAMES.flatMap((name) => [
      `arg_max(${name}, ${name}at) AS ${name}`,
      `max(${name}at) FILTER (WHERE ${name} IS NOT NULL) AS ${name}at`,
    ])
    return `
      SELECT ${this.#grouped}, ${[...sums, ...firsts, ...names].join(', ')}, max(last_ts) AS last_ts
      FROM (${this.named(chunks)}) GROUP BY ${this.#grouped}`
  }

  /** The columns of `flowRow`; `handshakes` is the expression of their percentiles. */
  page(rows: string, handshakes: string): string {
    const { aggregate, at_least, only, after, limit, order } = this.#query
    const key = this.#key
    const score = { bytes: 'bytes', packets: 'packets', newest: 'last / 1000', key: '0' }[order]
    const having = [
      ...(at_least === undefined ? [] : [`${score} >= ${at_least}::DOUBLE`]),
      ...(only === undefined ? [] : [`${key} IN (${listed(only)})`]),
    ]
    const first = { bytes: 'bytes DESC, ', packets: 'packets DESC, ', newest: 'last DESC, ', key: '' }[order]
    const sum = (sql: string) => `sum(${sql})::DOUBLE`
    return `
      SELECT (count(*) OVER ())::DOUBLE, transport, ${aggregate === undefined ? 'server_port' : 'NULL'},
        ${SIDES.flatMap((side) => PEER.map((column) => this.#shown(side, column))).join(', ')},
        ${['client_packets', 'client_bytes', 'server_packets', 'server_bytes'].map(sum).join(', ')},
        ${sum('client_packets + server_packets')} AS packets, ${sum('client_bytes + server_bytes')} AS bytes,
        max(last_ts) AS last, min(start_ts), ${sum('flows')}, ${handshakes}, ${key},
        ${TROUBLE.map((name) => `coalesce(sum(${name}), 0)::DOUBLE`).join(', ')},
        ${sum('open')}, sum(open_last) / nullif(sum(open), 0), min(client_zero_window), min(server_zero_window)
      FROM ${rows} ${after === undefined ? '' : `WHERE ${key} > ${quote(after)}`} GROUP BY ${this.#grouped}
      ${having.length === 0 ? '' : `HAVING ${having.join(' AND ')}`} ORDER BY ${first}${key} LIMIT ${limit}`
  }

  /** The key of each flow's row as `name`, and its handshake as `value`. */
  handshakes(chunks: readonly Chunk[]): string {
    return `SELECT ${this.#key} AS name, handshake_us AS value FROM (${this.named(chunks)}) WHERE handshake_us IS NOT NULL`
  }

  hashes(chunks: readonly Chunk[]): string {
    return `SELECT DISTINCT (md5_number_lower(${this.#key}) >> 11)::DOUBLE AS hash FROM (${this.named(chunks)}) LIMIT ${MAX_HASHES + 1}`
  }

  #shown(side: string, column: (typeof PEER)[number]): string {
    const { key, also } = this.#view
    if (key.includes(column)) return `${side}_${column}`
    if (column === 'ip' && key.includes('address')) return `${side}_address`
    // Of several names at one address, the newest.
    const newest = `arg_max(${side}_${column}_, ${side}_${column}_at)`
    // A client that no service selects is known by its pod.
    if (column === 'pod' && this.#query.aggregate === 'service')
      return `CASE WHEN ${side}_address IS NOT NULL THEN ${newest} END`
    return also.includes(column) ? newest : 'NULL'
  }
}

/** For `IN`; an empty list is valid too. */
export function listed(texts: readonly string[]): string {
  return ['NULL', ...texts.map(quote)].join(', ')
}

function flowConditions({
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
    ...(owners?.node === undefined ? [] : [ownedFlows(owners, owners.node)]),
  ]
}

/** By the time at which a flow began. */
function ownedFlows(owners: Ownership, node: string): string {
  return ownedSql(owners, {
    node: (side) => (side === 'src' ? 'client.node' : 'server.node'),
    captor: quote(node),
    start: 'f.start_ts',
    time: (us) => `${us}::DOUBLE`,
    quote,
  })
}

function withinSql(namespaces: readonly string[]): string {
  if (namespaces.length === 0) return 'false'
  const list = namespaces.map(quote).join(', ')
  return `(client.ns IN (${list}) OR server.ns IN (${list}))`
}
