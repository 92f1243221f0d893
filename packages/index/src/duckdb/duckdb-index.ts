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
import type { OpenFlows } from '../open-flows.ts'
import { callColumns } from './call-columns.ts'
import { callPage, countCalls, oneCall } from './call-pages.ts'
import { callStarts } from './call-starts.ts'
import type { Reading } from './candidates.ts'
import type { ChunkWriter } from './chunk-writer.ts'
import type { Chunks } from './chunks.ts'
import type { Engine } from './engine.ts'
import { flowPage } from './flow-pages.ts'
import { flowRows } from './flow-rows.ts'
import { FlowStates } from './flow-states.ts'
import { HandshakeCache } from './handshake-cache.ts'
import { countHandshakes, Handshakes } from './handshakes.ts'
import { LateFlows } from './late-flows.ts'
import { NamesCache } from './names.ts'
import { observedValues } from './observed-values.ts'
import { flowSchema } from './schema.ts'
import { withScratchTable } from './scratch-table.ts'
import { callStats } from './stats.ts'

/** A folder of chunks behind one query engine. */
export class DuckdbIndex implements CallIndex {
  readonly #options: IndexOptions
  readonly #engine: Engine
  readonly #chunks: Chunks
  readonly #open: OpenFlows
  readonly #columns: SqlColumns
  readonly #names: NamesCache
  readonly #handshakes: HandshakeCache<Handshakes>
  readonly #handshakeCounts: HandshakeCache<HandshakeCounts>
  /** Those of whatever it is a part of. */
  #adopted: Handshakes | undefined
  readonly #queries = new Set<Promise<unknown>>()
  #writer: ChunkWriter | undefined
  #flushing: Promise<void> = Promise.resolve()
  #closing: Promise<void> | undefined

  constructor(
    options: IndexOptions,
    catalog: Catalog,
    engine: Engine,
    chunks: Chunks,
    open: OpenFlows,
    writer: ChunkWriter | undefined,
  ) {
    this.#options = options
    this.#engine = engine
    this.#chunks = chunks
    this.#open = open
    this.#writer = writer
    this.#names = new NamesCache(engine)
    this.#handshakes = new HandshakeCache((all) => Handshakes.load(engine, all))
    this.#handshakeCounts = new HandshakeCache((all) => countHandshakes(engine, all))
    this.#columns = callColumns(options.node, options.captureSource, catalog, options.nodeIp)
  }

  get loss(): Loss {
    return this.#chunks.loss
  }

  get deletedUntil(): number {
    return this.#chunks.deletedUntil
  }

  append(call: Call, peers: Peers): void {
    this.#writing().append(call, peers)
  }

  appendFlow(flow: Flow, peers: Peers): void {
    this.#writing().appendFlow(flow, peers.src, peers.dst)
  }

  async flush(): Promise<void> {
    this.#writing()
    const done = this.#flushing.then(() => this.#flush())
    this.#flushing = done.catch(() => undefined)
    return done
  }

  calls(query: CallQuery): Promise<CallPage> {
    return this.#read(
      (reading) => callPage(reading, this.#columnsOf(reading), query),
      true,
      query.flows || readsFlows(query.filter),
      true,
    )
  }

  async call(id: string): Promise<CallRecord | undefined> {
    const [, node, flow, ordinal] = /^(.*)\/(\d{1,16})\/(\d{1,10})$/s.exec(id) ?? []
    if (node !== this.#options.node) return undefined
    return this.#read((reading) => oneCall(reading, Number(flow), Number(ordinal)), true, true, true)
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
    const withFlows = readsFlows(query.filter) || query.field.path.startsWith('flow.')
    return this.#read(
      (reading) => observedValues(reading, this.#columnsOf(reading), query),
      readsHandshakes(query.filter),
      withFlows,
      readsLate([...query.filter.paths, query.field.path]),
    )
  }

  flows(query: FlowQuery): Promise<FlowPage> {
    const writer = this.#writer
    return this.#read(({ engine, chunks }) => {
      const newest = chunks.at(-1)
      if (writer === undefined || newest !== writer.chunk) return flowPage(engine, chunks, undefined, query)
      const latest = flowRows(this.#open.unwritten(newest.number), writer.words)
      return withScratchTable(engine, flowSchema, latest, (table) =>
        flowPage(engine, chunks, { table, chunk: newest }, query),
      )
    }, false)
  }

  starts(from: number, to: number): Promise<readonly CallStart[]> {
    return this.#read((reading) => callStarts(reading, from, to), false)
  }

  async summary(): Promise<IndexSummary> {
    const { calls, flows, oldest, newest, protocols } = this.#chunks.totals()
    return {
      calls,
      flows,
      oldest_ts: calls > 0 ? oldest / 1000 : null,
      newest_ts: calls > 0 ? newest / 1000 : null,
      size_bytes: this.#chunks.bytes,
      by_protocol: Object.fromEntries(protocols),
    }
  }

  handshakeCounts(): Promise<HandshakeCounts> {
    return this.#read((reading) => this.#handshakeCounts.of(reading.chunks), false)
  }

  adoptHandshakes(percentiles: ReadonlyMap<string, HandshakePercentiles>): void {
    this.#adopted = new Handshakes(percentiles)
  }

  close(): Promise<void> {
    this.#closing ??= this.#close()
    return this.#closing
  }

  release(): Promise<void> {
    return this.#engine.release()
  }

  abandon(): Promise<void> {
    this.#closing ??= this.#abandon()
    return this.#closing
  }

  /** Does not wait for queries: they read from memory, and their results are dropped. */
  async #abandon(): Promise<void> {
    const writer = this.#writer
    this.#writer = undefined
    writer?.abandon()
    await this.#engine.abandon()
    await this.#flushing
    await this.#chunks.abandon()
    this.#engine.stop()
  }

  async #close(): Promise<void> {
    await this.#flushing
    const writer = this.#writer
    this.#writer = undefined
    try {
      if (writer) {
        this.#open.concludeAll()
        try {
          await writer.flush()
        } finally {
          writer.close()
        }
        await this.#chunks.seal(writer.chunk)
      }
    } finally {
      await Promise.allSettled(this.#queries)
      await this.#chunks.close()
      this.#engine.stop()
    }
  }

  async #flush(): Promise<void> {
    const writer = this.#writer
    if (writer === undefined) throw new Error('The index is closed.')
    await writer.flush()
    this.#writer = (await this.#chunks.next(writer, this.#open)) ?? writer
    if (await this.#chunks.retain()) this.#names.retain(this.#chunks.all)
  }

  /** Which packets are kept may change from query to query. */
  #columnsOf({ common }: Reading): SqlColumns {
    const { packetsSince } = common
    if (packetsSince === undefined) return this.#columns
    const sql = Number.isFinite(packetsSince) ? `(c.ts >= ${packetsSince}::DOUBLE)` : String(packetsSince < 0)
    return { ...this.#columns, has_pcap: { sql, kind: 'boolean', nullable: false } }
  }

  /**
   * Runs a query over the current chunks; with handshake percentiles if it returns calls, and with the latest state of
   * their flows if requested.
   */
  async #read<Result>(
    query: (reading: Reading) => Promise<Result>,
    withHandshakes: boolean,
    withFlows = false,
    withLate = false,
  ): Promise<Result> {
    if (this.#closing) throw new Error('The index is closed.')
    const chunks = this.#chunks.hold()
    const answer = this.#answer(query, chunks, withHandshakes, withFlows, withLate)
    this.#queries.add(answer)
    try {
      return await answer
    } finally {
      this.#queries.delete(answer)
      for (const chunk of chunks) await chunk.release()
    }
  }

  async #answer<Result>(
    query: (reading: Reading) => Promise<Result>,
    chunks: Reading['chunks'],
    withHandshakes: boolean,
    withFlows: boolean,
    withLate: boolean,
  ): Promise<Result> {
    const { node, captureSource, nodeIp, packetsSince } = this.#options
    const handshakes = !withHandshakes
      ? new Handshakes()
      : (this.#adopted ?? (await this.#handshakes.of(chunks)))
    const since = packetsSince?.()
    const common = {
      node,
      captureSource,
      handshakes,
      ...(nodeIp !== undefined && { nodeIp }),
      ...(since !== undefined && { packetsSince: since * 1000 }),
      ...(withLate && { late: new LateFlows(this.#engine, chunks, this.#open) }),
      ...(withFlows && { flows: new FlowStates(this.#engine, chunks, this.#names, this.#open) }),
    }
    return query({ engine: this.#engine, chunks, names: this.#names, common })
  }

  #writing(): ChunkWriter {
    if (this.#writer && !this.#closing) return this.#writer
    throw new Error(
      this.#options.readOnly && !this.#closing
        ? 'The index was opened for reading only.'
        : 'The index is closed.',
    )
  }
}

function readsFlows({ paths }: Filter): boolean {
  return paths.some((path) => path.startsWith('flow.'))
}

function readsHandshakes({ paths }: Filter): boolean {
  return paths.some((path) => path.startsWith('tcp_handshake'))
}
