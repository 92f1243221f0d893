import { Problem, type WorkerRequests } from '@tapdeck/api'
import type { CallSource } from './call-source.ts'
import { fromCursor, toCursor } from './cursor.ts'

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

/** Full calls carry their bodies: they are fetched in smaller pages, so that no message grows too large. */
const PAGE = { compact: 1000, full: 100, raw: 100 } as const
/** A source may say `nothing yet, go on from here`: after so many pages the caller goes on by the cursor. */
const MOST_PAGES = 32
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
    .map((name) => ({ name, reason: 'it is not connected' }))
  const newest = query.order === 'newest'
  const calls: { readonly ts: number }[] = []
  for (let pages = 0; calls.length < query.limit; ) {
    const hungry = readers.filter((reader) => reader.hungry)
    // What it has not searched may come before what the others have.
    if (hungry.some((reader) => reader.spent)) break
    if (hungry.length > 0 && ++pages > MOST_PAGES) break
    await Promise.all(hungry.map((reader) => reader.fill(query.limit - calls.length)))
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
  const [busy] = readers.flatMap(({ failure }) => (failure?.code === 'rewind_busy' ? failure : []))
  if (answered.length === 0 && busy) throw busy
  if (answered.length === 0 && missing.length > 0)
    throw new Problem(503, 'no_answer', missing.map(({ name, reason }) => `${name}: ${reason}`).join('; '))
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
  #page: Page | undefined
  #at = 0

  constructor(source: CallSource, query: CallsQuery, cursor: string) {
    this.node = source.node
    this.#source = source
    this.#query = query
    this.cursor = cursor
  }

  get next(): { readonly ts: number } | undefined {
    return this.#page?.calls[this.#at] as { readonly ts: number } | undefined
  }

  /** Whether the next page must be fetched before anything can be said. */
  get hungry(): boolean {
    if (this.failure) return false
    return this.#page === undefined || (this.next === undefined && this.#page.next_cursor !== undefined)
  }

  /** Whether it is not to be asked again for this answer. */
  get spent(): boolean {
    return this.#page?.spent === true
  }

  /** Whether there are calls that were not taken. */
  get more(): boolean {
    return this.next !== undefined || this.#page?.next_cursor !== undefined
  }

  take(): { readonly ts: number } {
    const call = this.next!
    this.#at++
    this.cursor = (this.next === undefined ? this.#page?.next_cursor : undefined) ?? this.#cursorAfter()
    return call
  }

  async fill(wanted: number): Promise<void> {
    const { kfl, order, format, start, end } = this.#query
    const first = this.#page === undefined
    try {
      this.#page = await this.#source.ask('calls', {
        kfl,
        limit: Math.min(wanted, PAGE[format]),
        order,
        format,
        ...(start !== undefined && { start }),
        ...(end !== undefined && { end }),
        ...(this.cursor !== '' && { cursor: this.cursor }),
      })
    } catch (error) {
      if (!(error instanceof Problem) || error.status < 500) throw error
      this.failure = error
      return
    }
    this.#at = 0
    if (this.next === undefined) this.cursor = this.#page.next_cursor ?? this.cursor
    if (!first) return
    this.total = this.#page.total
    this.totalIs = this.#page.total_is
  }

  #cursorAfter(): string {
    return this.#page?.cursors[this.#at - 1] ?? this.cursor
  }
}
