import type { CompactCall } from '../client/call-details.ts'
import type { CallPage, CallPageQuery } from '../client/hub.ts'
import type { CallSource, FetchPage } from './call-source.ts'
import { BLOCK_ROWS, RowBlocks } from './row-blocks.ts'
import { RowMarks } from './row-marks.ts'

/** From here a page goes on: `cursor` of a query that ends at `end`. */
interface Continuation {
  readonly row: number
  readonly cursor: string
  readonly end: number | undefined
}

/** Exactly `row` calls are later than this time, in whole microseconds. */
interface Anchor {
  readonly row: number
  readonly us: number
}

export interface PagedCallsOptions {
  readonly fetchPage: FetchPage
  readonly signal: AbortSignal
  /** Rows have come, or the number of rows has changed. */
  readonly onChange: () => void
  readonly onProblem: (reason: unknown) => void
}

/** As much as one answer may hold. */
const MAX_PAGE = 1000
/** Rows above and below the screen that are fetched as well. */
const MARGIN = 150
/** A search by time ends so near before the row. */
const NEAR = 400
const MAX_PROBES = 24
const MAX_MARKS = 5000

/**
 * The calls of a source that does not grow, by their row, newest first: any number of them, of which only those around the view are kept.
 * A row is reached by the cursor of the page before it. Where that is not known, by time: the number of calls after a time is the row of
 * the first call at or before it.
 */
export class PagedCalls {
  /** How many calls there are. */
  length: number
  /** The earliest time of any row that was fetched. */
  oldestTime = Number.POSITIVE_INFINITY
  readonly #source: CallSource
  readonly #options: PagedCallsOptions
  readonly #blocks = new RowBlocks()
  readonly #continuations = new RowMarks<Continuation>(MAX_MARKS)
  readonly #anchors = new RowMarks<Anchor>(MAX_MARKS)
  #view = { first: 0, last: 0 }
  /** The view whose rows could not be fetched. It is not asked for again until the user moves. */
  #refused: { readonly first: number; readonly last: number } | undefined
  #isWorking = false
  #knowsOldest = false

  /** `first` is the first page of the source, whose total is exact. */
  constructor(source: CallSource, first: CallPage, options: PagedCallsOptions) {
    this.#source = source
    this.#options = options
    this.length = first.total
    const newest = first.calls[0]
    if (newest) this.#anchors.add({ row: 0, us: microseconds(newest.ts) })
    this.#take(0, first, source.end)
  }

  /** How many rows are kept. */
  get kept(): number {
    return this.#blocks.size
  }

  at(row: number): CompactCall | undefined {
    return this.#blocks.at(row)
  }

  rowOf(id: string): number {
    return this.#blocks.rowOf(id)
  }

  /** The rows on the screen: what is missing of them is fetched. */
  show(first: number, last: number): void {
    this.#view = { first, last }
    if (this.#refused?.first === first && this.#refused.last === last) return
    if (!this.#isWorking && this.#missing() !== undefined) void this.#work()
  }

  /** The call of a row, fetched if need be. */
  async load(row: number): Promise<CompactCall | undefined> {
    this.show(row, row)
    while (!this.at(row) && row < this.length && this.#isWorking) await this.#turn()
    return this.at(row)
  }

  #turn: () => Promise<void> = () => Promise.resolve()

  async #work(): Promise<void> {
    const { signal, onChange, onProblem } = this.#options
    this.#isWorking = true
    this.#refused = undefined
    try {
      for (let row = this.#missing(); row !== undefined && !signal.aborted; row = this.#missing()) {
        const filled = this.#fill(row)
        this.#turn = () => filled.catch(() => {})
        await filled
        this.#blocks.keepNear((this.#view.first + this.#view.last) / 2)
        onChange()
      }
    } catch (reason) {
      this.#refused = this.#view
      if (!signal.aborted) onProblem(reason)
    } finally {
      this.#isWorking = false
    }
  }

  /** The next row to fetch: of the screen first, then around it. */
  #missing(): number | undefined {
    const { first, last } = this.#view
    const seen = this.#firstMissing(first, last)
    return seen ?? this.#firstMissing(last, last + MARGIN) ?? this.#firstMissing(first - MARGIN, first)
  }

  #firstMissing(first: number, last: number): number | undefined {
    const end = Math.min(last, this.length - 1)
    for (let row = Math.max(0, first); row <= end; row++) if (!this.#blocks.at(row)) return row
    return undefined
  }

  async #fill(row: number): Promise<void> {
    const known = this.#continuations.before(row)
    if (known && row - known.row < MAX_PAGE) return this.#follow(known, row)
    if (this.length - row <= BLOCK_ROWS || !this.#knowsOldest) await this.#readOldest()
    if (!this.#blocks.at(row)) await this.#seek(row)
  }

  async #follow({ row: first, cursor, end }: Continuation, row: number): Promise<void> {
    const page = await this.#ask({ end, cursor, limit: pageTo(row, first) })
    this.#take(first, page, end)
  }

  /** The last rows, from the other end. */
  async #readOldest(): Promise<void> {
    const page = await this.#ask({ end: this.#source.end, order: 'oldest', limit: BLOCK_ROWS })
    const calls = rowsOf(page).toReversed()
    const oldest = calls.at(-1)
    this.#knowsOldest = true
    if (!oldest) return
    this.oldestTime = oldest.ts
    // The live index forgets its oldest calls meanwhile.
    if (page.total_is === 'exact') this.length = page.total
    this.#blocks.put(this.length - calls.length, calls)
    this.#anchors.add({ row: this.length, us: microseconds(oldest.ts) - 1 })
  }

  /** Finds a time shortly after the call of a row by counting, and reads on from there. */
  async #seek(row: number): Promise<void> {
    for (let probe = 0; probe < MAX_PROBES; probe++) {
      const low = this.#anchors.before(row)
      const high = this.#anchors.after(row)
      if (!low || !high || row - low.row < NEAR || low.us - high.us < 2) break
      const us = guess(low, high, row - NEAR / 2, probe)
      this.#anchors.add({ us, row: await this.#countAfter(us) })
    }
    const low = this.#anchors.before(row)
    const known = this.#continuations.before(row)
    if (known && known.row >= (low?.row ?? 0)) return this.#follow(known, row)
    if (!low) return
    const end = boundary(low.us)
    this.#take(low.row, await this.#ask({ end, limit: pageTo(row, low.row) }), end)
  }

  async #countAfter(us: number): Promise<number> {
    return (await this.#ask({ start: boundary(us), end: this.#source.end, limit: 1 })).total
  }

  #take(first: number, page: CallPage, end: number | undefined): void {
    const next = first + page.calls.length
    this.#blocks.put(first, rowsOf(page))
    this.oldestTime = Math.min(this.oldestTime, rowsOf(page).at(-1)?.ts ?? this.oldestTime)
    if (page.next_cursor === null) this.length = next
    else {
      this.#continuations.add({ row: next, cursor: page.next_cursor, end })
      this.length = Math.max(this.length, next + 1)
    }
  }

  #ask(query: Partial<CallPageQuery> & Pick<CallPageQuery, 'limit'>): Promise<CallPage> {
    const { db, kfl, start } = this.#source
    return this.#options.fetchPage({ db, kfl, start, ...query }, this.#options.signal)
  }
}

function rowsOf(page: CallPage): readonly CompactCall[] {
  return page.calls as readonly CompactCall[]
}

/** So many calls that the page ends with a block, as the pages after it then do. */
function pageTo(row: number, first: number): number {
  const end = (Math.floor(row / BLOCK_ROWS) + 1) * BLOCK_ROWS
  return Math.min(MAX_PAGE, Math.max(1, end - first))
}

function microseconds(ms: number): number {
  return Math.round(ms * 1000)
}

/** Between two microseconds, so that every call is either before or after it. */
function boundary(us: number): number {
  return (us + 0.5) / 1000
}

/** Where a row probably is in time; every third time the middle, for calls that come in bursts. */
function guess(low: Anchor, high: Anchor, row: number, probe: number): number {
  const part = probe % 3 === 2 ? 0.5 : Math.max(0, row - low.row) / (high.row - low.row)
  const us = Math.round(low.us - part * (low.us - high.us))
  return Math.min(low.us - 1, Math.max(high.us + 1, us))
}
