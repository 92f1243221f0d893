import type { Waiting } from './waiting.ts'
import { WaitingQueue } from './waiting-queue.ts'

/**
 * The requests of one side that wait, in order. Mostly there is one at most, and hundreds of thousands of connections have no
 * more: that one costs nothing but itself. A connection that once had several keeps the queue for them.
 */
export class WaitingList {
  #only: Waiting | undefined
  #several: WaitingQueue | undefined

  get size(): number {
    if (this.#several !== undefined) return this.#several.size
    return this.#only === undefined ? 0 : 1
  }

  protected push(waiting: Waiting): void {
    if (this.#several === undefined) {
      if (this.#only === undefined) {
        this.#only = waiting
        return
      }
      this.#several = new WaitingQueue()
      this.#several.push(this.#only)
      this.#only = undefined
    }
    this.#several.push(waiting)
  }

  protected remove(waiting: Waiting): void {
    if (this.#several !== undefined) this.#several.remove(waiting)
    else this.#only = undefined
  }

  /** The oldest of that key, or without one, that lacks a response or a part of one. */
  protected find(key: number | string | undefined): Waiting | undefined {
    if (this.#several !== undefined) return this.#several.find(key)
    const only = this.#only
    return only !== undefined && only.key === key && only.open ? only : undefined
  }

  /** The latest of that key whose request has only begun. */
  protected findBegun(key: number | string | undefined): Waiting | undefined {
    if (this.#several !== undefined) return this.#several.findBegun(key)
    const only = this.#only
    return only !== undefined && only.key === key && only.request.more === true ? only : undefined
  }

  protected all(): Waiting[] {
    if (this.#several !== undefined) return this.#several.all()
    return this.#only === undefined ? [] : [this.#only]
  }

  protected oldest(): Waiting | undefined {
    return this.#several === undefined ? this.#only : this.#several.oldest()
  }
}
