import type { JsonBytes } from '../json-bytes.ts'
import { StagedBytes } from '../staged-bytes.ts'
import { KnownLines, slotOf } from './known-lines.ts'

const CR = 0x0d
const LF = 0x0a
const SPACE = 0x20
const COLON = 0x3a
/** More fields than this are read the long way. */
const MOST = 96
const ROOM = 8192
/** Of four bytes together, those that are not printable show in their highest bit. */
const HIGHEST = 0x80808080 | 0
const SPACES = 0x20202020
const EACH_ONE = 0x01010101
const MIX = 0x9e3779b1 | 0

/** Fields that are looked at by name. */
const KNOWN = ['host', ':authority', 'cookie', 'set-cookie', 'content-encoding', 'content-type'] as const
export type KnownField = (typeof KNOWN)[number]
const SET_COOKIE = KNOWN.indexOf('set-cookie')

const lines = new KnownLines()

/**
 * Where the fields of a head stand in its bytes, where that is all there is to say of them: printable characters, no
 * folded line, no name twice, and none that an object would move to its front. That is so in nearly all heads.
 */
export class PlainHead {
  count = 0
  /** Where the first line ends. */
  lineEnd = 0
  /** The head that was read last; places are those in it. */
  readonly staged = new StagedBytes(ROOM)
  /** Of each field: name and value, from where to where. */
  readonly places = new Int32Array(MOST * 4)
  /** Of each field, where it is among the lines that are known; -1 where it is not. */
  readonly #slots = new Int32Array(MOST)
  readonly #hashes = new Int32Array(MOST)
  readonly #known = new Int32Array(KNOWN.length)
  #lineHash = 0

  /** False where it takes more: see `readHead`. */
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

  /** The place of a field that was looked for, in `places`; -1 where there is none. */
  find(name: KnownField): number {
    return this.#known[KNOWN.indexOf(name)]
  }

  /** Writes the field as a member, with a comma before it, if its line is known. False, and nothing is written, if not. */
  write(field: number, out: JsonBytes): boolean {
    const slot = this.#slots[field]
    if (slot < 0) return false
    lines.write(slot, out)
    return true
  }

  /** Where the line ends, -1 where it is no plain field. */
  #field(bytes: Uint8Array, view: DataView, start: number): number {
    const { count, places } = this
    const end = this.#printableEnd(view, start)
    if (count === MOST) return -1
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
    // That one is written as a list.
    if (field !== SET_COOKIE && !this.#isTaken(slotOf(lineHash)))
      lines.learn(this, place, end, lineHash, hash, field)
    return end
  }

  /** Whether a line of this head stands in the slot: it has not been written yet. */
  #isTaken(slot: number): boolean {
    for (let i = 0; i < this.count; i++) if (this.#slots[i] === slot) return true
    return false
  }

  /** Where the first byte from `start` on stands that is not printable, as that after the head is; the hash of all before it is noted. */
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
      // The lowest bit tells the first of them.
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
