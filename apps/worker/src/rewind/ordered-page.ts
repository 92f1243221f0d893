import { comparePlaces, type Place } from './rewind-cursor.ts'

export interface PageEntry<Kept> {
  readonly place: Place
  readonly kept: Kept
}

/** Keeps the first `limit` calls in an order out of any number; holds at most twice the limit. */
export class OrderedPage<Kept> {
  /** Number of calls that were offered. */
  offered = 0
  readonly #limit: number
  readonly #compare: (a: PageEntry<Kept>, b: PageEntry<Kept>) => number
  #list: PageEntry<Kept>[] = []

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
  take(): readonly PageEntry<Kept>[] {
    this.#cut()
    return this.#list
  }

  #cut(): void {
    this.#list.sort(this.#compare)
    this.#list.length = Math.min(this.#list.length, this.#limit)
  }
}
