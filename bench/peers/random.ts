/** Numbers that look random and are the same in each run. */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_103_515_245) + 12_345) | 0
    return ((this.#state >>> 8) * limit) >>> 24
  }

  of<T>(choices: readonly T[]): T {
    return choices[this.below(choices.length)]
  }

  hex(digits: number): string {
    let text = ''
    while (text.length < digits)
      text += this.below(1 << 24)
        .toString(16)
        .padStart(6, '0')
    return text.slice(0, digits)
  }
}
