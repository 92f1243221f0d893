/** Copies go by eight bytes: up to seven beyond those asked for are read, and overwritten. */
const SPARE = 8
/** Longer copies are cheaper by `set`. */
const LONG = 512

/** Memory for lines of heads, with room after its last byte for what copies touch. Most lines are shorter than a view costs. */
export class LineText {
  readonly bytes: Uint8Array
  readonly #view: DataView

  constructor(size: number) {
    const memory = new ArrayBuffer(size + SPARE)
    this.bytes = new Uint8Array(memory, 0, size)
    this.#view = new DataView(memory)
  }

  /** Puts `source[from, from + length)` to `at`. Up to seven bytes after it lose what they were. */
  copy(source: LineText, from: number, length: number, at: number): void {
    if (length > LONG) {
      this.bytes.set(source.bytes.subarray(from, from + length), at)
      return
    }
    const given = source.#view
    const taken = this.#view
    for (let i = 0; i < length; i += 8) {
      taken.setInt32(at + i, given.getInt32(from + i, true), true)
      taken.setInt32(at + i + 4, given.getInt32(from + i + 4, true), true)
    }
  }
}

export function lineText(text: string): LineText {
  const bytes = new TextEncoder().encode(text)
  const made = new LineText(bytes.length)
  made.bytes.set(bytes)
  return made
}
