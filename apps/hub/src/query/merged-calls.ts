import { Problem, type WorkerRequests } from '@tapdeck/api'
import { askTogether } from './ask-together.ts'
import type { CallSource } from './call-source.ts'
import { fromCursor, toCursor } from './cursor.ts'
import { noAnswer } from './source-set.ts'

type Page = WorkerRequests['calls']['output']
type Certainty = Page['total_is']

export interface CallsQuery {
  /** Which database the sources are of; '' for live ones. Its cursors are good for no other. */
  readonly db?: string | undefined
  readonly kfl: string
  readonly limit: number
  readonly order: 'newest' | 'oldest'
  readonly format: 'compact' | 'full' | 'raw'
  readonly start?: number | undefined
  readonly end?: number | undefined
  readonly cursor?: string | undefined
}

export interface MergedCalls {
  readonly calls: readonly { readonly ts: number }[]
  readonly total: number
  readonly total_is: Certainty
  readonly truncated: boolean
  readonly next_cursor: string | null
  readonly missing: readonly { readonly name: string; readonly reason: string }[]
}

/** Rows of the first page of each source; a source whose rows are used up gives pages that are four times larger. */
const MIN_PAGE = 16
const PAGE_GROWTH = 4

/** Full calls carry their bodies: they are fetched in smaller pages, so that no message grows too large. */
const PAGE = { compact: 1000, full: 100, raw: 100 } as const
/** A source may say `nothing yet, go on from here`: after so many pages the caller goes on by the cursor. */
const MAX_PAGES = 32
const certainties: readonly Certainty[] = ['exact', 'at_least', 'estimate']

/** One list out of the calls of several sources, in order of time. */
export async function mergedCalls(sources: readonly CallSource[], query: CallsQuery): Promise<MergedCalls> {
  const { db = '' } = query
  const progress = query.cursor === undefined ? undefined : fromCursor(query.cursor, db)
  // A node that joined since the first page would begin with calls that are newer than what was shown.
  const asked = progress ? sources.filter(({ node }) => Object.hasOwn(progress, node)) : sources
  const readers = asked.map((source) => new PageReader(source, query, progress?.[source.node] ?? ''))
  const missing: { name: string; reason: string }[] = Object.keys(progress ?? {})
    .filter((name) => !sources.some(({ node }) => node === name))
    .map((name) => ({ name, reason: 'not connected' }))
  const newest = query.order === 'newest'
  await prefetch(readers, query)
  const calls: { readonly ts: number }[] = []
  for (let pages = 0; calls.length < query.limit; ) {
    const hungry = readers.filter((reader) => reader.hungry)
    // What it has not searched may come before what the others have.
    if (hungry.some((reader) => reader.spent)) break
    if (hungry.length > 0) {
      if (++pages > MAX_PAGES) {
        const stuck = hungry.filter((reader) => reader.found === 0)
        if (stuck.length === 0 || !readers.some(({ next }) => next !== undefined)) break
        // A node that only says `go on` must not keep the calls of the others back.
        for (const reader of stuck) reader.giveUp()
        pages = 0
      } else await fillAll(hungry, query.limit - calls.length)
      continue
    }
    let best: PageReader | undefined
    for (const reader of readers) {
      const ts = reader.next?.ts
      if (ts === undefined) continue
      const leader = best?.next?.ts
      if (leader === undefined || (newest ? ts > leader : ts < leader)) best = reader
    }
    if (best === undefined) break
    calls.push(best.take())
  }
  for (const { failure, node } of readers) if (failure) missing.push({ name: node, reason: failure.message })
  const answered = readers.filter(({ failure }) => failure === undefined)
  const [refusal] = readers.flatMap(({ failure }) =>
    failure && (failure.status < 500 || failure.code === 'rewind_busy') ? failure : [],
  )
  if (answered.length === 0 && refusal) throw refusal
  if (answered.length === 0 && missing.length > 0) throw noAnswer(missing)
  const truncated = answered.some((reader) => reader.more)
  return {
    calls,
    total: answered.reduce((sum, { total }) => sum + total, 0),
    total_is: certainties[Math.max(0, ...answered.map(({ totalIs }) => certainties.indexOf(totalIs)))]!,
    truncated,
    next_cursor: truncated ? toCursor(Object.fromEntries(answered.map((r) => [r.node, r.cursor])), db) : null,
    missing,
  }
}

/**
 * Fetches in rounds, from all sources at once, what the page needs: small first pages, then more from those sources
 * whose last row would be on the page. So 100 nodes give some 2,000 rows for a page of 1,000, and not 100,000.
 */
async function prefetch(readers: readonly PageReader[], { limit, order, format }: CallsQuery): Promise<void> {
  if (readers.length < 2) return
  const sign = order === 'newest' ? -1 : 1
  let size = Math.max(MIN_PAGE, Math.ceil((2 * limit) / readers.length))
  let asked = readers
  for (let round = 0; round < MAX_PAGES && asked.length > 0; round++) {
    const rows = Math.min(size, limit)
    await fillAll(asked, rows)
    size = Math.min(size * PAGE_GROWTH, PAGE[format])
    const times = readers.flatMap((reader) => reader.times).sort((a, b) => sign * (a - b))
    const last = times[limit - 1]
    asked = readers.filter(
      ({ extensible, lastTime }) =>
        extensible && (last === undefined || lastTime === undefined || sign * (lastTime - last) <= 0),
    )
  }
}

async function fillAll(readers: readonly PageReader[], rows: number): Promise<void> {
  const filling = readers.map((reader) => ({
    node: reader.node,
    ask: (signal: AbortSignal) => reader.fill(rows, signal),
  }))
  for (const result of await askTogether(filling)) if (result.status === 'rejected') throw result.reason
}

/** Reads one source page by page, and knows how to go on after any call it gave. */
class PageReader {
  readonly node: string
  readonly #source: CallSource
  readonly #query: CallsQuery
  total = 0
  totalIs: Certainty = 'exact'
  failure: Problem | undefined
  /** Where to go on after what was taken. */
  cursor: string
  /** Calls that it gave for this answer. */
  found = 0
  #rows: { readonly call: { readonly ts: number }; readonly cursor: string }[] = []
  #at = 0
  /** Of the newest page. */
  #next: string | undefined
  #read = false
  #spent = false

  constructor(source: CallSource, query: CallsQuery, cursor: string) {
    this.node = source.node
    this.#source = source
    this.#query = query
    this.cursor = cursor
  }

  get next(): { readonly ts: number } | undefined {
    return this.#rows[this.#at]?.call
  }

  /** The times of rows that were not taken. */
  get times(): number[] {
    return this.#rows.slice(this.#at).map(({ call }) => call.ts)
  }

  get lastTime(): number | undefined {
    return this.#rows.at(-1)?.call.ts
  }

  /** Whether another page can be fetched that goes on after the rows that are here. */
  get extensible(): boolean {
    return !this.failure && !this.#spent && this.#rows.length > 0 && this.#next !== undefined
  }

  /** Whether the next page must be fetched before anything can be said. */
  get hungry(): boolean {
    if (this.failure) return false
    return !this.#read || (this.next === undefined && this.#next !== undefined)
  }

  /** Whether it is not to be asked again for this answer. */
  get spent(): boolean {
    return this.#spent
  }

  /** Whether there are calls that were not taken. */
  get more(): boolean {
    return this.next !== undefined || this.#next !== undefined
  }

  take(): { readonly ts: number } {
    const { call, cursor } = this.#rows[this.#at]!
    this.#at++
    this.cursor = (this.next === undefined ? this.#next : undefined) ?? cursor
    return call
  }

  async fill(wanted: number, signal: AbortSignal): Promise<void> {
    const { kfl, order, format, start, end } = this.#query
    const cursor = this.#next ?? this.cursor
    let page: Page
    try {
      page = await this.#source.ask(
        'calls',
        {
          kfl,
          limit: Math.min(wanted, PAGE[format]),
          order,
          format,
          ...(start !== undefined && { start }),
          ...(end !== undefined && { end }),
          ...(cursor !== '' && { cursor }),
        },
        { signal },
      )
    } catch (error) {
      if (!(error instanceof Problem)) throw error
      this.failure = error
      return
    }
    const calls = page.calls as readonly { readonly ts: number }[]
    this.#rows = [
      ...this.#rows.slice(this.#at),
      ...calls.map((call, i) => ({ call, cursor: page.cursors[i] ?? cursor })),
    ]
    this.#at = 0
    this.found += calls.length
    this.#next = page.next_cursor
    this.#spent = page.spent === true
    if (this.next === undefined) this.cursor = page.next_cursor ?? this.cursor
    if (this.#read) return
    this.#read = true
    this.total = page.total
    this.totalIs = page.total_is
  }

  giveUp(): void {
    this.failure = new Problem(503, 'no_progress', `${MAX_PAGES} pages without a call`)
  }
}
