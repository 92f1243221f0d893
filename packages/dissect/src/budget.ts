import type { Loss } from '@tapdeck/wire'

/** What one connection may keep in memory of its own accord. */
export interface Allowance {
  /** False, and counted, where there is no room for that many bytes. */
  take(bytes: number): boolean
  give(bytes: number): void
}

/** The ceiling over what all connections together keep. */
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
