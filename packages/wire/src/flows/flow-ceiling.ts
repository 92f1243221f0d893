import type { Loss } from '../loss.ts'
import { ALIVE, ENDING, OVER } from './flow-table.ts'
import type { Tracker } from './tracker.ts'

/** Keeps the number of flows of all transports under one ceiling. */
export class FlowCeiling {
  readonly #trackers: Tracker[] = []
  readonly #limit: number
  readonly #loss: Loss
  /** How many flows there is room for at least: those that end meanwhile are not counted. */
  #room = 0

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

  /** Makes room for one more flow: first at the cost of those that are over or ending, then of the longest idle. */
  admit(): void {
    if (this.#room === 0) this.#room = Math.max(0, this.#limit - this.size)
    if (this.#room > 0) {
      this.#room--
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
