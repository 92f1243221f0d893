import type { Waiting } from './waiting.ts'

type Key = number | string

/** Requests with keys are looked up, rather than gone through, once there are more than these. */
const MANY = 64

/**
 * The requests of one side that wait, in order, where there are several. With tens of thousands under way, each is still
 * found and taken out at once.
 */
export class WaitingQueue {
  size = 0
  #only: Waiting | undefined
  /** With holes where requests were; none stands before `#first`. */
  #items: (Waiting | undefined)[] | undefined
  #first = 0
  #byKey: Map<Key, Waiting[]> | undefined

  push(waiting: Waiting): void {
    if (++this.size === 1) {
      this.#only = waiting
      return
    }
    this.#items ??= this.#several()
    waiting.place = this.#items.length
    this.#items.push(waiting)
    if (this.#byKey !== undefined) this.#enter(waiting, this.#byKey)
    else if (waiting.key !== undefined && this.size > MANY) this.#index()
  }

  remove(waiting: Waiting): void {
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
    if (items.length > 2 * this.size + MANY) this.#close(items)
    if (waiting.key !== undefined) this.#strike(waiting, waiting.key)
  }

  /** The oldest of that key, or without one, that lacks a response or a part of one. */
  find(key: Key | undefined): Waiting | undefined {
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

  /** The latest of that key whose request has only begun. */
  findBegun(key: Key | undefined): Waiting | undefined {
    const begun = (waiting: Waiting | undefined) => waiting?.key === key && waiting?.request.more === true
    if (this.#only !== undefined) return begun(this.#only) ? this.#only : undefined
    if (key !== undefined && this.#byKey !== undefined) return this.#byKey.get(key)?.findLast(begun)
    return this.#items?.findLast(begun)
  }

  all(): Waiting[] {
    if (this.#only !== undefined) return [this.#only]
    return this.#items?.filter((waiting) => waiting !== undefined) ?? []
  }

  oldest(): Waiting | undefined {
    return this.#only ?? this.#items?.[this.#first]
  }

  #several(): (Waiting | undefined)[] {
    const only = this.#only
    this.#only = undefined
    if (only !== undefined) only.place = 0
    return [only]
  }

  /** Closes the holes. */
  #close(items: readonly (Waiting | undefined)[]): void {
    const left = items.filter((waiting) => waiting !== undefined)
    for (const [place, waiting] of left.entries()) waiting.place = place
    this.#items = left
    this.#first = 0
  }

  #index(): void {
    const byKey = new Map<Key, Waiting[]>()
    for (const waiting of this.all()) this.#enter(waiting, byKey)
    this.#byKey = byKey
  }

  #enter(waiting: Waiting, byKey: Map<Key, Waiting[]>): void {
    const { key } = waiting
    if (key === undefined) return
    const same = byKey.get(key)
    if (same === undefined) byKey.set(key, [waiting])
    else same.push(waiting)
  }

  #strike(waiting: Waiting, key: Key): void {
    const same = this.#byKey?.get(key)
    if (same === undefined) return
    const at = same.indexOf(waiting)
    if (at >= 0) same.splice(at, 1)
    if (same.length === 0) this.#byKey?.delete(key)
  }
}
