import { comparePlaces, type Place } from './rewind-cursor.ts'

export interface Listed<Kept> {
  readonly place: Place
  readonly kept: Kept
}

/** The first so many calls in an order, out of any number that are offered; no more are held than twice as many. */
export class Shortlist<Kept> {
  /** All that were offered. */
  offered = 0
  readonly #limit: number
  readonly #compare: (a: Listed<Kept>, b: Listed<Kept>) => number
  #list: Listed<Kept>[] = []

  constructor(limit: number, order: 'newest' | 'oldest') {
    this.#limit = limit
    const sign = order === 'newest' ? -1 : 1
    this.#compare = (a, b) => sign * comparePlaces(a.place, b.place)
  }

  offer(place: Place, kept: Kept): void {
    this.offered++
    this.#list.push({ place, kept })
    if (this.#list.length >= 2 * this.#limit) this.#cut()
  }

  /** In order. */
  take(): readonly Listed<Kept>[] {
    this.#cut()
    return this.#list
  }

  #cut(): void {
    this.#list.sort(this.#compare)
    this.#list.length = Math.min(this.#list.length, this.#limit)
  }
}
