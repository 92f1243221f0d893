import type { JsonBytes } from '../json/json-bytes.ts'
import { ScratchBytes } from '../memory/scratch-bytes.ts'
import { HeaderLineCache, slotOf } from './header-line-cache.ts'

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const COLON = 0x3a
/** Heads with more fields are read by `readHead`. */
const MAX_FIELDS = 96
const SCRATCH_SIZE = 8192
/** The highest bit of each byte, which marks unprintable bytes. */
const HIGHEST = 0x80808080 | 0
const SPACES = 0x20202020
const EACH_ONE = 0x01010101
const MIX = 0x9e3779b1 | 0

/** Fields that callers look up by name. */
const KNOWN = ['host', ':authority', 'cookie', 'set-cookie', 'content-encoding', 'content-type'] as const
export type KnownField = (typeof KNOWN)[number]
const SET_COOKIE = KNOWN.indexOf('set-cookie')

const lines = new HeaderLineCache()

/**
 * Offsets of the fields of a head, for the common case: printable characters, no folded line, no repeated name, no
 * name that an object would sort first. Otherwise use `readHead`.
 */
export class PlainHead {
  count = 0
  /** End of the first line. */
  lineEnd = 0
  /** The head that was read last. All offsets refer to it. */
  readonly staged = new ScratchBytes(SCRATCH_SIZE)
  /** Four offsets per field: name start, name end, value start, value end. */
  readonly places = new Int32Array(MAX_FIELDS * 4)
  /** The cache slot of each field; -1: not cached. */
  readonly #slots = new Int32Array(MAX_FIELDS)
  readonly #hashes = new Int32Array(MAX_FIELDS)
  readonly #known = new Int32Array(KNOWN.length)
  #lineHash = 0

  /** Returns false if the head is not of the common form. */
  read(head: Uint8Array): boolean {
    const { length } = head
    this.staged.put(head)
    const { bytes, view } = this.staged
    this.count = 0
    for (let i = 0; i < KNOWN.length; i++) this.#known[i] = -1
    let at = this.#printableEnd(view, 0)
    this.lineEnd = at
    while (at < length) {
      if (bytes[at] !== CR || at + 1 >= length || bytes[at + 1] !== LF) return false
      at += 2
      if (at >= length || bytes[at] === CR) continue
      at = this.#field(bytes, view, at)
      if (at < 0) return false
    }
    return true
  }

  /** The index in `places` of a known field; -1: absent. */
  find(name: KnownField): number {
    return this.#known[KNOWN.indexOf(name)]
  }

  /** Writes a cached field as a member with a leading comma. Returns false and writes nothing if it is not cached. */
  write(field: number, out: JsonBytes): boolean {
    const slot = this.#slots[field]
    if (slot < 0) return false
    lines.write(slot, out)
    return true
  }

  /** End of the line; -1: not a plain field. */
  #field(bytes: Uint8Array, view: DataView, start: number): number {
    const { count, places } = this
    const end = this.#printableEnd(view, start)
    if (count === MAX_FIELDS) return -1
    const hash = this.#lineHash
    const slot = lines.find(view, start, end - start, hash)
    if (slot < 0) return this.#newField(bytes, start, end, hash)
    const name = lines.nameHashes[slot]
    for (let i = 0; i < count; i++) if (this.#hashes[i] === name) return -1
    const place = count * 4
    places[place] = start
    places[place + 1] = start + lines.nameEnds[slot]
    places[place + 2] = start + lines.values[slot]
    places[place + 3] = start + lines.valueEnds[slot]
    this.#slots[count] = slot
    this.#hashes[count] = name
    this.count = count + 1
    const field = lines.fields[slot]
    if (field >= 0) this.#known[field] = place
    return end
  }

  #newField(head: Uint8Array, start: number, end: number, lineHash: number): number {
    const first = head[start]
    if (end === start || first === SPACE || isDigit(first)) return -1
    let at = start + 1
    let hash = Math.imul(small(first), 31)
    // HTTP/2 pseudo-header fields begin with the colon.
    for (; at < end && head[at] !== COLON; at++) hash = Math.imul(hash + small(head[at]), 31)
    if (at >= end || head[at - 1] === SPACE) return -1
    const { count, places } = this
    for (let i = 0; i < count; i++) if (this.#hashes[i] === hash) return -1
    const nameEnd = at++
    while (at < end && head[at] === SPACE) at++
    const value = at
    let valueEnd = end
    while (valueEnd > value && head[valueEnd - 1] === SPACE) valueEnd--
    const place = count * 4
    places[place] = start
    places[place + 1] = nameEnd
    places[place + 2] = value
    places[place + 3] = valueEnd
    this.#slots[count] = -1
    this.#hashes[count] = hash
    this.count = count + 1
    const known = HASHES.indexOf(hash)
    const field = known >= 0 && isNamed(head, start, nameEnd, KNOWN[known]) ? known : -1
    if (field >= 0) this.#known[field] = place
    // `set-cookie` is written as a list.
    if (field !== SET_COOKIE && !this.#isTaken(slotOf(lineHash)))
      lines.learn(this, place, end, lineHash, hash, field)
    return end
  }

  /** Whether another line of this head uses the slot and is not written yet. */
  #isTaken(slot: number): boolean {
    for (let i = 0; i < this.count; i++) if (this.#slots[i] === slot) return true
    return false
  }

  /** The first unprintable byte from `start` on; a zero follows the head. Also updates the hash of all bytes before it. */
  #printableEnd(view: DataView, start: number): number {
    let at = start
    let hash = 0
    for (;;) {
      const four = view.getInt32(at, true)
      const odd = (((four - SPACES) & ~four) | (four + EACH_ONE) | four) & HIGHEST
      if (odd === 0) {
        hash = Math.imul(hash ^ four, MIX)
        hash ^= hash >>> 15
        at += 4
        continue
      }
      // The lowest set bit marks the first one.
      const first = (31 - Math.clz32(odd & -odd)) >> 3
      hash = Math.imul(hash ^ (four & ((1 << (first << 3)) - 1)), MIX)
      this.#lineHash = hash ^ (hash >>> 15)
      return at + first
    }
  }
}

const HASHES = KNOWN.map((name) => {
  let hash = 0
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash + name.charCodeAt(i), 31)
  return hash
})

function isNamed(head: Uint8Array, start: number, end: number, name: string): boolean {
  if (end - start !== name.length) return false
  for (let i = start; i < end; i++) if (small(head[i]) !== name.charCodeAt(i - start)) return false
  return true
}

function isDigit(byte: number): boolean {
  return byte >= 0x30 && byte <= 0x39
}

function small(byte: number): number {
  return byte >= 0x41 && byte <= 0x5a ? byte | 0x20 : byte
}
