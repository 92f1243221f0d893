import type { Side } from '@tapdeck/wire'

/**
 * Finds out who began: open, attach, detach, end and close are said by both sides in the same words, first as a
 * question, then as the answer to it.
 */
export class Turns {
  readonly #most: number
  readonly #begun = new Map<string, Side>()

  constructor(most: number) {
    this.#most = most
  }

  isAnswer(side: Side, key: string): boolean {
    const first = this.#begun.get(key)
    if (first !== undefined && first !== side) {
      this.#begun.delete(key)
      return true
    }
    if (this.#begun.size >= this.#most)
      for (const oldest of this.#begun.keys()) {
        this.#begun.delete(oldest)
        break
      }
    this.#begun.set(key, side)
    return false
  }

  /** What the other side than `side` began and will get no answer to, by the beginnings of the keys. */
  abandoned(side: Side, beginnings: readonly string[]): string[] {
    const keys: string[] = []
    for (const [key, first] of this.#begun) {
      if (first === side || !beginnings.some((beginning) => key.startsWith(beginning))) continue
      this.#begun.delete(key)
      keys.push(key)
    }
    return keys
  }
}
