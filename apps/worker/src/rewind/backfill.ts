import { setTimeout as sleep } from 'node:timers/promises'
import type { Call } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import type { BackfillDeduplicator } from '../live/backfill-deduplicator.ts'
import type { Targets } from '../live/targets.ts'
import { type DissectionContext, dissectWindow } from './dissect-window.ts'
import { HeldSegments } from './held-segments.ts'
import { IndexedStarts } from './indexed-starts.ts'
import type { HeldWindow } from './rewind-message.ts'

/** Read before the gap, so that connections are known when it begins. Microseconds. */
const LEAD = 60_000_000
/** Read after the gap, so that its last calls get their responses. Microseconds. */
const TAIL = 60_000_000
/** Idle time for each unit of working time: live packets have priority. */
const IDLE_RATIO = 3

/** A gap of the index. Microseconds. */
export interface BackfillTask {
  readonly held: HeldWindow
  /** Calls that began in `[from, until)` are indexed. */
  readonly from: number
  readonly until: number
  /** So are calls that began since then and were still open at `from`. */
  readonly floor: number
  /** Set if live indexing continues at `until`. */
  readonly deduplicator?: BackfillDeduplicator
}

/** Progress of the backfill. Times are Unix milliseconds. */
export interface BackfillStatus {
  readonly running: boolean
  readonly from_ts: number
  readonly to_ts: number
  readonly calls: number
  readonly packets: number
}

export interface BackfillOptions {
  readonly index: CallIndex
  readonly context: DissectionContext
  readonly targets: Targets
  /** Something was appended to the index. */
  changed(): void
  /** This call was appended to the index. */
  appended(call: Call): void
  /** False aborts the backfill. */
  isWanted(): boolean
}

/** Fills gaps of the live index from the recording, slowly, one gap after the other. */
export class Backfill {
  #status: BackfillStatus = { running: true, from_ts: 0, to_ts: 0, calls: 0, packets: 0 }
  #task: BackfillTask | undefined
  #readUntil = 0

  get status(): BackfillStatus {
    return this.#status
  }

  /** The part of the current gap whose calls have all been appended. Milliseconds. */
  get done(): { readonly from: number; readonly to: number } | undefined {
    if (this.#task === undefined) return undefined
    const { from, until } = this.#task
    return { from: Math.floor(from / 1000), to: Math.floor(Math.min(this.#readUntil, until) / 1000) }
  }

  /** Returns false if it was aborted. */
  async run(task: BackfillTask, options: BackfillOptions): Promise<boolean> {
    const { held, from, until, deduplicator } = task
    const { index, context, targets, changed, appended, isWanted } = options
    const starts = await IndexedStarts.load(index, task.floor, until)
    const floor = Math.max(task.floor, starts.since)
    const isMissing = (call: Call) => {
      if (call.start < floor || call.start >= until) return false
      // It ended before the gap, while everything was indexed.
      if (call.start < from && call.response !== undefined && call.end < from) return false
      return !starts.take(call)
    }
    this.#note({
      from_ts: Math.min(this.#status.from_ts || Number.POSITIVE_INFINITY, Math.floor(from / 1000)),
      to_ts: Math.max(this.#status.to_ts, Math.ceil(until / 1000)),
    })
    this.#readUntil = from
    this.#task = task
    let rested = performance.now()
    try {
      return await dissectWindow(
        new HeldSegments(held),
        {
          from: floor - LEAD,
          to: until + TAIL,
          parties: [],
          call: (call, record) => {
            if (!isWanted() || !isMissing(call)) return
            const { src, dst } = record()
            if (!targets(src, dst)) return
            index.append(call, { src, dst })
            appended(call)
            if (call.end >= until) deduplicator?.indexed(call)
            this.#note({ calls: this.#status.calls + 1 })
            changed()
          },
          flow(flow, peers) {
            if (flow.last < from || flow.start >= until || !isWanted()) return
            if (!targets(peers.src, peers.dst)) return
            index.appendFlow(flow, peers)
            changed()
          },
          progress: async (_bytes, packets, time) => {
            this.#readUntil = time
            this.#note({ packets: this.#status.packets + packets })
            await sleep(Math.ceil(IDLE_RATIO * (performance.now() - rested)))
            rested = performance.now()
            return isWanted()
          },
        },
        context,
      )
    } finally {
      this.#task = undefined
    }
  }

  /** No further gap follows. */
  end(): void {
    this.#note({ running: false })
  }

  #note(change: Partial<BackfillStatus>): void {
    this.#status = { ...this.#status, ...change }
  }
}
