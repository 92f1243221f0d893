/** Texts that come again and again, by number. */
export class Words {
  readonly #numbers = new Map<string, number>()
  #fresh: string[] = []

  number(text: string): number {
    let number = this.#numbers.get(text)
    if (number === undefined) {
      number = this.#numbers.size
      this.#numbers.set(text, number)
      this.#fresh.push(text)
    }
    return number
  }

  /** Those that were new since the last time, in order of their numbers. */
  takeFresh(): readonly string[] {
    const fresh = this.#fresh
    this.#fresh = []
    return fresh
  }
}
