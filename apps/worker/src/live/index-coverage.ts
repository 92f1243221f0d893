import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { type CoverageGap, CoverageLog, type CoverageState, isDiskFullText } from '@tapdeck/recording'
import { damagedFolder } from './damaged-index.ts'

/** The longest time that a call may be open; after that it is emitted without its response. */
const MAX_CALL_MS = 60_000
/** A message of the database can have a statement in it. */
const MAX_DETAIL = 500

/** A gap to fill. `floor`: calls that began since then may still be open at its start. Milliseconds. */
export interface PlannedGap extends CoverageGap {
  readonly floor: number
  /** The current period of indexing follows this gap. */
  readonly isLast: boolean
}

type Spans = readonly { readonly from: number; readonly to: number }[]

/** The times at which the live index was not written; stored in the folder of the index. */
export class IndexCoverage {
  readonly #log: CoverageLog
  #begunAt = 0
  #first: number | undefined
  /** Time of the newest pushed packets (microseconds), and the time up to which all captured packets were pushed (milliseconds). */
  #pushed = 0
  #captured = 0
  /** Calls up to this time were deleted from the index. */
  #deleted = 0
  /** Why the index cannot be written at the moment. */
  #unwritten: CoverageState['off']

  constructor(folder: string) {
    const before = existsSync(damagedFolder(folder)) ? 'index_damaged' : 'not_started'
    this.#log = CoverageLog.open(join(folder, 'coverage.json'), { before })
  }

  /** While the index cannot be written, it has nothing after the last time that is durable. */
  get state(): CoverageState {
    const { state } = this.#log
    return this.#unwritten && state.off === undefined ? { ...state, off: this.#unwritten } : state
  }

  /** With the reason why it cannot be written, if so. */
  get status(): { readonly coverage: CoverageState; readonly coverageFailure?: string } {
    const { state: coverage, failure } = this.#log
    return { coverage, ...(failure !== undefined && { coverageFailure: failure }) }
  }

  /** Capture time of the first packet of this period, in microseconds. */
  get first(): number | undefined {
    return this.#first
  }

  /** All calls that ended before this time (Unix milliseconds) were appended to the index. */
  get given(): number {
    return Math.max(Math.floor(this.#pushed / 1000), this.#captured)
  }

  /** The same, where calls that ended since `waiting` are not in the index yet. */
  givenBefore(waiting = Number.POSITIVE_INFINITY): number {
    return Math.min(this.given, Math.floor(waiting))
  }

  /** A period begins; its first packet is not known yet. */
  begin(now: number): void {
    this.#begunAt = now
    this.#first = undefined
    this.#pushed = 0
    this.#captured = 0
  }

  /** Packets from this time on (microseconds) are dissected next. */
  push(time: number): void {
    this.#pushed = Math.max(this.#pushed, time)
    if (this.#first !== undefined) return
    this.#first = time
    this.#log.begin(Math.ceil(time / 1000))
  }

  /** All packets that were captured up to this time (Unix milliseconds) have been dissected. */
  caughtUp(until: number): void {
    this.#captured = Math.max(this.#captured, until)
    if (until > this.#begunAt) this.#beginWithoutPacket()
  }

  /** Calls up to this time (Unix milliseconds) are no longer in the index. */
  deleted(until: number): void {
    this.#deleted = until
  }

  /** Everything before `given` is durable, and so is the `filled` part of a gap. */
  written(given: number, filled: Spans[number] | undefined, unavailable: Spans): void {
    this.#unwritten = undefined
    this.#log.beat(given, this.#deleted)
    if (filled) this.#log.fill(filled.from, filled.to, unavailable)
  }

  /** Writing failed; it is tried again. */
  unwritten(error: unknown): void {
    const detail = (error instanceof Error ? error.message : String(error)).slice(0, MAX_DETAIL)
    this.#unwritten = { reason: isDiskFullText(detail) ? 'disk_full' : 'index_unwritable', detail }
  }

  end(reason: string): void {
    this.#log.end(reason)
  }

  /** Marks the gaps since a time as planned, and returns all planned gaps, newest first. */
  plan(since: number): PlannedGap[] {
    this.#beginWithoutPacket()
    const planned = this.#log.plan(since)
    const { gaps } = this.#log
    return planned
      .map((gap) => ({ ...gap, floor: floorOf(gap, gaps), isLast: gap === gaps.at(-1) }))
      .reverse()
  }

  close(): void {
    this.#log.close()
  }

  /** Begins a period before its first packet arrives. */
  #beginWithoutPacket(): void {
    if (this.#first === undefined) this.#log.begin(this.#begunAt)
  }
}

/** Never before the end of the preceding gap. */
function floorOf({ from }: CoverageGap, gaps: readonly CoverageGap[]): number {
  const before = gaps.findLast(({ to }) => to <= from)
  return Math.max(from - MAX_CALL_MS, before?.to ?? 0, 0)
}
