/** ASCII text that is written as it is, prepared once: keys and punctuation. Copied eight bytes at a time. */
export class JsonFragment {
  readonly length: number
  /** ASCII only, because other bit patterns may be NaN, which JavaScript may change. */
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

/** `text` must be ASCII. */
export function jsonFragment(text: string): JsonFragment {
  return new JsonFragment(text)
}
