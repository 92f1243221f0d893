import type { Loss } from '@tapdeck/wire'

/** Reserves and releases memory. */
export interface Allowance {
  /** Returns false, and counts, if the limit does not allow it. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** The memory limit of all connections together. */
export class Budget implements Allowance {
  readonly ceiling: number
  used = 0
  readonly #loss: Loss

  constructor(ceiling: number, loss: Loss) {
    this.ceiling = ceiling
    this.#loss = loss
  }

  take(bytes: number): boolean {
    if (this.used + bytes > this.ceiling) {
      this.#loss.buffer_overflow = (this.#loss.buffer_overflow ?? 0) + bytes
      return false
    }
    this.used += bytes
    return true
  }

  give(bytes: number): void {
    this.used -= bytes
  }
}
