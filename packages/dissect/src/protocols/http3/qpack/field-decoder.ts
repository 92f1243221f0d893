import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection } from '../../../contract/dissector.ts'
import { DynamicTable } from '../../http2/hpack/dynamic-table.ts'
import { hashName, NAME, nameOf } from '../../http2/hpack/field-name.ts'
import { HeadText, UNKNOWN_HASH, UNKNOWN_NAME } from '../../http2/hpack/head-text.ts'
import type { HeaderSection } from '../../http2/hpack/header-section.ts'
import { LineText } from '../../http2/hpack/line-text.ts'
import { cursor, string } from '../../http2/hpack/primitives.ts'
import { prefixedInteger } from './prefixed.ts'
import { type StaticEntry, staticEntries, staticText } from './static-table.ts'

const COLON = 0x3a
const SPACE = 0x20
const ENTRY_OVERHEAD = 32
/** Bytes of entries that insertions may copy from older ones: at first, and for each byte of instructions. Each is a byte or two. */
const FIRST_COPIES = 1024 * 1024
const COPIES_PER_BYTE = 256
/** One for all connections: a section is written to it and copied out in one go. */
const head = new HeadText('3')
/** The line of an entry that is inserted. */
const line = new LineText(160 * 1024)

/** A line of text that a reference leads to. */
interface FoundLine extends Omit<StaticEntry, 'start'> {
  readonly text: LineText
  readonly start: number
}

/** QPACK, one direction of a connection: RFC 9204. */
export class FieldDecoder {
  readonly #table: DynamicTable
  readonly #copy: Connection['copy']
  /** Insertions so far. */
  #inserted = 0
  /** What the other side allows this one: the limit of the table. */
  #maxCapacity = 0
  #copiesLeft = FIRST_COPIES
  /** Instructions were missed: references lead nowhere. */
  #isBroken = false

  constructor({ budget, copy }: Pick<Connection, 'budget' | 'copy'>) {
    this.#table = new DynamicTable(budget)
    this.#table.resize(0)
    this.#copy = copy
  }

  /** SETTINGS_QPACK_MAX_TABLE_CAPACITY of the side that decodes. */
  allow(maxCapacity: number): void {
    this.#maxCapacity = maxCapacity
  }

  lose(): void {
    this.#isBroken = true
    this.#table.forget(0)
  }

  /** Whether a section needs insertions that have not come yet. */
  isBlocked(bytes: Uint8Array, start: number, end: number): boolean {
    return !this.#isBroken && this.#required(prefixedInteger(bytes, start, end, 0xff)[0]) > this.#inserted
  }

  /** An instruction of the encoder: RFC 9204 §4.3. */
  instruct(bytes: Uint8Array, start: number, end: number): void {
    const first = bytes[start]
    if (this.#isBroken) return
    this.#copiesLeft = Math.min(FIRST_COPIES, this.#copiesLeft + (end - start) * COPIES_PER_BYTE)
    if (first >= 0x80) {
      const [index, at] = prefixedInteger(bytes, start, end, 0x3f)
      const found = (first & 0x40) !== 0 ? fixed(index) : this.#absolute(this.#inserted - 1 - index)
      this.#insertValue(bytes, at, end, found === undefined ? undefined : this.#copyName(found))
    } else if (first >= 0x40) {
      const length = string(bytes, start, end, line.bytes, 0, 0x1f)
      this.#insertValue(bytes, cursor, end, length < 0 ? undefined : length)
    } else if (first >= 0x20) this.#table.resize(prefixedInteger(bytes, start, end, 0x1f)[0])
    else this.#duplicate(this.#absolute(this.#inserted - 1 - prefixedInteger(bytes, start, end, 0x1f)[0]))
  }

  /** `bytes[start, end)` as the head of what that side says: RFC 9204 §4.5. */
  read(bytes: Uint8Array, start: number, end: number, side: Side): HeaderSection {
    head.begin()
    const [encoded, afterCount] = prefixedInteger(bytes, start, end, 0xff)
    if (afterCount >= end) throw new Malformed('field section cut short')
    const required = this.#required(encoded)
    const [delta, first] = prefixedInteger(bytes, afterCount, end, 0x7f)
    const base = bytes[afterCount] >= 0x80 ? required - delta - 1 : required + delta
    for (let at = first; at < end; ) at = this.#field(bytes, at, end, base)
    return head.section(side, this.#copy)
  }

  /** A section of which something is missing. */
  missing(side: Side): HeaderSection {
    head.begin()
    head.truncated = true
    head.miss()
    return head.section(side, this.#copy)
  }

  /** RFC 9204 §4.5.1.1. */
  #required(encoded: number): number {
    const range = 2 * Math.floor(this.#maxCapacity / ENTRY_OVERHEAD)
    if (encoded === 0) return 0
    if (encoded > range) return this.#isBroken ? 0 : Number.POSITIVE_INFINITY
    const largest = this.#inserted + range / 2
    const wrapped = Math.floor(largest / range) * range + encoded - 1
    return wrapped > largest ? Math.max(0, wrapped - range) : wrapped
  }

  #field(bytes: Uint8Array, at: number, end: number, base: number): number {
    const first = bytes[at]
    if (first >= 0x80) {
      const [index, next] = prefixedInteger(bytes, at, end, 0x3f)
      addLine((first & 0x40) !== 0 ? fixed(index) : this.#absolute(base - 1 - index))
      return next
    }
    if (first >= 0x40) {
      const [index, next] = prefixedInteger(bytes, at, end, 0x0f)
      return addNamed(
        bytes,
        next,
        end,
        (first & 0x10) !== 0 ? fixed(index) : this.#absolute(base - 1 - index),
      )
    }
    if (first >= 0x20) return addLiteral(bytes, at, end)
    const mask = first >= 0x10 ? 0x0f : 0x07
    const [index, next] = prefixedInteger(bytes, at, end, mask)
    const found = this.#absolute(base + index)
    if (first < 0x10) return addNamed(bytes, next, end, found)
    addLine(found)
    return next
  }

  #absolute(index: number): FoundLine | undefined {
    const table = this.#table
    const fromNewest = this.#inserted - 1 - index
    if (fromNewest < 0 || index < 0 || !table.find(fromNewest)) return undefined
    const { store, offset, nameLength, valueLength, name, hash } = table
    return { text: store, start: offset, nameLength, valueLength, name, hash }
  }

  #copyName({ text, start, nameLength }: FoundLine): number {
    this.#spend(nameLength)
    line.copy(text, start, nameLength, 0)
    return nameLength
  }

  /** The name of the new entry is in `line`; undefined: it is not known. */
  #insertValue(bytes: Uint8Array, at: number, end: number, nameLength: number | undefined): void {
    const from = nameLength ?? 0
    const valueLength = string(bytes, at, end, line.bytes, from + 2)
    this.#inserted++
    if (nameLength === undefined || valueLength < 0) {
      this.#table.insertUnknown()
      return
    }
    endLine(line.bytes, from, valueLength)
    const name = nameOf(line.bytes, 0, nameLength)
    this.#table.insert(line, 0, nameLength, valueLength, name, hashName(line.bytes, 0, nameLength))
  }

  #duplicate(found: FoundLine | undefined): void {
    this.#inserted++
    if (found === undefined) {
      this.#table.insertUnknown()
      return
    }
    const { text, start, nameLength, valueLength, name, hash } = found
    const length = nameLength + valueLength + 4
    this.#spend(length)
    line.copy(text, start, length, 0)
    this.#table.insert(line, 0, nameLength, valueLength, name, hash)
  }

  #spend(length: number): void {
    this.#copiesLeft -= length
    if (this.#copiesLeft < 0) throw new Malformed('too much is copied')
  }
}

function fixed(index: number): FoundLine {
  const entry = staticEntries[index]
  if (entry === undefined) throw new Malformed(`no static entry ${index}`)
  return { text: staticText, ...entry }
}

function addLine(found: FoundLine | undefined): void {
  if (found === undefined) head.miss()
  else head.add(found.text, found.start, found.nameLength, found.valueLength, found.name, found.hash)
}

/** A field whose name is found elsewhere. */
function addNamed(bytes: Uint8Array, at: number, end: number, found: FoundLine | undefined): number {
  const { text, start, nameLength, name, hash } = found ?? {
    ...{ text: UNKNOWN_NAME, start: 0, nameLength: 1, name: NAME.unknown, hash: UNKNOWN_HASH },
  }
  if (!head.allows(nameLength)) {
    string(bytes, at, end, line.bytes, 0)
    return cursor
  }
  head.text.copy(text, start, nameLength, head.end)
  return addValue(bytes, at, end, nameLength, name, hash)
}

function addLiteral(bytes: Uint8Array, at: number, end: number): number {
  const nameLength = string(bytes, at, end, head.bytes, head.end, 0x07)
  const next = cursor
  if (nameLength < 0) {
    head.truncated = true
    string(bytes, next, end, line.bytes, 0)
    return cursor
  }
  const name = nameOf(head.bytes, head.end, nameLength)
  return addValue(bytes, next, end, nameLength, name, hashName(head.bytes, head.end, nameLength))
}

/** The name is at the end of the head already. */
function addValue(
  bytes: Uint8Array,
  at: number,
  end: number,
  nameLength: number,
  name: number,
  hash: number,
): number {
  const from = head.end + nameLength
  const valueLength = string(bytes, at, end, head.bytes, from + 2)
  if (valueLength < 0) head.truncated = true
  else {
    endLine(head.bytes, from, valueLength)
    head.accept(nameLength, valueLength, name, hash)
  }
  return cursor
}

/** Puts `: ` before the value at `from + 2`, and a line break behind it. */
function endLine(bytes: Uint8Array, from: number, valueLength: number): void {
  bytes[from] = COLON
  bytes[from + 1] = SPACE
  bytes[from + 2 + valueLength] = 0x0d
  bytes[from + 3 + valueLength] = 0x0a
}
