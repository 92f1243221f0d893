import type { PendingCall } from './pending-call.ts'
import { PendingQueue } from './pending-queue.ts'

/**
 * Pending requests of one side, in order. Most connections have at most one, which is stored without a queue. The
 * queue is created for the second.
 */
export class PendingList {
  #only: PendingCall | undefined
  #several: PendingQueue | undefined

  get size(): number {
    if (this.#several !== undefined) return this.#several.size
    return this.#only === undefined ? 0 : 1
  }

  protected push(waiting: PendingCall): void {
    if (this.#several === undefined) {
      if (this.#only === undefined) {
        this.#only = waiting
        return
      }
      this.#several = new PendingQueue()
      this.#several.push(this.#only)
      this.#only = undefined
    }
    this.#several.push(waiting)
  }

  protected remove(waiting: PendingCall): void {
    if (this.#several !== undefined) this.#several.remove(waiting)
    else this.#only = undefined
  }

  /** The oldest with that key, or without a key, that lacks a response or a part of one. */
  protected find(key: number | string | undefined): PendingCall | undefined {
    if (this.#several !== undefined) return this.#several.find(key)
    const only = this.#only
    return only !== undefined && only.key === key && only.open ? only : undefined
  }

  /** The newest with that key whose request is incomplete. */
  protected findBegun(key: number | string | undefined): PendingCall | undefined {
    if (this.#several !== undefined) return this.#several.findBegun(key)
    const only = this.#only
    return only !== undefined && only.key === key && only.request.more === true ? only : undefined
  }

  protected all(): PendingCall[] {
    if (this.#several !== undefined) return this.#several.all()
    return this.#only === undefined ? [] : [this.#only]
  }

  protected oldest(): PendingCall | undefined {
    return this.#several === undefined ? this.#only : this.#several.oldest()
  }
}
