import { randomUUID } from 'node:crypto'
import type { Loss } from '@tapdeck/wire'
import type { Connection } from './connection.ts'
import type { Cell, Column } from './native-block.ts'
import { RowsRefused } from './rows-refused.ts'

/** Bytes of rows that wait while ClickHouse is away or slow. Beyond, calls are refused and counted. */
const MAX_QUEUED_BYTES = 128 * 1024 * 1024
/** An insert has at most so much: a retry sends little again, and the server makes one block of it. */
const MAX_INSERT_BYTES = 8 * 1024 * 1024
const MAX_INSERT_ROWS = 50_000
const CELL_BYTES = 8

interface Insert {
  readonly table: string
  readonly columns: readonly Column[]
  /** Of each column; arrays of numbers take less memory than rows with numbers in them. */
  readonly cells: readonly (readonly Cell[])[]
  readonly rows: number
  readonly bytes: number
  readonly token: string
  /** When it was first sent, in Unix seconds of the server. */
  sent?: number
}

/** The rows of one table that are not in an insert yet. */
interface Filling {
  readonly columns: readonly Column[]
  cells: Cell[][]
  rows: number
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

  /** False where the queue is full: the row is counted as lost. It has a cell for each column but the last, the time of arrival. */
  add(table: string, columns: readonly Column[], row: readonly Cell[]): boolean {
    const bytes = sizeOf(row)
    if (this.#bytes + bytes > this.#most) {
      this.#lose(table, 1)
      return false
    }
    const filling = this.#filling.get(table) ?? { columns, cells: row.map(() => []), rows: 0, bytes: 0 }
    this.#filling.set(table, filling)
    for (let at = 0; at < row.length; at++) filling.cells[at].push(row[at])
    filling.rows++
    filling.bytes += bytes
    this.#bytes += bytes
    if (filling.bytes >= MAX_INSERT_BYTES || filling.rows >= this.#mostRows) this.#close(table)
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
    const { table, columns, cells, rows, token, sent } = insert
    const arrivals = new Array<number>(rows).fill(sent)
    return this.#connection.insert(table, columns, [...cells, arrivals], token)
  }

  /** Finds the row that the server cannot read, by halves. It is lost, and counted; the others are stored. */
  #divide({ table, columns, cells, rows, bytes, token }: Insert): void {
    this.#waiting.shift()
    if (rows === 1) {
      this.#bytes -= bytes
      this.#lose(table, 1)
      return
    }
    const middle = rows >> 1
    const part = (from: number, to: number, partBytes: number): Insert => ({
      ...{ table, columns, cells: cells.map((column) => column.slice(from, to)), rows: to - from },
      ...{ bytes: partBytes, token: `${token}/${from === 0 ? 0 : 1}` },
    })
    this.#waiting.unshift(part(0, middle, bytes >> 1), part(middle, rows, bytes - (bytes >> 1)))
  }

  #lose(table: string, rows: number): void {
    const kind = table === this.#calls ? 'unwritten_calls' : 'unwritten_flows'
    this.#loss[kind] = (this.#loss[kind] ?? 0) + rows
  }

  /** Gives up what waits, and counts it. */
  giveUp(): void {
    for (const table of this.#filling.keys()) this.#close(table)
    for (const { table, rows } of this.#waiting) this.#lose(table, rows)
    this.#waiting.length = 0
    this.#bytes = 0
  }

  #close(table: string): void {
    const filling = this.#filling.get(table)
    if (filling === undefined || filling.rows === 0) return
    const { columns, cells, rows, bytes } = filling
    const token = `${this.#writer}/${this.#inserts++}`
    this.#waiting.push({ table, columns, cells, rows, bytes, token })
    filling.cells = cells.map(() => [])
    filling.rows = 0
    filling.bytes = 0
  }
}

/** Bytes of a row in memory, about. Texts of peers are shared by the rows of a flow, but counted for each. */
function sizeOf(row: readonly Cell[]): number {
  let bytes = row.length * CELL_BYTES
  for (const cell of row) if (cell !== null && typeof cell !== 'number') bytes += cell.length
  return bytes
}
