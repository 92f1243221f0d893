import type { Call, CallRecord } from '@tapdeck/dissect'
import type { Catalog, Filter, SqlColumns } from '@tapdeck/kfl'
import type {
  CallPage,
  CallQuery,
  FlowPage,
  FlowQuery,
  HandshakeCounts,
  HandshakePercentiles,
  IndexSummary,
  ObservedValue,
  StatsPage,
  StatsQuery,
  TimeWindow,
  ValuesQuery,
} from '@tapdeck/questions'
import type { Flow, Loss } from '@tapdeck/wire'
import type { CallIndex, CallStart, IndexOptions, Peers } from '../call-index.ts'
import { readsLate } from '../late-flow.ts'
import { OpenFlows } from '../open-flows.ts'
import { callColumns } from './call-columns.ts'
import { callPage, callStarts, countCalls, oneCall } from './call-pages.ts'
import type { Connection } from './connection.ts'
import { flowPage } from './flow-pages.ts'
import { FlowStates } from './flow-states.ts'
import { countHandshakes, destinationOf, Handshakes } from './handshakes.ts'
import { InsertQueue, type QueueLimits, type QueueStatus } from './insert-queue.ts'
import { LateFlows } from './late-flows.ts'
import { observedValues } from './observed-values.ts'
import { PacketsSince } from './packets-since.ts'
import { Reading } from './reading.ts'
import { Retention } from './retention.ts'
import { callStats } from './stats.ts'
import { StoredNodes } from './stored-nodes.ts'
import { readSummary } from './summary.ts'
import { callTableColumns, flowTableColumns, type Tables } from './tables.ts'
import { rowOfCall, rowOfFlow, scratchWriter } from './written-rows.ts'

/** Rows name their peers, and do not number them. */
const NO_NUMBERS = { id: () => 0 }
const ONLY_CHUNK = 0
/** Flushes after which the state of open flows is written again: some 10 s. */
const REFRESH_EVERY = 32

interface ClickhouseIndexOptions extends IndexOptions, QueueLimits {
  /** The calls of all nodes are read; and from when on each has packets, in Unix milliseconds. */
  readonly allNodes?: { packetsSince(): ReadonlyMap<string, number> }
}

/** Calls and flows in two tables of a ClickHouse server. */
export class ClickhouseIndex implements CallIndex {
  readonly loss: Loss = {}
  readonly #options: ClickhouseIndexOptions
  readonly #connection: Connection
  readonly #tables: Tables
  readonly #columns: SqlColumns
  readonly #open = new OpenFlows()
  readonly #queue: InsertQueue
  readonly #retention: Retention
  readonly #scratch = scratchWriter()
  readonly #nodes = new StoredNodes()
  readonly #ensureTables: () => Promise<void>
  #ready: Promise<void> | undefined
  #adopted: Reading['handshakes']
  #flushing: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined
  #flushes = 0

  constructor(
    options: ClickhouseIndexOptions,
    catalog: Catalog,
    connection: Connection,
    tables: Tables,
    ensureTables: () => Promise<void>,
  ) {
    this.#options = options
    this.#connection = connection
    this.#tables = tables
    this.#columns = callColumns(catalog)
    this.#queue = new InsertQueue(connection, tables.calls, this.loss, options)
    this.#ensureTables = ensureTables
    this.#retention = new Retention(connection, tables, options.node, options.maxBytes)
  }

  /** What waits to be inserted. */
  get queue(): QueueStatus {
    return this.#queue.status
  }

  /** Resolves when the tables are there, and are of this version. */
  ready(): Promise<void> {
    this.#ready ??= this.#ensureTables().catch((error: unknown) => {
      this.#ready = undefined
      throw error
    })
    return this.#ready
  }

  /** The nodes whose calls are stored. */
  nodes(): Promise<readonly string[]> {
    return this.#read((reading) => this.#nodes.read(reading), false)
  }

  get deletedUntil(): number {
    return this.#retention.deletedUntil
  }

  append(call: Call, peers: Peers): void {
    this.#requireWriter()
    const [client, server] = call.side === 0 ? [peers.src, peers.dst] : [peers.dst, peers.src]
    this.#open.touch(call.flow, client, server, NO_NUMBERS, ONLY_CHUNK)
    this.#queue.add(
      this.#tables.calls,
      callTableColumns,
      rowOfCall(call, peers, this.#options, this.#scratch),
    )
  }

  appendFlow(flow: Flow, peers: Peers): void {
    this.#requireWriter()
    this.#open.touch(flow, peers.src, peers.dst, NO_NUMBERS, ONLY_CHUNK)
  }

  async flush(): Promise<void> {
    this.#requireWriter()
    const done = this.#flushing.then(() => this.#flush())
    this.#flushing = done.catch(() => undefined)
    return done
  }

  calls(query: CallQuery): Promise<CallPage> {
    return this.#read(
      (reading) => callPage(reading, this.#columnsOf(reading), query),
      query.flows || readsHandshakes(query.filter),
      query.flows || readsFlows(query.filter),
      true,
    )
  }

  async call(id: string): Promise<CallRecord | undefined> {
    const [, node, flow, ordinal] = /^(.*)\/(\d{1,16})\/(\d{1,10})$/s.exec(id) ?? []
    if (node === undefined || (!this.#options.allNodes && node !== this.#options.node)) return undefined
    return this.#read((reading) => oneCall(reading, node, Number(flow), Number(ordinal)), true, true, true)
  }

  count(filter: Filter, window: TimeWindow): Promise<number> {
    return this.#read(
      (reading) => countCalls(reading, this.#columnsOf(reading), filter, window),
      readsHandshakes(filter),
      readsFlows(filter),
      readsLate(filter.paths),
    )
  }

  stats(query: StatsQuery): Promise<StatsPage> {
    return this.#read(
      (reading) => callStats(reading, this.#columnsOf(reading), query),
      readsHandshakes(query.filter),
      readsFlows(query.filter),
      readsLate(query.filter.paths),
    )
  }

  values(query: ValuesQuery): Promise<readonly ObservedValue[]> {
    return this.#read(
      (reading) => observedValues(reading, this.#columnsOf(reading), query),
      readsHandshakes(query.filter),
      readsFlows(query.filter) || query.field.path.startsWith('flow.'),
      readsLate([...query.filter.paths, query.field.path]),
    )
  }

  async flows(query: FlowQuery): Promise<FlowPage> {
    if (!this.#options.readOnly && !this.#closing) await this.#writeChangedFlows()
    return this.#read((reading) => flowPage(reading, query), false)
  }

  starts(from: number, to: number): Promise<readonly CallStart[]> {
    return this.#read((reading) => callStarts(reading, from, to), false)
  }

  summary(): Promise<IndexSummary> {
    return this.#read(readSummary)
  }

  handshakeCounts(): Promise<HandshakeCounts> {
    return this.#read(countHandshakes, false)
  }

  adoptHandshakes(percentiles: ReadonlyMap<string, HandshakePercentiles>): void {
    this.#adopted = { load: async () => {}, of: (dst) => percentiles.get(destinationOf(dst)) }
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  abandon(): Promise<void> {
    this.#closing ??= this.#connection.abandon()
    return this.#closing
  }

  /** Caches are the server's. */
  async release(): Promise<void> {}

  async #close(): Promise<void> {
    await this.#flushing
    try {
      if (this.#options.readOnly) return
      this.#open.concludeAll()
      this.#addDueFlows()
      await this.#send()
    } finally {
      this.#queue.giveUp()
      await this.#connection.close()
    }
  }

  async #flush(): Promise<void> {
    this.#addDueFlows()
    // Readers elsewhere do not see what this process knows of flows that are open.
    if (++this.#flushes % REFRESH_EVERY === 0)
      for (const open of this.#open.unwritten(ONLY_CHUNK)) this.#addFlow(open)
    await this.#send()
    await this.#retention.apply()
  }

  async #send(): Promise<void> {
    try {
      await this.#queue.send(() => this.ready())
    } catch (error) {
      // The tables may have been dropped, or altered: they are checked before the next attempt.
      this.#ready = undefined
      throw error
    }
  }

  #addDueFlows(): void {
    for (const open of this.#open.takeDue()) this.#addFlow(open)
  }

  /** What changed since it was written, so that an answer of the writer has the present state of its flows. */
  async #writeChangedFlows(): Promise<void> {
    const changed = this.#open.unwritten(ONLY_CHUNK)
    if (changed.length === 0) return
    for (const open of changed) this.#addFlow(open)
    const done = this.#flushing.then(() => this.#send())
    this.#flushing = done.catch(() => undefined)
    await done
  }

  #addFlow(open: ReturnType<OpenFlows['touch']>): void {
    const row = rowOfFlow(open.flow, open.client, open.server, this.#options.node)
    if (this.#queue.add(this.#tables.flows, flowTableColumns, row)) open.written()
  }

  /** Which packets are kept may change from query to query. */
  #columnsOf({ packetsSince }: Reading): SqlColumns {
    const sql = packetsSince?.sql
    if (sql === undefined) return this.#columns
    return { ...this.#columns, has_pcap: { sql, kind: 'boolean', nullable: false } }
  }

  async #read<Result>(
    query: (reading: Reading) => Promise<Result>,
    withHandshakes = false,
    withFlows = false,
    withLate = false,
  ): Promise<Result> {
    if (this.#closing) throw new Error('The index is closed.')
    await this.ready()
    const { node, allNodes, packetsSince } = this.#options
    const reading = new Reading(this.#connection, this.#tables, allNodes ? undefined : node)
    const since = allNodes ? allNodes.packetsSince() : packetsSince?.()
    if (since !== undefined) reading.packetsSince = new PacketsSince(since)
    if (withHandshakes) reading.handshakes = this.#adopted ?? new Handshakes(reading)
    if (withLate) reading.late = new LateFlows(reading, this.#open)
    if (withFlows) reading.flowStates = new FlowStates(reading, this.#open)
    return query(reading)
  }

  #requireWriter(): void {
    if (this.#closing) throw new Error('The index is closed.')
    if (this.#options.readOnly) throw new Error('The index was opened for reading only.')
  }
}

function readsFlows({ paths }: Filter): boolean {
  return paths.some((path) => path.startsWith('flow.'))
}

function readsHandshakes({ paths }: Filter): boolean {
  return paths.some((path) => path.startsWith('tcp_handshake'))
}
