import { closeSync, constants, mkdirSync, openSync, renameSync, writeFileSync, writeSync } from 'node:fs'
import { dirname } from 'node:path'
import { type CoverageGap, type CoverageState, outside } from './coverage-gap.ts'
import { type Beat, beatPath, NO_BEAT, readBeat, readStored, type StoredCoverage } from './stored-coverage.ts'

/** More gaps than this become fewer: the two oldest are joined. */
const MAX_GAPS = 500
const MODE = 0o600
const BEAT_BYTES = 64

export interface CoverageLogOptions {
  /** What is said of the time before the first entry of a new log. */
  readonly before?: string
}

/**
 * When something was stored and when not, on disk: a file with the gaps, replaced as a whole when they change, and a second
 * one with the last covered moment, written in place. A process that was killed leaves the last moment behind, so the next one
 * knows where its gap begins. A write that fails is tried again at the next beat, and `failure` says why until it succeeds.
 */
export class CoverageLog {
  readonly #file: string | undefined
  #gaps: CoverageGap[]
  #off: StoredCoverage['off']
  #since = 0
  #until: number
  #forgotten = 0
  #dirty = false
  #failure: string | undefined
  #beatFile: number | undefined

  private constructor(file: string | undefined, { gaps, off, since }: StoredCoverage, beat: Beat) {
    this.#file = file
    this.#gaps = [...gaps]
    this.#forgotten = beat.forgotten
    // It was on when the process ended: nothing is known after its last moment.
    const last = Math.max(since ?? 0, beat.until)
    this.#off = off ?? { since: last, reason: 'killed' }
    this.#until = this.#off.since
  }

  /** Without a file it remembers nothing beyond the process. */
  static open(file: string | undefined, { before = 'not_started' }: CoverageLogOptions = {}): CoverageLog {
    const nothing: StoredCoverage = { gaps: [], off: { since: 0, reason: before } }
    if (file === undefined) return new CoverageLog(file, nothing, NO_BEAT)
    return new CoverageLog(file, readStored(file) ?? nothing, readBeat(file))
  }

  get isOn(): boolean {
    return this.#off === undefined
  }

  /** Everything up to here is stored, apart from the gaps. */
  get until(): number {
    return this.#off?.since ?? this.#until
  }

  /** Why the files cannot be written; undefined: they are. */
  get failure(): string | undefined {
    return this.#failure
  }

  get gaps(): readonly CoverageGap[] {
    return this.#gaps
  }

  get state(): CoverageState {
    const { reason, detail } = this.#off ?? {}
    return {
      until: this.until,
      ...(reason !== undefined && { off: { reason, ...(detail !== undefined && { detail }) } }),
      ...(this.#forgotten > 0 && { forgotten: this.#forgotten }),
      gaps: this.#gaps,
    }
  }

  /** What is on disk proves that more was stored before a kill than the last beat says. */
  extend(until: number): void {
    if (this.#off?.reason !== 'killed' || until <= this.#off.since) return
    this.#off = { ...this.#off, since: until }
    this.#save()
  }

  /** Everything from now on is stored. */
  begin(at: number): void {
    const off = this.#off
    if (off === undefined) return
    const { since: from, ...why } = off
    if (at > from) this.#add({ from, to: at, ...why })
    this.#off = undefined
    this.#since = Math.max(from, at)
    this.#until = this.#since
    this.#save()
    this.#beat()
  }

  /** Everything up to this moment is stored. */
  beat(until: number, forgotten = 0): void {
    this.#forgotten = Math.max(this.#forgotten, forgotten)
    if (this.#off === undefined) this.#until = Math.max(this.#until, until)
    if (this.#dirty) this.#save()
    this.#beat()
  }

  /** Nothing is stored after the last beat, or after `at` where that is later. */
  end(reason: string, at = 0, detail?: string): void {
    if (this.#off !== undefined) return
    this.#off = { since: Math.max(this.#until, at), reason, ...(detail !== undefined && { detail }) }
    this.#save()
  }

  /** It is still off, and for another reason from now on. */
  blame(reason: string, at: number, detail?: string): void {
    const off = this.#off
    if (off === undefined || (off.reason === reason && off.detail === detail)) return
    const { since: from, ...why } = off
    if (at > from) this.#add({ from, to: at, ...why })
    this.#off = { since: Math.max(from, at), reason, ...(detail !== undefined && { detail }) }
    this.#save()
  }

  /** Something is missing between the last beat and now, though both ends are stored. */
  miss(reason: string, to: number, detail?: string): void {
    if (this.#off !== undefined || to <= this.#until) return
    this.#add({ from: this.#until, to, reason, ...(detail !== undefined && { detail }) })
    this.#until = to
    this.#since = Math.max(this.#since, to)
    this.#save()
    this.#beat()
  }

  /** Marks the gaps after a time as those that are going to be filled, and returns all that are. */
  plan(since: number): readonly CoverageGap[] {
    const planned = this.#gaps.flatMap((gap): CoverageGap[] => {
      if (gap.pending || gap.to <= since) return [gap]
      const rest = { ...gap, from: Math.max(gap.from, since), pending: true as const }
      return gap.from < since ? [{ ...gap, to: since }, rest] : [rest]
    })
    if (planned.some((gap, at) => gap.pending !== this.#gaps[at]?.pending)) this.#replace(planned)
    return this.#gaps.filter(({ pending }) => pending)
  }

  /** What was missing of this time is there now, apart from what is not available. */
  fill(
    from: number,
    to: number,
    unavailable: readonly { readonly from: number; readonly to: number }[],
  ): void {
    const filled = outside({ from, to }, unavailable)
    const left = this.#gaps.flatMap((gap) => outside(gap, filled))
    const settled = left.map((gap) =>
      gap.pending && gap.from >= from && gap.to <= to ? { ...gap, pending: undefined } : gap,
    )
    this.#replace(settled.map(({ pending, ...gap }) => (pending ? { ...gap, pending } : gap)))
  }

  close(): void {
    if (this.#beatFile !== undefined) closeSync(this.#beatFile)
    this.#beatFile = undefined
  }

  #add(gap: CoverageGap): void {
    this.#replace([...this.#gaps, gap], false)
  }

  #replace(gaps: readonly CoverageGap[], save = true): void {
    this.#gaps = [...gaps]
    while (this.#gaps.length > MAX_GAPS) {
      const [first, second] = this.#gaps
      this.#gaps.splice(0, 2, { from: first!.from, to: second!.to, reason: second!.reason })
    }
    if (save) this.#save()
  }

  #save(): void {
    if (this.#file === undefined) return
    const stored: StoredCoverage = this.#off
      ? { gaps: this.#gaps, off: this.#off }
      : { gaps: this.#gaps, since: this.#since }
    try {
      // With ClickHouse nothing else makes this folder.
      mkdirSync(dirname(this.#file), { recursive: true, mode: 0o700 })
      writeFileSync(`${this.#file}.new`, JSON.stringify(stored), { mode: MODE })
      renameSync(`${this.#file}.new`, this.#file)
      this.#dirty = false
      this.#failure = undefined
    } catch (error) {
      this.#failed(error)
    }
  }

  /** Never ahead of a gap that is not on disk: after a kill, the time of that gap would count as covered. */
  #beat(): void {
    if (this.#file === undefined || this.#dirty) return
    try {
      this.#beatFile ??= openSync(beatPath(this.#file), constants.O_RDWR | constants.O_CREAT, MODE)
      writeSync(this.#beatFile, `${this.#until} ${this.#forgotten}`.padEnd(BEAT_BYTES), 0)
    } catch (error) {
      this.#failed(error)
    }
  }

  #failed(error: unknown): void {
    this.#dirty = true
    this.#failure = error instanceof Error ? error.message : String(error)
  }
}
