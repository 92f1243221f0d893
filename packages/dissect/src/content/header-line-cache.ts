import { JsonBytes } from '../json/json-bytes.ts'
import type { ScratchBytes } from '../memory/scratch-bytes.ts'

const SLOTS = 512
/** Longer lines are not cached. In 4-byte words of the line, and 8-byte words of its JSON. */
const MAX_LINE_WORDS = 28
const MAX_JSON_WORDS = 18
const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a

/** A head with located fields. Four offsets per field: name start, name end, value start, value end. */
interface HeadFields {
  readonly staged: ScratchBytes
  readonly places: Int32Array
}

/**
 * Caches the JSON of header lines, found by their bytes, because most lines recur. A line gets a slot when it comes
 * twice in a row, so that unique lines do not evict others.
 */
export class HeaderLineCache {
  /** The JSON of each slot with a leading comma, `MAX_JSON_WORDS` per slot. ASCII only. */
  readonly words = new Float64Array(SLOTS * MAX_JSON_WORDS)
  readonly lengths = new Int32Array(SLOTS)
  /** Offsets in the line, hash of the name, and index of the name in the list of known fields. */
  readonly nameEnds = new Int32Array(SLOTS)
  readonly values = new Int32Array(SLOTS)
  readonly valueEnds = new Int32Array(SLOTS)
  readonly nameHashes = new Int32Array(SLOTS)
  readonly fields = new Int32Array(SLOTS)
  readonly #lines = new Int32Array(SLOTS * MAX_LINE_WORDS)
  readonly #lineLengths = new Int32Array(SLOTS)
  readonly #candidateHashes = new Int32Array(SLOTS)
  readonly #json = new JsonBytes(MAX_JSON_WORDS * 8)

  /** The slot of the line `view[start, start + length)`; -1: not cached. */
  find(view: DataView, start: number, length: number, hash: number): number {
    const slot = slotOf(hash)
    if (this.#lineLengths[slot] !== length) return -1
    const base = slot * MAX_LINE_WORDS
    const lines = this.#lines
    const whole = length >> 2
    for (let i = 0; i < whole; i++) if (view.getInt32(start + (i << 2), true) !== lines[base + i]) return -1
    for (let at = whole << 2; at < length; at++)
      if (view.getUint8(start + at) !== ((lines[base + whole] >>> ((at & 3) << 3)) & 0xff)) return -1
    return slot
  }

  /** Caches the field at `places[place]` if the same line came last time. */
  learn(head: HeadFields, place: number, end: number, hash: number, nameHash: number, field: number): void {
    const slot = slotOf(hash)
    const start = head.places[place]
    if (end - start > MAX_LINE_WORDS * 4) return
    if (this.#candidateHashes[slot] !== hash) {
      this.#candidateHashes[slot] = hash
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
    if (json.at > MAX_JSON_WORDS * 8) return
    json.bytes.fill(0, json.at, MAX_JSON_WORDS * 8)
    const written = new DataView(json.bytes.buffer)
    for (let i = 0; i < MAX_JSON_WORDS; i++)
      this.words[slot * MAX_JSON_WORDS + i] = written.getFloat64(i << 3, true)
    this.lengths[slot] = json.at
    this.nameEnds[slot] = head.places[place + 1] - start
    this.values[slot] = head.places[place + 2] - start
    this.valueEnds[slot] = head.places[place + 3] - start
    this.nameHashes[slot] = nameHash
    this.fields[slot] = field
    this.#lineLengths[slot] = end - start
    for (let i = 0; i < MAX_LINE_WORDS; i++) {
      let four = 0
      for (let j = 0; j < 4; j++) {
        const at = start + (i << 2) + j
        if (at < end) four |= bytes[at] << (j << 3)
      }
      this.#lines[slot * MAX_LINE_WORDS + i] = four
    }
  }

  write(slot: number, out: JsonBytes): void {
    out.words(this.words, slot * MAX_JSON_WORDS, this.lengths[slot])
  }
}

/** The slot for a hash. */
export function slotOf(hash: number): number {
  return (hash ^ (hash >>> 13)) & (SLOTS - 1)
}
