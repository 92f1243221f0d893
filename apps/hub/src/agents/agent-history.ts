export interface AgentRun {
  readonly at: string
  readonly kind: 'created' | 'started' | 'stopped' | 'edited' | 'tested' | 'matched' | 'restarted' | 'failed'
  readonly detail?: string
  /** Of `matched`, for the minute that begins at `at`. */
  readonly matched?: number
  readonly lost?: number
  readonly done?: number
  readonly failed?: number
}

interface Totals {
  readonly done: number
  readonly failed: number
}

const MAX_RUNS = 200
const MINUTE_MS = 60_000
const MAX_DETAIL = 500

/** What one agent did since the hub started, newest last. Matches of one minute are one entry; the oldest entry goes. */
export class AgentHistory {
  readonly #runs: AgentRun[] = []
  #minute: { readonly from: number; matched: number; lost: number; readonly base: Totals } | undefined
  #totals: () => Totals = () => ({ done: 0, failed: 0 })

  /** What its actions did so far; they are new after a start. */
  follow(totals: () => Totals): void {
    this.#endMinute()
    this.#totals = totals
  }

  note(kind: Exclude<AgentRun['kind'], 'matched'>, now: number, detail?: string): void {
    this.#endMinute()
    this.#add({
      at: new Date(now).toISOString(),
      kind,
      ...(detail !== undefined && { detail: detail.slice(0, MAX_DETAIL) }),
    })
  }

  /** Call it before the actions get the calls. */
  match(matched: number, lost: number, now: number): void {
    if (this.#minute && now - this.#minute.from >= MINUTE_MS) this.#endMinute()
    this.#minute ??= { from: now, matched: 0, lost: 0, base: this.#totals() }
    this.#minute.matched += matched
    this.#minute.lost += lost
  }

  /** Newest first. */
  list(): AgentRun[] {
    const current = this.#current()
    return [...this.#runs, ...(current ? [current] : [])].reverse()
  }

  #current(): AgentRun | undefined {
    if (!this.#minute) return undefined
    const { from, matched, lost, base } = this.#minute
    const { done, failed } = this.#totals()
    return {
      at: new Date(from).toISOString(),
      kind: 'matched',
      matched,
      lost,
      done: done - base.done,
      failed: failed - base.failed,
    }
  }

  #endMinute(): void {
    const ended = this.#current()
    this.#minute = undefined
    if (ended) this.#add(ended)
  }

  #add(run: AgentRun): void {
    this.#runs.push(run)
    if (this.#runs.length > MAX_RUNS) this.#runs.shift()
  }
}
