const SLOT_BITS = 10
const SLOTS = 1 << SLOT_BITS
/** Names up to this many bytes are remembered. */
const MAX_NAME = 32
const WORDS = MAX_NAME / 4
const COLON = 0x3a

/** Names of header fields that were found to be harmless, as heads have them: compared by words, they cost little. */
export class QuietNames {
  readonly #lengths = new Uint8Array(SLOTS)
  readonly #words = new Int32Array(SLOTS * WORDS)

  /** Whether the line at `at` begins with a name that was learned, and a colon. */
  has(view: DataView, at: number, end: number): boolean {
    if (at + 8 > end) return false
    const first = view.getInt32(at, true)
    const second = view.getInt32(at + 4, true)
    const slot = slotOf(first, second)
    const length = this.#lengths[slot]!
    if (length === 0 || at + length >= end || view.getUint8(at + length) !== COLON) return false
    const words = this.#words
    const base = slot * WORDS
    if (words[base] !== first || words[base + 1] !== second) return false
    const whole = length >> 2
    for (let word = 2; word < whole; word++)
      if (view.getInt32(at + (word << 2), true) !== words[base + word]) return false
    // The last bytes once more, with some before them.
    return view.getInt32(at + length - 4, true) === words[base + WORDS - 1]
  }

  /** Takes the name `[at, at + length)`, if it is of a length that can be compared. */
  learn(view: DataView, at: number, length: number): void {
    if (length < 8 || length > MAX_NAME - 4) return
    const slot = slotOf(view.getInt32(at, true), view.getInt32(at + 4, true))
    this.#lengths[slot] = length
    const base = slot * WORDS
    for (let word = 0; word < length >> 2; word++)
      this.#words[base + word] = view.getInt32(at + (word << 2), true)
    this.#words[base + WORDS - 1] = view.getInt32(at + length - 4, true)
  }
}

function slotOf(first: number, second: number): number {
  // Only the highest bits depend on all bytes.
  return Math.imul(Math.imul(first, 0x9e3779b1) ^ second, 0x85ebca6b) >>> (32 - SLOT_BITS)
}
