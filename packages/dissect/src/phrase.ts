/** Text that is the same in JSON, made ready once: keys, and what stands between values. Copied by eight bytes at a time. */
export class Phrase {
  readonly length: number
  /** ASCII alone, so that none of them is no number: of those the bits might not last. */
  readonly words: Float64Array

  constructor(text: string) {
    const { length } = text
    const bytes = new DataView(new ArrayBuffer((length + 7) & ~7))
    for (let i = 0; i < length; i++) bytes.setUint8(i, text.charCodeAt(i))
    this.length = length
    this.words = new Float64Array(bytes.byteLength >> 3)
    for (let i = 0; i < this.words.length; i++) this.words[i] = bytes.getFloat64(i << 3, true)
  }
}

/** `text` is ASCII. */
export function phrase(text: string): Phrase {
  return new Phrase(text)
}

/** Phrases of codes, made when they are first asked for. */
export class NumberedPhrases {
  readonly #text: (code: number) => string
  readonly #phrases = new Map<number, Phrase>()

  /** There may be 65,536 codes at most. */
  constructor(text: (code: number) => string) {
    this.#text = text
  }

  get(code: number): Phrase {
    let made = this.#phrases.get(code)
    if (made === undefined) {
      made = new Phrase(this.#text(code))
      this.#phrases.set(code, made)
    }
    return made
  }
}
