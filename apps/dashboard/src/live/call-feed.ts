import type { SkippedSpan } from '@tapdeck/api'
import type { CompactCall } from '../client/call-details.ts'
import type { CallPage } from '../client/hub.ts'
import { HubProblem } from '../client/hub-problem.ts'
import type { TimeWindow } from '../time/time-window.ts'
import { CallList } from './call-list.ts'
import type { CallSource, FetchPage } from './call-source.ts'
import { FrameBatch } from './frame-batch.ts'
import { PagedCalls } from './paged-calls.ts'
import { Store } from './store.ts'

const liveCapacity = 5000
const dissectionCapacity = 20_000
const pageSize = 200
/** After a break of the stream, as much as one answer may hold is fetched, to join without a hole. */
const catchUpSize = 1000
/** Rows that move more often than this cannot be read. Where each time the whole screen is new, still less. */
const calmGapMs = 80
const busyGapMs = 300
const screenful = 40

/**
 * The calls of one source as they come: the latest page at once, older ones on demand, live ones from the stream.
 * It changes in place; `version` moves, at most once a frame, when it did.
 */
export class CallFeed {
  readonly db: string | undefined
  readonly kfl: string
  readonly start: number | undefined
  readonly end: number | undefined
  /** The newest calls, as far as they are loaded. */
  readonly list: CallList
  /** All calls by row, where their number is known and does not grow. */
  pages: PagedCalls | undefined
  readonly version = new Store(0)
  phase: 'loading' | 'ready' | 'failed' = 'loading'
  problem: HubProblem | undefined
  whyEmpty: CallPage['why_empty']
  /** How many calls match in all, as far as the index said; of live calls, with those that came since. */
  total: { readonly count: number; readonly is: CallPage['total_is'] } | undefined
  /** Nodes whose calls are not in the list, as the last page said. */
  missingNodes: CallPage['missing_nodes']
  /** How far back the recording has been searched by now, in Unix milliseconds. */
  searchedFrom: number | undefined
  /** Matching live calls that did not come, because there were more than are carried or read. The index has them. */
  skipped = 0
  /** From the first to the last of them. */
  skippedTime: TimeWindow | undefined
  isLoadingOlder = false
  /** Null where there is nothing older. */
  #cursor: string | null = null
  #older: Promise<void> | undefined
  /** Calls up to this time were cleared away; no page brings them back. */
  #clearedTo = Number.NEGATIVE_INFINITY
  /** The newest call before the stream broke off. A later page that does not reach back to it leaves a hole. */
  #brokeOffAt: number | undefined
  readonly #fetchPage: FetchPage
  #arrivedSinceShown = 0
  #arrivedBeforeShown = 0
  readonly #batch = new FrameBatch(
    () => this.#show(),
    () => (Math.max(this.#arrivedSinceShown, this.#arrivedBeforeShown) > screenful ? busyGapMs : calmGapMs),
  )
  readonly #abort = new AbortController()

  constructor(source: CallSource, fetchPage: FetchPage) {
    this.db = source.db
    this.kfl = source.kfl
    this.start = source.start
    this.end = source.end
    this.list = new CallList(this.isLive ? liveCapacity : dissectionCapacity)
    this.#fetchPage = fetchPage
  }

  /** New calls come from the stream. A window of the past has none. */
  get isLive(): boolean {
    return this.db === undefined && this.start === undefined && this.end === undefined
  }

  /** There are older calls that would still fit. */
  get hasOlder(): boolean {
    return this.#cursor !== null && !this.list.trimmed && this.list.length < this.list.capacity
  }

  /** There are older calls, but the page keeps no more rows. */
  get isFull(): boolean {
    return this.list.trimmed || (this.#cursor !== null && this.list.length >= this.list.capacity)
  }

  async load(): Promise<void> {
    this.phase = 'loading'
    this.problem = undefined
    this.changed()
    await this.#ask(pageSize, undefined, (page) => {
      this.#cursor = page.next_cursor
      this.whyEmpty = page.why_empty
      this.#keepTotal(page)
      this.list.add(this.#notCleared(page.calls))
      this.pages = this.#isCounted(page) ? this.#paged(page) : undefined
    })
  }

  /** The rows on the screen. */
  show(first: number, last: number): void {
    this.pages?.show(first, last)
  }

  /** A page of older calls; where one is on its way already, that one. */
  loadOlder(): Promise<void> {
    this.#older ??= this.#loadOlder().finally(() => {
      this.#older = undefined
    })
    return this.#older
  }

  /** Loads to the oldest call, or as many as the page keeps. */
  async loadAll(): Promise<void> {
    do await this.loadOlder()
    while (this.hasOlder && this.phase !== 'failed' && !this.#abort.signal.aborted)
  }

  async #loadOlder(): Promise<void> {
    if (!this.hasOlder) return
    this.isLoadingOlder = true
    this.changed()
    await this.#ask(pageSize, this.#cursor ?? undefined, (page) => {
      this.#cursor = page.next_cursor
      this.whyEmpty = page.why_empty
      this.list.add(this.#notCleared(page.calls))
    })
    this.isLoadingOlder = false
    this.changed()
  }

  /** From now on calls are missed, until `catchUp`. */
  breakOff(): void {
    this.#brokeOffAt ??= this.list.newestTime
  }

  /** Fetches what the stream did not bring: before the filter was in force, during a break, after a pause. */
  async catchUp(): Promise<void> {
    if (this.phase === 'loading') return
    await this.#ask(catchUpSize, undefined, (page) => {
      const oldest = page.calls.at(-1)
      const hole =
        page.next_cursor && this.#brokeOffAt !== undefined && oldest && oldest.ts > this.#brokeOffAt
      this.#brokeOffAt = undefined
      if (hole) this.list.dropBefore(oldest.ts)
      // A page that reaches further back than the rows is where older ones go on from: the place before it has been passed.
      const reachesBack = oldest !== undefined && oldest.ts <= (this.list.oldestTime ?? oldest.ts)
      if (reachesBack || this.list.length === 0 || (hole && !this.list.held)) this.#cursor = page.next_cursor
      this.list.add(this.#notCleared(page.calls))
      this.whyEmpty = page.why_empty
      this.#keepTotal(page)
    })
  }

  accept(calls: readonly CompactCall[], { skipped, from, to }: SkippedSpan): void {
    const fresh = this.list.add(calls)
    this.#arrivedSinceShown += calls.length
    this.skipped += skipped
    if (from !== undefined && to !== undefined) {
      const { start = from, end = to } = this.skippedTime ?? {}
      this.skippedTime = { start: Math.min(start, from), end: Math.max(end, to) }
    }
    // The index drops its oldest calls meanwhile, so that this is no longer exact.
    if (this.total) this.total = { count: this.total.count + fresh + skipped, is: 'estimate' }
    this.changed()
  }

  clear(): void {
    this.#clearedTo = this.list.at(0)?.ts ?? this.#clearedTo
    this.list.clear()
    this.#cursor = null
    this.skipped = 0
    this.skippedTime = undefined
    this.changed()
  }

  fail(problem: HubProblem): void {
    this.phase = 'failed'
    this.problem = problem
    this.changed()
  }

  changed(): void {
    if (!this.#abort.signal.aborted) this.#batch.request()
  }

  dispose(): void {
    this.#abort.abort()
    this.#batch.cancel()
  }

  #show(): void {
    this.#arrivedBeforeShown = this.#arrivedSinceShown
    this.#arrivedSinceShown = 0
    this.version.set(this.version.get() + 1)
  }

  async #ask(limit: number, cursor: string | undefined, take: (page: CallPage) => void): Promise<void> {
    const signal = this.#abort.signal
    try {
      const { db, kfl, start, end } = this
      const page = await this.#fetchPage({ db, kfl, start, end, limit, cursor }, signal)
      if (signal.aborted) return
      this.missingNodes = page.missing_nodes
      if (page.rewind?.searched_from) this.searchedFrom = Date.parse(page.rewind.searched_from)
      take(page)
      this.phase = 'ready'
      this.problem = undefined
      this.changed()
    } catch (reason) {
      if (signal.aborted) return
      this.fail(reason instanceof HubProblem ? reason : HubProblem.unreachable())
    }
  }

  /** Every row has its number: nothing comes on top, and the hub has counted all. */
  #isCounted(page: CallPage): boolean {
    const grows = this.db === undefined && this.end === undefined
    return !grows && this.db !== 'recording' && page.total_is === 'exact' && page.calls.length > 0
  }

  #paged(first: CallPage): PagedCalls {
    return new PagedCalls(this, first, {
      fetchPage: this.#fetchPage,
      signal: this.#abort.signal,
      onChange: () => {
        this.phase = 'ready'
        this.problem = undefined
        this.changed()
      },
      onProblem: (reason) => this.fail(reason instanceof HubProblem ? reason : HubProblem.unreachable()),
    })
  }

  #notCleared(calls: CallPage['calls']): readonly CompactCall[] {
    return (calls as readonly CompactCall[]).filter((call) => call.ts > this.#clearedTo)
  }

  #keepTotal(page: CallPage): void {
    this.total = { count: page.total, is: page.total_is }
  }
}
