import { JsonBytes } from '../json-bytes.ts'
import type { PlainHead } from './plain-head.ts'

const SLOTS = 512
/** Longer lines, or with more in JSON, are written anew each time. In words of four bytes, and of eight. */
const LINE_WORDS = 28
const JSON_WORDS = 18
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a

/**
 * Lines of heads that came before, and what they are in JSON: most of a head says the same again and again. They are known
 * by their bytes. One that comes twice in a row gets a place, so that those that never come again do not.
 */
export class KnownLines {
  /** In JSON, with a comma before it; of slots, each `JSON_WORDS`. ASCII alone. */
  readonly words = new Float64Array(SLOTS * JSON_WORDS)
  readonly lengths = new Int32Array(SLOTS)
  /** Where name and value stand, from the beginning of the line; and hash of the name, and whether it is looked for. */
  readonly nameEnds = new Int32Array(SLOTS)
  readonly values = new Int32Array(SLOTS)
  readonly valueEnds = new Int32Array(SLOTS)
  readonly nameHashes = new Int32Array(SLOTS)
  readonly fields = new Int32Array(SLOTS)
  readonly #lines = new Int32Array(SLOTS * LINE_WORDS)
  readonly #lineLengths = new Int32Array(SLOTS)
  readonly #knocked = new Int32Array(SLOTS)
  readonly #json = new JsonBytes(JSON_WORDS * 8)

  /** The slot of the line at `view[start, start + length)`; -1 where it is not known. */
  find(view: DataView, start: number, length: number, hash: number): number {
    const slot = slotOf(hash)
    if (this.#lineLengths[slot] !== length) return -1
    const base = slot * LINE_WORDS
    const lines = this.#lines
    const whole = length >> 2
    for (let i = 0; i < whole; i++) if (view.getInt32(start + (i << 2), true) !== lines[base + i]) return -1
    for (let at = whole << 2; at < length; at++)
      if (view.getUint8(start + at) !== ((lines[base + whole] >>> ((at & 3) << 3)) & 0xff)) return -1
    return slot
  }

  /** Notes the field of the head that begins at `places[place]`, if it came before. */
  learn(head: PlainHead, place: number, end: number, hash: number, nameHash: number, field: number): void {
    const slot = slotOf(hash)
    const start = head.places[place]
    if (end - start > LINE_WORDS * 4) return
    if (this.#knocked[slot] !== hash) {
      this.#knocked[slot] = hash
      return
    }
    const { bytes } = head.staged
    const json = this.#json
    json.at = 0
    json.byte(COMMA)
    json.byte(QUOTE)
    json.printable(bytes, start, head.places[place + 1], true)
    json.byte(QUOTE)
    json.byte(COLON)
    json.byte(QUOTE)
    json.printable(bytes, head.places[place + 2], head.places[place + 3])
    json.byte(QUOTE)
    if (json.at > JSON_WORDS * 8) return
    json.bytes.fill(0, json.at, JSON_WORDS * 8)
    const written = new DataView(json.bytes.buffer)
    for (let i = 0; i < JSON_WORDS; i++) this.words[slot * JSON_WORDS + i] = written.getFloat64(i << 3, true)
    this.lengths[slot] = json.at
    this.nameEnds[slot] = head.places[place + 1] - start
    this.values[slot] = head.places[place + 2] - start
    this.valueEnds[slot] = head.places[place + 3] - start
    this.nameHashes[slot] = nameHash
    this.fields[slot] = field
    this.#lineLengths[slot] = end - start
    for (let i = 0; i < LINE_WORDS; i++) {
      let four = 0
      for (let j = 0; j < 4; j++) {
        const at = start + (i << 2) + j
        if (at < end) four |= bytes[at] << (j << 3)
      }
      this.#lines[slot * LINE_WORDS + i] = four
    }
  }

  write(slot: number, out: JsonBytes): void {
    out.words(this.words, slot * JSON_WORDS, this.lengths[slot])
  }
}

/** Where a line with that hash would stand. */
export function slotOf(hash: number): number {
  return (hash ^ (hash >>> 13)) & (SLOTS - 1)
}
