import type { PendingCall } from './pending-call.ts'

type Key = number | string

/** With more requests than this, keys are looked up in a map. */
const INDEX_MIN = 64

/** Pending requests of one side, in order. Finding and removing one stays fast with tens of thousands. */
export class PendingQueue {
  size = 0
  #only: PendingCall | undefined
  /** Has holes where requests were removed, none before `#first`. */
  #items: (PendingCall | undefined)[] | undefined
  #first = 0
  #byKey: Map<Key, PendingCall[]> | undefined

  push(waiting: PendingCall): void {
    if (++this.size === 1) {
      this.#only = waiting
      return
    }
    this.#items ??= this.#several()
    waiting.place = this.#items.length
    this.#items.push(waiting)
    if (this.#byKey !== undefined) this.#enter(waiting, this.#byKey)
    else if (waiting.key !== undefined && this.size > INDEX_MIN) this.#index()
  }

  remove(waiting: PendingCall): void {
    if (--this.size === 0) {
      this.#only = undefined
      this.#items = undefined
      this.#byKey = undefined
      this.#first = 0
      return
    }
    const items = this.#items
    if (items === undefined) return
    items[waiting.place] = undefined
    while (items[this.#first] === undefined) this.#first++
    if (items.length > 2 * this.size + INDEX_MIN) this.#close(items)
    if (waiting.key !== undefined) this.#strike(waiting, waiting.key)
  }

  /** The oldest with that key, or without a key, that lacks a response or a part of one. */
  find(key: Key | undefined): PendingCall | undefined {
    const only = this.#only
    if (only !== undefined) return only.key === key && only.open ? only : undefined
    if (key !== undefined && this.#byKey !== undefined) return this.#byKey.get(key)?.find(({ open }) => open)
    const items = this.#items
    if (items === undefined) return undefined
    for (let i = this.#first; i < items.length; i++) {
      const waiting = items[i]
      if (waiting !== undefined && waiting.key === key && waiting.open) return waiting
    }
    return undefined
  }

  /** The newest with that key whose request is incomplete. */
  findBegun(key: Key | undefined): PendingCall | undefined {
    const begun = (waiting: PendingCall | undefined) => waiting?.key === key && waiting?.request.more === true
    if (this.#only !== undefined) return begun(this.#only) ? this.#only : undefined
    if (key !== undefined && this.#byKey !== undefined) return this.#byKey.get(key)?.findLast(begun)
    return this.#items?.findLast(begun)
  }

  all(): PendingCall[] {
    if (this.#only !== undefined) return [this.#only]
    return this.#items?.filter((waiting) => waiting !== undefined) ?? []
  }

  oldest(): PendingCall | undefined {
    return this.#only ?? this.#items?.[this.#first]
  }

  #several(): (PendingCall | undefined)[] {
    const only = this.#only
    this.#only = undefined
    if (only !== undefined) only.place = 0
    return [only]
  }

  /** Removes the holes. */
  #close(items: readonly (PendingCall | undefined)[]): void {
    const left = items.filter((waiting) => waiting !== undefined)
    for (const [place, waiting] of left.entries()) waiting.place = place
    this.#items = left
    this.#first = 0
  }

  #index(): void {
    const byKey = new Map<Key, PendingCall[]>()
    for (const waiting of this.all()) this.#enter(waiting, byKey)
    this.#byKey = byKey
  }

  #enter(waiting: PendingCall, byKey: Map<Key, PendingCall[]>): void {
    const { key } = waiting
    if (key === undefined) return
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, [waiting])
    else same.push(waiting)
  }

  #strike(waiting: PendingCall, key: Key): void {
    const same = this.#byKey?.get(key)
    if (same === undefined) return
    const at = same.indexOf(waiting)
    if (at >= 0) same.splice(at, 1)
    if (same.length === 0) this.#byKey?.delete(key)
  }
}
