import { Readable } from 'node:stream'
import {
  type ClickHouseClient,
  ClickHouseLogLevel,
  type ClickHouseSettings,
  createClient,
  type ResponseHeaders,
} from '@clickhouse/client'
import { ownAgents } from '@tapdeck/own-ports'
import type { PortRange } from '@tapdeck/units'
import { QueryTooLarge } from '../query-too-large.ts'
import { ClickhouseFailure } from './clickhouse-failure.ts'
import { type Cell, type Column, encodeBlock } from './native-block.ts'
import { RowsRefused } from './rows-refused.ts'

/** Where ClickHouse is, and how to log in. */
export interface ClickhouseAddress {
  /** For example `http://clickhouse:8123`. */
  readonly url: string
  readonly database: string
  readonly user?: string
  readonly password?: string
  /** Certificates that are trusted, as PEM; absent: those that Node.js knows. */
  readonly ca?: string
  /** How long an answer may take; default: 60 s. */
  readonly timeoutMs?: number
  /** The source ports of connections; absent: any. */
  readonly ports?: PortRange
}

export type Value = string | number | boolean | null | readonly Value[]

/** Exceptions of ClickHouse that say that a query wanted too much: memory, rows, time. */
const TOO_LARGE = new Set(['158', '159', '241', '307', '396'])
/** Exceptions that say that a value of a row cannot be read: parsing, number, date, type, quoted string, data, JSON. */
const UNREADABLE = new Set(['6', '26', '27', '38', '41', '53', '70', '72', '117', '131', '349', '441', '676'])
/** A query that lists the calls which matched on payloads is long. */
const MAX_QUERY_BYTES = 64 * 1024 * 1024
const TIMEOUT_MS = 60_000
const MAX_CONNECTIONS = 8
/** The server gives up before the client does: a query without a client that waits would go on there, beside the next ones. */
const SERVER_SHARE = 0.9

/** The HTTP interface of one ClickHouse server (or of a load balancer in front of several). */
export class Connection {
  readonly address: ClickhouseAddress
  readonly #client: ClickHouseClient
  readonly #memory: number
  /** Milliseconds that the clock of the server is ahead of ours, as its last answer says, to about a second. */
  #ahead = 0
  readonly #abandoned = new AbortController()

  /** `memory`: bytes that one query may take on the server. */
  constructor(address: ClickhouseAddress, memory: number) {
    this.address = address
    this.#memory = memory
    const ca = address.ca === undefined ? {} : { ca: address.ca }
    const agents = ownAgents(address.ports, { maxSockets: MAX_CONNECTIONS, ...ca })
    this.#client = createClient({
      url: address.url,
      username: address.user ?? 'default',
      password: address.password ?? '',
      request_timeout: address.timeoutMs ?? TIMEOUT_MS,
      http_agent: agents.of(address.url),
      application: 'tapdeck',
      // Errors are thrown, and logged where they are handled.
      log: { level: ClickHouseLogLevel.OFF },
    })
  }

  /** The name of a table with its database, quoted. */
  table(name: string): string {
    return `${identifier(this.address.database)}.${identifier(name)}`
  }

  /** The time of the server, in Unix seconds. Before its first answer: ours. */
  get serverSeconds(): number {
    return Math.floor((Date.now() + this.#ahead) / 1000)
  }

  async rows(sql: string): Promise<readonly (readonly Value[])[]> {
    return this.#answered(async () => {
      const answer = await this.#client.query({
        query: sql,
        format: 'JSONCompactEachRow',
        clickhouse_settings: {
          max_memory_usage: String(this.#memory),
          max_execution_time: Math.max(1, ((this.address.timeoutMs ?? TIMEOUT_MS) * SERVER_SHARE) / 1000),
          max_query_size: String(MAX_QUERY_BYTES),
          // Only for those queries that say so: see `tables.ts`.
          optimize_use_projections: 0,
          output_format_json_quote_64bit_integers: 0,
          output_format_json_quote_denormals: 0,
        },
        abort_signal: this.#abandoned.signal,
      })
      this.#readClock(answer)
      return answer.json<readonly Value[]>()
    })
  }

  /** A statement without an answer. */
  async run(query: string, settings: ClickHouseSettings = {}): Promise<void> {
    await this.#answered(async () => {
      const answer = await this.#client.command({
        query,
        clickhouse_settings: settings,
        abort_signal: this.#abandoned.signal,
      })
      this.#readClock(answer)
    })
  }

  /** Inserts rows, given by column. Sent again with the same token, for example because the answer got lost, they are stored once. */
  async insert(
    table: string,
    columns: readonly Column[],
    cells: readonly (readonly Cell[])[],
    token: string,
  ): Promise<void> {
    const names = columns.map(({ name }) => name).join(', ')
    const block = encodeBlock(columns, cells)
    await this.#answered(async () => {
      const answer = await this.#client.exec({
        query: `INSERT INTO ${this.table(table)} (${names}) FORMAT Native`,
        values: Readable.from([block], { objectMode: false }),
        clickhouse_settings: { insert_deduplication_token: token, async_insert: 0 },
        abort_signal: this.#abandoned.signal,
      })
      this.#readClock(answer)
      for await (const _ of answer.stream);
    })
  }

  /** Breaks off what runs, and lets nothing begin any more. */
  async abandon(): Promise<void> {
    this.#abandoned.abort()
    await this.#client.close()
  }

  close(): Promise<void> {
    return this.#client.close()
  }

  #readClock({ response_headers: headers }: { readonly response_headers: ResponseHeaders }): void {
    const time = Date.parse(String(headers.date))
    if (!Number.isNaN(time)) this.#ahead = time - Date.now()
  }

  async #answered<Result>(ask: () => Promise<Result>): Promise<Result> {
    if (this.#abandoned.signal.aborted) throw new Error('The index is closed.')
    try {
      return await ask()
    } catch (error) {
      if (this.#abandoned.signal.aborted) throw new Error('The index is closed.', { cause: error })
      const code = codeOf(error)
      if (code !== undefined && UNREADABLE.has(code))
        throw new RowsRefused(`ClickHouse at ${shown(this.address.url)} cannot read rows: ${textOf(error)}`, {
          cause: error,
        })
      if (code !== undefined && TOO_LARGE.has(code))
        throw new QueryTooLarge('The query needs more memory or time than a query may have.', {
          cause: error,
        })
      throw new ClickhouseFailure(`ClickHouse at ${shown(this.address.url)}: ${textOf(error)}`, {
        cause: error,
      })
    }
  }
}

function textOf(error: unknown): string {
  return (error instanceof Error ? error.message || error.name : String(error)).slice(0, 2000)
}

/** The address without what it may hold of a password. */
function shown(url: string): string {
  try {
    return new URL(url).origin
  } catch {
    return '(not a URL)'
  }
}

function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error ? String(error.code) : undefined
}

function identifier(name: string): string {
  return `\`${name.replace(/[\\`]/g, (found) => `\\${found}`)}\``
}
