import type { DuckDBConnection } from '@duckdb/node-api'
import { type Call, connectionEndOf, type Endpoint, waitedUs, writeExchange } from '@tapdeck/dissect'
import type { Flow, Loss } from '@tapdeck/wire'
import type { Peers } from '../call-index.ts'
import { microseconds } from '../microseconds.ts'
import type { OpenFlows } from '../open-flows.ts'
import { SegmentWriter } from '../payload/segment-writer.ts'
import { writeMetrics } from '../payload/tcp-metrics.ts'
import { statusNumber } from '../status-number.ts'
import { CallBatch } from './call-batch.ts'
import type { Chunk } from './chunk.ts'
import type { Endpoints } from './endpoints.ts'
import type { Engine } from './engine.ts'
import { flowRows } from './flow-rows.ts'
import { loadNames, type Names } from './names.ts'
import { setTemplates } from './path-templates.ts'
import { callSchema, endpointSchema, flowSchema, wordSchema } from './schema.ts'
import { TableWriter } from './table-writer.ts'
import type { Words } from './words.ts'

/**
 * Rows that are committed without a flush: one row group of the database, which is packed and written once and for all,
 * past the log. Fewer are appended twice, logged, and packed when the chunk is finished. So many also wait for better
 * times where they cannot be written.
 */
export const ROWS_A_COMMIT = 122_880
/** Fewer rows are committed before the database has given up a thread. */
const WORTH_REST = 4096
/** Batches that wait for their payloads to be written. Beyond, the payloads go out as they are, at once. */
const MAX_WAITING = 48

/** What a writer needs, after the tables of the chunk are open. */
interface OpenedChunk {
  readonly chunk: Chunk
  readonly engine: Engine
  readonly open: OpenFlows
  readonly loss: Loss
  readonly connection: DuckDBConnection
  readonly tables: Tables
  readonly names: Names
  /** The number of the next payload block. */
  readonly firstBlock: number
}

/** Writes one chunk: calls into columns, payloads into the segment, names into the dictionaries. */
export class ChunkWriter {
  readonly chunk: Chunk
  readonly #engine: Engine
  readonly #connection: DuckDBConnection
  readonly #segment: SegmentWriter
  readonly #open: OpenFlows
  readonly words: Words
  readonly endpoints: Endpoints
  readonly #calls: TableWriter<typeof callSchema>
  readonly #flows: TableWriter<typeof flowSchema>
  readonly #endpoints: TableWriter<typeof endpointSchema>
  readonly #words: TableWriter<typeof wordSchema>
  #batch = new CallBatch()
  #waiting: CallBatch[] = []
  #spare: CallBatch[] = []
  readonly #loss: Loss
  #failure: unknown
  #abandoned = false

  private constructor({ chunk, engine, open, loss, connection, tables, names, firstBlock }: OpenedChunk) {
    this.chunk = chunk
    this.#engine = engine
    this.#connection = connection
    this.#open = open
    this.#loss = loss
    this.#calls = tables.calls
    this.#flows = tables.flows
    this.#endpoints = tables.endpoints
    this.#words = tables.words
    this.words = names.words
    this.endpoints = names.endpoints
    chunk.names = names
    this.#segment = new SegmentWriter(chunk.segment, loss, firstBlock)
  }

  static async open(chunk: Chunk, engine: Engine, open: OpenFlows, loss: Loss): Promise<ChunkWriter> {
    const connection = await engine.connect()
    const tables = await openTables(connection, chunk.database)
    const names = await loadNames(engine, chunk.database)
    const [[firstBlock]] = await engine.rows(
      `SELECT coalesce(max(block), -1) + 1 FROM ${chunk.database}.calls`,
    )
    return new ChunkWriter({
      chunk,
      engine,
      open,
      loss,
      connection,
      tables,
      names,
      firstBlock: Number(firstBlock),
    })
  }

  append(call: Call, peers: Peers): void {
    const { flow, summary, request, response } = call
    // Put together anew each time that it is asked for.
    const { tcp } = flow
    const asked = call.side === 0
    const open = this.#open.touch(
      flow,
      asked ? peers.src : peers.dst,
      asked ? peers.dst : peers.src,
      this.endpoints,
      this.chunk.number,
    )
    const { columns, count: row } = this.#batch
    columns.ts[row] = call.start
    columns.flow[row] = flow.id
    columns.ordinal[row] = call.ordinal
    columns.src[row] = asked ? open.clientId : open.serverId
    columns.dst[row] = asked ? open.serverId : open.clientId
    columns.src_port[row] = peers.src.port
    columns.dst_port[row] = peers.dst.port
    columns.proto[row] = this.words.id(call.protocol)
    columns.method[row] = this.words.id(summary.method)
    columns.path.setPath(row, summary)
    this.#setStatus(summary.status, row)
    columns.error[row] = this.words.id(call.missing ?? summary.failure)
    const answered = request?.kind === 'request' && response !== undefined
    columns.latency_us[row] = answered ? microseconds(request.start, response.end) : Number.NaN
    columns.ttfb_us[row] = answered ? microseconds(request.end, response.start) : Number.NaN
    columns.req_size[row] = request?.size ?? Number.NaN
    columns.resp_size[row] = response?.size ?? Number.NaN
    columns.tls[row] = call.tls === undefined ? 0 : this.words.id(JSON.stringify(call.tls))
    columns.connection_end[row] = call.missing === undefined ? 0 : this.words.id(connectionEndOf(call))
    columns.waited_us[row] = waitedUs(call) ?? Number.NaN
    columns.handshake_us[row] = tcp?.handshake_us ?? Number.NaN
    const item = this.#segment.item()
    writeMetrics(tcp, item)
    writeExchange(call, item)
    columns.slot[row] = this.#segment.endItem()
    columns.block[row] = this.#segment.block
    this.#batch.count = row + 1
    if (this.#batch.full) {
      this.#engine.written(true)
      this.#turn()
    }
  }

  appendFlow(flow: Flow, client: Endpoint, server: Endpoint): void {
    this.#open.touch(flow, client, server, this.endpoints, this.chunk.number)
  }

  /**
   * Payloads first, then rows: a row never points at what a crash could take. Throws what went wrong since the last time:
   * rows that could not be written wait, up to a bound, for the next.
   */
  async flush(): Promise<void> {
    if (!this.#batch.empty) this.#turn()
    await this.#segment.settle().catch((error) => this.#noteFailure(error))
    this.#demandWanted()
    this.#handOver()
    if (this.#calls.rows >= WORTH_REST) await this.#engine.rest()
    this.#demandWanted()
    this.#commit()
    this.chunk.foldLongLog()
    const failure = this.#failure
    this.#failure = undefined
    if (failure !== undefined) throw failure
  }

  /**
   * Flushes without giving way and ends it, for the moment at which the next chunk takes over. What cannot be written
   * even then is given up and counted. Throws where it was abandoned meanwhile.
   */
  close(): void {
    this.#demandWanted()
    this.#engine.written(false)
    if (!this.#batch.empty) this.#turn()
    this.#settleNow()
    this.#handOver()
    this.#commit()
    this.#giveUp()
    this.#leave()
  }

  /** Ends it at once, without what is not written yet. A flush that is under way fails. */
  abandon(): void {
    this.#abandoned = true
    this.#segment.abandon()
    this.#leave()
  }

  #leave(): void {
    for (const table of [this.#calls, this.#flows, this.#endpoints, this.#words]) {
      table.giveUp()
      table.close()
    }
    this.#connection.closeSync()
    delete this.chunk.names
  }

  #demandWanted(): void {
    if (this.#abandoned) throw new Error('The index is closed.')
  }

  #setStatus(status: number | string | undefined, row: number): void {
    const { columns } = this.#batch
    const number = statusNumber(status)
    columns.status[row] = number ?? Number.NaN
    columns.status_word[row] = status === undefined || number === status ? 0 : this.words.id(String(status))
  }

  /** A batch is full, or asked for: the next one takes over. */
  #turn(): void {
    const { columns, count: rows } = this.#batch
    setTemplates(columns.path, columns.template, rows)
    this.#batch.blocks = this.#segment.block + 1
    this.#waiting.push(this.#batch)
    this.#batch = this.#spare.pop() ?? new CallBatch()
    if (this.#waiting.length > MAX_WAITING) this.#settleNow()
    this.#handOver()
    if (this.#calls.rows >= ROWS_A_COMMIT) this.#commit()
    // For the commit that comes without a flush; a query in between has its threads again.
    else if (this.#engine.threads > 1) this.#engine.rest().catch((error) => this.#noteFailure(error))
  }

  #settleNow(): void {
    try {
      this.#segment.settleNow()
    } catch (error) {
      this.#noteFailure(error)
    }
  }

  /** Kept for the next flush, which throws it: an append has no caller that could handle it. */
  #noteFailure(error: unknown): void {
    this.#failure ??= error
  }

  /** Gives the database those batches whose payloads are in the file. */
  #handOver(): void {
    const { written } = this.#segment
    while (this.#waiting.length > 0 && this.#waiting[0].blocks <= written) {
      const batch = this.#waiting[0]
      this.#waiting.shift()
      this.#calls.append(batch)
      this.chunk.counts.stageCalls(batch, this.words)
      batch.count = 0
      this.#spare.push(batch)
    }
  }

  /** Names before what refers to them. */
  #commit(): void {
    const due = this.#open.takeDue()
    for (const batch of flowRows(due, this.words)) {
      this.#flows.append(batch)
      this.chunk.counts.stageFlows(batch)
    }
    for (const open of due) open.written()
    const hasLate = due.some(({ flow }) => flow.resent !== undefined || flow.unacked !== undefined)
    for (const batch of this.words.takeFresh()) this.#words.append(batch)
    for (const batch of this.endpoints.takeFresh()) this.#endpoints.append(batch)
    try {
      this.#words.commit()
      this.#endpoints.commit()
      this.#flows.commit()
      if (hasLate) this.chunk.late = undefined
      this.chunk.counts.publishFlows()
      this.#calls.commit()
      this.chunk.counts.publishCalls()
    } catch (error) {
      this.#noteFailure(error)
      if (Math.max(this.#calls.rows, this.#flows.rows) >= ROWS_A_COMMIT) this.#giveUp()
    }
  }

  /** Rows that could not be written make room for later ones. Names are kept: what comes will refer to them. */
  #giveUp(): void {
    count(this.#loss, 'unwritten_flows', this.#flows.giveUp())
    count(this.#loss, 'unwritten_calls', this.#calls.giveUp())
    this.chunk.counts.discard()
  }
}

function count(loss: Loss, kind: keyof Loss, more: number): void {
  if (more > 0) loss[kind] = (loss[kind] ?? 0) + more
}

interface Tables {
  readonly calls: TableWriter<typeof callSchema>
  readonly flows: TableWriter<typeof flowSchema>
  readonly endpoints: TableWriter<typeof endpointSchema>
  readonly words: TableWriter<typeof wordSchema>
}

async function openTables(connection: DuckDBConnection, database: string): Promise<Tables> {
  return {
    calls: await TableWriter.open(connection, database, 'calls', callSchema),
    flows: await TableWriter.open(connection, database, 'flows', flowSchema),
    endpoints: await TableWriter.open(connection, database, 'endpoints', endpointSchema),
    words: await TableWriter.open(connection, database, 'words', wordSchema),
  }
}
