import type { Allowance } from '../../memory/budget.ts'

const MAX_COUNT = 256

/** What one side's topic aliases stand for: MQTT 5.0 §3.3.2.3.4. */
export class Aliases {
  readonly #budget: Allowance
  readonly #topics = new Map<number, string>()

  constructor(budget: Allowance) {
    this.#budget = budget
  }

  set(alias: number, topic: string): void {
    const before = this.#topics.get(alias)
    if (before === topic) return
    if (before !== undefined) {
      this.#topics.delete(alias)
      this.#budget.give(before.length)
    }
    if (this.#topics.size < MAX_COUNT && this.#budget.take(topic.length)) this.#topics.set(alias, topic)
  }

  get(alias: number): string | undefined {
    return this.#topics.get(alias)
  }

  /** One of them may have been given another topic in bytes that were lost: better none than a wrong one. */
  clear(): void {
    for (const topic of this.#topics.values()) this.#budget.give(topic.length)
    this.#topics.clear()
  }
}
