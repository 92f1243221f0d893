import { setTimeout as sleep } from 'node:timers/promises'
import { protocols } from '@tapdeck/dissect'
import type { CallIndex } from '@tapdeck/index'
import { compile, createCatalog } from '@tapdeck/kfl'
import type { Border } from '../live/border.ts'
import type { Targets } from '../live/targets.ts'
import { type Bench, dissectWindow } from './dissect-window.ts'
import { HeldParts } from './held-parts.ts'
import type { Held } from './rewind-message.ts'

/** Before it, so that connections are known when it begins. Microseconds. */
const LEAD = 60_000_000
/** After it, so that its last calls get their responses, as far as they are recorded by now. */
const TAIL = 60_000_000
/** Of each stretch of time, so many parts of a rest for one part of work: live packets go first. */
const REST = 3

export interface BackfillTask {
  readonly held: Held
  /** Microseconds: calls that began in `[from, until)` are wanted. */
  readonly from: number
  readonly until: number
}

/** How far the index was filled with what was recorded before indexing began. Times are Unix milliseconds. */
export interface BackfillStatus {
  readonly running: boolean
  readonly from_ts: number
  readonly to_ts: number
  readonly calls: number
  readonly packets: number
}

export interface BackfillOptions {
  readonly index: CallIndex
  readonly bench: Bench
  readonly targets: Targets
  /** To what live indexing finds. */
  readonly border: Border
  /** Something was appended to the index. */
  changed(): void
  /** False: it is to be left. */
  goesOn(): boolean
}

/** Dissects the last minutes of the recording into the live index, slowly, in the order of time. */
export class Backfill {
  #status: BackfillStatus = { running: true, from_ts: 0, to_ts: 0, calls: 0, packets: 0 }

  get status(): BackfillStatus {
    return this.#status
  }

  /** What was indexed before is left out: what began up to the newest call that the index has of that time. */
  async run(
    task: BackfillTask,
    { index, bench, targets, border, changed, goesOn }: BackfillOptions,
  ): Promise<void> {
    const { until } = task
    const from = Math.max(task.from, (await newestBefore(index, until)) + 1)
    this.#note({ from_ts: Math.floor(from / 1000), to_ts: Math.ceil(until / 1000) })
    let rested = performance.now()
    try {
      if (from < until)
        await dissectWindow(
          new HeldParts(task.held),
          {
            from: from - LEAD,
            to: until + TAIL,
            parties: [],
            call: (call, record) => {
              if (call.start < from || call.start >= until || !goesOn()) return
              const { src, dst } = record()
              if (!targets(src, dst)) return
              index.append(call, { src, dst })
              if (call.end >= until) border.told(call)
              this.#note({ calls: this.#status.calls + 1 })
              changed()
            },
            flow(flow, peers) {
              if (flow.last < from || flow.start >= until || !goesOn()) return
              if (!targets(peers.src, peers.dst)) return
              index.appendFlow(flow, peers)
              changed()
            },
            progress: async (_bytes, packets) => {
              this.#note({ packets: this.#status.packets + packets })
              await sleep(Math.ceil(REST * (performance.now() - rested)))
              rested = performance.now()
              return goesOn()
            },
          },
          bench,
        )
    } finally {
      this.#note({ running: false })
    }
  }

  #note(change: Partial<BackfillStatus>): void {
    this.#status = { ...this.#status, ...change }
  }
}

/** Microseconds. */
async function newestBefore(index: CallIndex, until: number): Promise<number> {
  const filter = compile('', createCatalog(protocols))
  const end = Math.ceil(until / 1000) - 1
  const { calls } = await index.calls({ filter, limit: 1, order: 'newest', end })
  return calls[0] === undefined ? Number.NEGATIVE_INFINITY : Math.floor(calls[0].ts * 1000)
}
