import { randomUUID } from 'node:crypto'
import type { Loss } from '@tapdeck/wire'
import type { Connection } from './connection.ts'
import { RowsRefused } from './rows-refused.ts'
import { ARRIVAL_COLUMN } from './tables.ts'

/** Bytes of rows that wait while ClickHouse is away or slow. Beyond, calls are refused and counted. */
const MAX_QUEUED_BYTES = 128 * 1024 * 1024
/** An insert has at most so much: a retry sends little again, and the server makes one block of it. */
const MAX_INSERT_BYTES = 8 * 1024 * 1024
const MAX_INSERT_ROWS = 50_000

interface Insert {
  readonly table: string
  readonly columns: string
  readonly rows: readonly string[]
  readonly bytes: number
  readonly token: string
  /** When it was first sent, in Unix seconds of the server. */
  sent?: number
}

/** The rows of one table that are not in an insert yet. */
interface Filling {
  readonly columns: string
  lines: string[]
  bytes: number
}

/** What waits to be inserted. */
export interface QueueStatus {
  readonly bytes: number
  readonly maxBytes: number
  /** Why the last insert failed; absent: it did not. */
  readonly failure?: string
}

export interface QueueLimits {
  readonly maxQueuedBytes?: number
  readonly maxInsertRows?: number
}

/**
 * Rows on their way to ClickHouse, in the order in which they came. Each insert has its own token and its own time of arrival
 * for as long as it is tried: however often it is sent, also after midnight, its rows are stored once.
 */
export class InsertQueue {
  readonly #connection: Connection
  readonly #loss: Loss
  readonly #calls: string
  /** This writer, among all that there ever were. */
  readonly #writer: string
  readonly #most: number
  readonly #mostRows: number
  readonly #filling = new Map<string, Filling>()
  readonly #waiting: Insert[] = []
  #bytes = 0
  #inserts = 0
  #failure: string | undefined

  constructor(connection: Connection, calls: string, loss: Loss, limits: QueueLimits) {
    const { maxQueuedBytes = MAX_QUEUED_BYTES, maxInsertRows = MAX_INSERT_ROWS } = limits
    this.#connection = connection
    this.#calls = calls
    this.#loss = loss
    this.#most = maxQueuedBytes
    this.#mostRows = maxInsertRows
    this.#writer = randomUUID()
  }

  /** Bytes that are not acknowledged yet, and why not. */
  get status(): QueueStatus {
    const failure = this.#failure
    return { bytes: this.#bytes, maxBytes: this.#most, ...(failure !== undefined && { failure }) }
  }

  /** False where the queue is full: the row is counted as lost. */
  add(table: string, columns: string, line: string): boolean {
    // A bound of what is sent: two bytes for a character outside of ASCII would be too few, but those are rare.
    const bytes = line.length
    if (this.#bytes + bytes > this.#most) {
      this.#lose(table, 1)
      return false
    }
    const filling = this.#filling.get(table) ?? { columns, lines: [], bytes: 0 }
    this.#filling.set(table, filling)
    filling.lines.push(line)
    filling.bytes += bytes
    this.#bytes += bytes
    if (filling.bytes >= MAX_INSERT_BYTES || filling.lines.length >= this.#mostRows) this.#close(table)
    return true
  }

  /**
   * Resolves when the server has acknowledged all that was added before. Throws at the first insert that it did not take.
   * `ready` comes before the first of them.
   */
  async send(ready: () => Promise<void>): Promise<void> {
    try {
      await ready()
      await this.#sendAll()
      this.#failure = undefined
    } catch (error) {
      this.#failure = error instanceof Error ? error.message : String(error)
      throw error
    }
  }

  async #sendAll(): Promise<void> {
    for (const table of this.#filling.keys()) this.#close(table)
    for (let [insert] = this.#waiting; insert !== undefined; [insert] = this.#waiting) {
      try {
        await this.#send(insert)
      } catch (error) {
        if (!(error instanceof RowsRefused)) throw error
        this.#divide(insert)
        continue
      }
      this.#waiting.shift()
      this.#bytes -= insert.bytes
    }
  }

  #send(insert: Insert): Promise<void> {
    // The server knows a token within a partition only, and partitions are days of arrival.
    insert.sent ??= this.#connection.serverSeconds
    const { table, columns, rows, token, sent } = insert
    const lines = rows.map((row) => `${row.slice(0, -1)},${sent}]`).join('\n')
    return this.#connection.insert(table, `${columns}, ${ARRIVAL_COLUMN}`, lines, token)
  }

  /** Finds the row that the server cannot read, by halves. It is lost, and counted; the others are stored. */
  #divide({ table, columns, rows, bytes, token }: Insert): void {
    this.#waiting.shift()
    this.#bytes -= bytes
    if (rows.length === 1) {
      this.#lose(table, 1)
      return
    }
    const middle = rows.length >> 1
    const parts = [rows.slice(0, middle), rows.slice(middle)].map((part, i) => ({
      ...{ table, columns, rows: part, token: `${token}/${i}` },
      bytes: part.reduce((sum, row) => sum + row.length, 0),
    }))
    this.#waiting.unshift(...parts)
    this.#bytes += parts.reduce((sum, part) => sum + part.bytes, 0)
  }

  #lose(table: string, rows: number): void {
    const kind = table === this.#calls ? 'unwritten_calls' : 'unwritten_flows'
    this.#loss[kind] = (this.#loss[kind] ?? 0) + rows
  }

  /** Gives up what waits, and counts it. */
  giveUp(): void {
    for (const table of this.#filling.keys()) this.#close(table)
    for (const { table, rows } of this.#waiting) this.#lose(table, rows.length)
    this.#waiting.length = 0
    this.#bytes = 0
  }

  #close(table: string): void {
    const filling = this.#filling.get(table)
    if (filling === undefined || filling.lines.length === 0) return
    const { columns, lines, bytes } = filling
    const token = `${this.#writer}/${this.#inserts++}`
    this.#waiting.push({ table, columns, rows: lines, bytes, token })
    filling.lines = []
    filling.bytes = 0
  }
}
