import { ID_PART } from '../path-template.ts'
import type { Connection } from './connection.ts'
import type { Column, ColumnType } from './native-block.ts'
import { quote } from './quote.ts'
import { WrongSchema } from './wrong-schema.ts'

/** To be raised with every change of the tables. It is in their comments. */
const SCHEMA_VERSION = 4
const COMMENT = 'Tapdeck index, schema '

const WORD = 'LowCardinality(String)'
const MAYBE_WORD = 'LowCardinality(Nullable(String))'

type Columns = Readonly<Record<string, ColumnType>>

const peer = (side: string): Columns => ({
  [`${side}_ip`]: 'String',
  [`${side}_port`]: 'UInt16',
  [`${side}_pod`]: MAYBE_WORD,
  [`${side}_ns`]: MAYBE_WORD,
  [`${side}_svc`]: MAYBE_WORD,
  [`${side}_node`]: MAYBE_WORD,
  [`${side}_process`]: MAYBE_WORD,
})

/** What else is known of a peer of a call. */
const more = (side: string): Columns => ({
  [`${side}_dns`]: MAYBE_WORD,
  [`${side}_workload`]: MAYBE_WORD,
  /** Everything without a column, as JSON. */
  [`${side}_more`]: 'Nullable(String)',
})

/** What a call has in its row, without the payload. Times are microseconds; NULL is absent. */
const narrow: Columns = {
  node: WORD,
  capture_source: WORD,
  node_ip: MAYBE_WORD,
  ts: 'Float64',
  flow: 'UInt64',
  ordinal: 'UInt32',
  ...peer('src'),
  ...more('src'),
  ...peer('dst'),
  ...more('dst'),
  /** The group of the call by service: its parts would have to be put together for each row of a question. */
  service: WORD,
  proto: WORD,
  method: MAYBE_WORD,
  path: 'Nullable(String)',
  status: 'Nullable(Int64)',
  status_word: MAYBE_WORD,
  error: MAYBE_WORD,
  latency_us: 'Nullable(Float64)',
  ttfb_us: 'Nullable(Float64)',
  req_size: 'Nullable(Int64)',
  resp_size: 'Nullable(Int64)',
  handshake_us: 'Nullable(Float64)',
  tls: 'Nullable(String)',
  /** Of a request without a response: how its connection ended. */
  connection_end: MAYBE_WORD,
  /** The same: how long its client waited. */
  waited_us: 'Nullable(Float64)',
  /** Bytes of the call before compression. */
  size: 'UInt32',
}

const flowTypes: Columns = {
  node: WORD,
  id: 'UInt64',
  version: 'UInt64',
  ...peer('client'),
  ...peer('server'),
  transport: WORD,
  start_ts: 'Float64',
  last_ts: 'Float64',
  client_packets: 'UInt64',
  client_bytes: 'UInt64',
  client_goodput: 'UInt64',
  client_missing: 'UInt64',
  server_packets: 'UInt64',
  server_bytes: 'UInt64',
  server_goodput: 'UInt64',
  server_missing: 'UInt64',
  closed: MAYBE_WORD,
  tunnel: MAYBE_WORD,
  handshake_us: 'Nullable(Float64)',
  retransmissions: 'Nullable(UInt64)',
  out_of_order: 'Nullable(UInt64)',
  zero_window: 'Nullable(UInt64)',
  resets: 'Nullable(UInt64)',
  rtt_avg_us: 'Nullable(Float64)',
  /** When each end first offered a zero window, from the begin of the flow on. */
  client_zero_window_us: 'Nullable(Float64)',
  server_zero_window_us: 'Nullable(Float64)',
  /** The same for the first FIN and the first RST of each end. */
  client_fin_us: 'Nullable(Float64)',
  server_fin_us: 'Nullable(Float64)',
  client_reset_us: 'Nullable(Float64)',
  server_reset_us: 'Nullable(Float64)',
  /** What became known after its calls, as `lateTextOf` writes it. */
  late: 'Nullable(String)',
}

/**
 * Inserts whose tokens the server remembers: 100 nodes with one insert a second, for a quarter of an hour. An insert that
 * is sent again later than that could be stored twice.
 */
const REMEMBERED_INSERTS = 100_000

/** The projection that has the calls of a flow next to each other: when each was, and what was spoken. */
const OF_FLOW = 'of_flow'
/** Ends a query that only reads columns of the projection. */
export const BY_FLOW = 'SETTINGS optimize_use_projections = 1'

/** When an insert was first sent, by the clock of the server. */
export const ARRIVAL_COLUMN = 'inserted'
const ARRIVAL_TYPE = "DateTime('UTC')"

/** The columns of an insert, in order. */
export const callTableColumns: readonly Column[] = columnsOf({ ...narrow, payload: 'String' })
export const flowTableColumns: readonly Column[] = columnsOf(flowTypes)

function columnsOf(types: Columns): readonly Column[] {
  return Object.entries({ ...types, [ARRIVAL_COLUMN]: ARRIVAL_TYPE } as const).map(([name, type]) => ({
    name,
    type,
  }))
}

/** By arrival, not by the time of the packets: a node whose clock is wrong makes no partitions, and loses nothing to the TTL. */
const PARTITION = `PARTITION BY toDate(${ARRIVAL_COLUMN})`

function callTable(name: string, { keepSeconds, tableSettings }: TableOptions): string {
  const template = `replaceRegexpAll(replaceRegexpAll(path, ${quote(ID_PART)}, ${quote('/{id}\\2')}), ${quote(ID_PART)}, ${quote('/{id}\\2')})`
  // Read only where a query asks for projections: after a DELETE, ClickHouse 26.5 answered from one with the deleted rows.
  const projection = `${OF_FLOW} (SELECT flow, ordinal, node, ts, proto, isNull(tls) AS plain ORDER BY flow, ordinal)`
  return `
    CREATE TABLE IF NOT EXISTS ${name} (
      ${columnList(narrow)},
      payload String CODEC(ZSTD(1)),
      template Nullable(String) MATERIALIZED ${template},
      ${ARRIVAL_COLUMN} ${ARRIVAL_TYPE},
      PROJECTION ${projection},
      INDEX service_index dst_svc TYPE bloom_filter GRANULARITY 1
    ) ENGINE = MergeTree ${PARTITION} ORDER BY (ts, flow, ordinal)
    ${ttl(keepSeconds)}
    SETTINGS ${settingList(tableSettings)}
    COMMENT '${COMMENT}${SCHEMA_VERSION}'`
}

/** The row of a flow with the highest version counts. */
function flowTable(name: string, { keepSeconds, tableSettings }: TableOptions): string {
  return `
    CREATE TABLE IF NOT EXISTS ${name} (${columnList(flowTypes)}, ${ARRIVAL_COLUMN} ${ARRIVAL_TYPE})
    ENGINE = ReplacingMergeTree(version) ${PARTITION} ORDER BY (node, id)
    ${ttl(keepSeconds)}
    SETTINGS ${settingList(tableSettings)}
    COMMENT '${COMMENT}${SCHEMA_VERSION}'`
}

function columnList(types: Columns): string {
  return Object.entries(types)
    .map(([name, type]) => `${name} ${type}`)
    .join(', ')
}

function settingList(more: TableOptions['tableSettings'] = {}): string {
  const settings = {
    non_replicated_deduplication_window: REMEMBERED_INSERTS,
    ttl_only_drop_parts: 1,
    // A part that lost rows to a DELETE is read without its projection.
    lightweight_mutation_projection_mode: 'drop',
    ...more,
  }
  return Object.entries(settings)
    .map(([name, value]) => `${name} = ${typeof value === 'number' ? value : quote(value)}`)
    .join(', ')
}

/** As ClickHouse writes it in `engine_full`. */
function ttl(keepSeconds = 0): string {
  return keepSeconds === 0 ? '' : `TTL ${ARRIVAL_COLUMN} + toIntervalSecond(${keepSeconds})`
}

/** How tables are made. */
export interface TableOptions {
  /** Seconds after which the server deletes rows; absent or 0: never. */
  readonly keepSeconds?: number
  /** More settings of MergeTree, for example a `storage_policy`. */
  readonly tableSettings?: Readonly<Record<string, string | number>>
}

/** The two tables of an index. */
export interface Tables {
  readonly calls: string
  readonly flows: string
}

export function tablesOf(name: string): Tables {
  return { calls: `${name}_calls`, flows: `${name}_flows` }
}

/** Makes the tables where there are none, and checks those that are there. Throws `WrongSchema`. */
export async function ensureTables(
  connection: Connection,
  tables: Tables,
  options: TableOptions & { readonly create: boolean },
): Promise<void> {
  const found = await checkTables(connection, tables)
  if (found.size === 2) {
    if (options.create) await adjustTtl(connection, found, options.keepSeconds)
    return
  }
  if (!options.create)
    throw new WrongSchema(
      `There are no tables ${tables.calls} and ${tables.flows} in ${connection.address.database}.`,
    )
  await connection.run(`CREATE DATABASE IF NOT EXISTS ${connection.table('').split('.')[0]}`)
  await connection.run(callTable(connection.table(tables.calls), options))
  await connection.run(flowTable(connection.table(tables.flows), options))
  await checkTables(connection, tables)
}

/** The time to live of the configuration counts, also for tables that were made with another. */
async function adjustTtl(
  connection: Connection,
  tables: ReadonlyMap<string, string>,
  keepSeconds: number | undefined,
): Promise<void> {
  const wanted = ttl(keepSeconds)
  for (const [name, engine] of tables) {
    if (wanted === '' ? !engine.includes(' TTL ') : engine.includes(`${wanted} `)) continue
    const change = wanted === '' ? 'REMOVE TTL' : `MODIFY ${wanted}`
    // Parts are dropped as a whole, so none has to be written again.
    await connection.run(`ALTER TABLE ${connection.table(name)} ${change}`, {
      materialize_ttl_after_modify: 0,
    })
  }
}

/** Those of the two tables that there are: name → how they were made. Throws `WrongSchema`. */
async function checkTables(
  connection: Connection,
  { calls, flows }: Tables,
): Promise<ReadonlyMap<string, string>> {
  const found = await connection.rows(
    `SELECT name, comment, engine_full FROM system.tables WHERE database = ${quote(connection.address.database)}
     AND name IN (${[calls, flows].map(quote).join(', ')})`,
  )
  for (const [name, comment] of found) {
    if (comment === `${COMMENT}${SCHEMA_VERSION}`) continue
    const version = String(comment).startsWith(COMMENT)
      ? `schema ${String(comment).slice(COMMENT.length)}`
      : 'no table of Tapdeck'
    throw new WrongSchema(
      `The table ${name} in the ClickHouse database ${connection.address.database} is ${version}; this version of Tapdeck reads schema ${SCHEMA_VERSION}. ` +
        'Choose another database, run the version of Tapdeck that made it, or drop the table if its calls are not needed.',
    )
  }
  return new Map(found.map(([name, , engine]) => [String(name), `${engine} `]))
}
