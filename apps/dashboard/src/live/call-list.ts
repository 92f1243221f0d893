import type { CompactCall } from '../client/call-details.ts'

/**
 * The calls on the page, newest first by request time, each id once, never more than `capacity`. While it is held,
 * because the user reads further down, newer calls are kept aside and the rows stay in place.
 */
export class CallList {
  readonly capacity: number
  /** Older rows were dropped to stay within the capacity. */
  trimmed = false
  /** Oldest first inside, so that the usual arrival is a push. */
  #shown: CompactCall[] = []
  #waiting: CompactCall[] = []
  #ids = new Set<string>()
  #held = false
  #arrivedWhileHeld = 0
  /** Calls between the rows before and after this time were not loaded: the older rows are dropped at the release. */
  #dropBefore = Number.NEGATIVE_INFINITY

  constructor(capacity: number) {
    this.capacity = capacity
  }

  get length(): number {
    return this.#shown.length
  }

  get held(): boolean {
    return this.#held
  }

  /** How many calls came since the list is held. */
  get waiting(): number {
    return this.#arrivedWhileHeld
  }

  /** The latest time of any call, shown or waiting. */
  get newestTime(): number | undefined {
    return (this.#waiting.at(-1) ?? this.#shown.at(-1))?.ts
  }

  /** The earliest time of a row. */
  get oldestTime(): number | undefined {
    return this.#shown[0]?.ts
  }

  at(row: number): CompactCall | undefined {
    return this.#shown[this.#shown.length - 1 - row]
  }

  newest(count: number): readonly CompactCall[] {
    return this.#shown.slice(-count).reverse()
  }

  has(id: string): boolean {
    return this.#ids.has(id)
  }

  /** The row of a call, or -1. */
  rowOf(id: string): number {
    if (!this.#ids.has(id)) return -1
    const index = this.#shown.findLastIndex((call) => call.id === id)
    return index < 0 ? -1 : this.#shown.length - 1 - index
  }

  /** How many of them were new. */
  add(calls: readonly CompactCall[]): number {
    const fresh = calls.filter((call) => {
      if (this.#ids.has(call.id)) return false
      this.#ids.add(call.id)
      return true
    })
    if (fresh.length === 0) return 0
    fresh.sort((a, b) => a.ts - b.ts)
    if (!this.#held) {
      merge(this.#shown, fresh)
      this.trimmed = this.#trim(this.#shown) || this.trimmed
      return fresh.length
    }
    const oldest = this.#shown[0]?.ts ?? Number.NEGATIVE_INFINITY
    const split = fresh.findIndex((call) => call.ts >= oldest)
    const older = split < 0 ? fresh : fresh.slice(0, split)
    const newer = split < 0 ? [] : fresh.slice(split)
    if (older.length > 0) {
      merge(this.#shown, older)
      this.trimmed = this.#trim(this.#shown) || this.trimmed
    }
    if (newer.length > 0) {
      this.#arrivedWhileHeld += newer.length
      merge(this.#waiting, newer)
      if (this.#trim(this.#waiting)) this.#dropBefore = this.#waiting[0]!.ts
    }
    return fresh.length
  }

  /** Drops the rows before a time once the user no longer reads them: the calls after them were not loaded. */
  dropBefore(time: number): void {
    if (this.#held) this.#dropBefore = Math.max(this.#dropBefore, time)
    else this.#keep(this.#shown.filter((call) => call.ts >= time))
  }

  hold(): void {
    this.#held = true
  }

  /** Lets what waited come in on top. */
  release(): void {
    if (!this.#held) return
    this.#held = false
    this.#arrivedWhileHeld = 0
    const rows = this.#shown
    merge(rows, this.#waiting)
    this.#waiting = []
    this.trimmed = this.#trim(rows) || this.trimmed
    if (this.#dropBefore === Number.NEGATIVE_INFINITY) return
    this.#keep(rows.filter((call) => call.ts >= this.#dropBefore))
    this.#dropBefore = Number.NEGATIVE_INFINITY
    this.trimmed = true
  }

  clear(): void {
    this.#shown = []
    this.#waiting = []
    this.#ids = new Set()
    this.#arrivedWhileHeld = 0
    this.#dropBefore = Number.NEGATIVE_INFINITY
    this.trimmed = false
  }

  #keep(rows: CompactCall[]): void {
    this.#shown = rows
    this.#ids = new Set(rows.map((call) => call.id))
  }

  #trim(rows: CompactCall[]): boolean {
    const excess = rows.length - this.capacity
    if (excess <= 0) return false
    for (const call of rows.splice(0, excess)) this.#ids.delete(call.id)
    return true
  }
}

/** Merges sorted `batch` into sorted `rows`; touches only the part that overlaps. Equal times keep their arrival. */
function merge(rows: CompactCall[], batch: readonly CompactCall[]): void {
  const first = batch[0]
  if (!first) return
  let low = 0
  let high = rows.length
  while (low < high) {
    const middle = (low + high) >> 1
    if (rows[middle]!.ts <= first.ts) low = middle + 1
    else high = middle
  }
  const tail = rows.splice(low)
  let left = 0
  for (const call of batch) {
    while (left < tail.length && tail[left]!.ts <= call.ts) rows.push(tail[left++]!)
    rows.push(call)
  }
  while (left < tail.length) rows.push(tail[left++]!)
}
