import type { Loss } from '../loss.ts'
import { ALIVE, ENDING, OVER } from './flow-table.ts'
import type { Tracker } from './tracker.ts'

/** Limits the number of flows of all transports together. */
export class FlowCeiling {
  readonly #trackers: Tracker[] = []
  readonly #limit: number
  readonly #loss: Loss
  /** A lower bound of the flows that can be added: flows that end in the meantime are not counted. */
  #free = 0

  constructor(limit: number, loss: Loss) {
    this.#limit = Math.max(1, limit)
    this.#loss = loss
  }

  join(tracker: Tracker): void {
    this.#trackers.push(tracker)
  }

  get size(): number {
    let size = 0
    for (const tracker of this.#trackers) size += tracker.size
    return size
  }

  /** Evicts a flow if the table is full: first one that is over or ending, then the longest idle. */
  admit(): void {
    if (this.#free === 0) this.#free = Math.max(0, this.#limit - this.size)
    if (this.#free > 0) {
      this.#free--
      return
    }
    for (const queue of [OVER, ENDING, ALIVE] as const) {
      let oldest: Tracker | undefined
      for (const tracker of this.#trackers)
        if (tracker.oldest(queue) < (oldest?.oldest(queue) ?? Number.POSITIVE_INFINITY)) oldest = tracker
      if (oldest === undefined) continue
      if (queue === ALIVE) this.#loss.evicted_flows = (this.#loss.evicted_flows ?? 0) + 1
      oldest.evict(queue)
      return
    }
  }
}
