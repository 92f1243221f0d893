import { Malformed, type Side } from '@tapdeck/wire'
import type { Connection } from '../../../contract/dissector.ts'
import { copyOf } from '../../../memory/arena.ts'
import { DynamicTable } from './dynamic-table.ts'
import { hashName, NAME, nameOf, staticHashes, staticNames } from './field-name.ts'
import { HeadText, UNKNOWN_HASH, UNKNOWN_NAME } from './head-text.ts'
import type { HeaderSection } from './header-section.ts'
import { cursor, integer, string } from './primitives.ts'
import { Realignment } from './realignment.ts'
import { SectionCache } from './section-cache.ts'
import {
  STATIC_ENTRIES,
  staticNameLengths,
  staticStarts,
  staticText,
  staticValueLengths,
} from './static-table.ts'

const COLON = 0x3a
const SPACE = 0x20

/** One for all connections: a block is written to it and copied out in one go. */
const head = new HeadText('2')

/** HPACK, one direction of a connection: RFC 7541. */
export class HeaderDecoder {
  readonly table: DynamicTable
  /** After lost blocks: what the names in later blocks say about how many entries were missed. */
  #realignment: Realignment | undefined
  /** Sequences of names that were seen. */
  readonly #signatures = new Int32Array(16)
  #signatureCount = 0
  readonly #cache: SectionCache
  readonly #copy: Connection['copy']

  constructor({ budget, copy }: Pick<Connection, 'budget' | 'copy'>) {
    this.table = new DynamicTable(budget)
    this.#cache = new SectionCache(budget)
    this.#copy = copy
  }

  /** Header blocks were missed, and it is not known how many entries with them. */
  get inDoubt(): boolean {
    return this.#realignment !== undefined
  }

  /** Header blocks were missed: what the table has become is not known, until something says it. */
  lose(): void {
    const { table } = this
    const known = this.#realignment === undefined ? table.count : this.#realignment.fresh
    table.forget(known)
    this.#realignment = known > 0 ? new Realignment(table) : undefined
  }

  /** No block was missed after all. */
  trust(): void {
    this.#realignment?.settle(0)
    this.#realignment = undefined
  }

  reset(): void {
    this.table.reset()
    this.#realignment = undefined
  }

  /** `bytes[start, end)` as the head of what that side says. */
  read(bytes: Uint8Array, start: number, end: number, side: Side): HeaderSection {
    const { table } = this
    const { version } = table
    const cache = this.#cache
    const known = this.inDoubt ? undefined : cache.find(bytes, start, end, version)
    if (known !== undefined) return known
    this.decode(bytes, start, end, head)
    if (!cache.recurring || table.version !== version || this.inDoubt) return head.section(side, this.#copy)
    const section = head.section(side, copyOf)
    cache.keep(bytes, start, end, section)
    return section
  }

  /** A head of which something is missing. */
  missing(side: Side): HeaderSection {
    this.lose()
    head.begin()
    head.truncated = true
    head.miss()
    return head.section(side, this.#copy)
  }

  decode(bytes: Uint8Array, start: number, end: number, head: HeadText): void {
    head.begin()
    if (this.#realignment?.consider(bytes, start, end, this.#signatures)) this.#realignment = undefined
    let at = start
    while (at < end) {
      const byte = bytes[at]
      if (byte >= 0x80) {
        let index = byte & 0x7f
        at++
        if (index === 0x7f) {
          index = integer(bytes, at, end, 0x7f)
          at = cursor
        }
        this.#indexed(index, head)
      } else if (byte >= 0x40) at = this.#literal(bytes, at, end, 0x3f, true, head)
      else if (byte >= 0x20) {
        let size = byte & 0x1f
        at++
        if (size === 0x1f) {
          size = integer(bytes, at, end, 0x1f)
          at = cursor
        }
        this.table.resize(size)
      } else at = this.#literal(bytes, at, end, 0x0f, false, head)
    }
    if (head.unknown === 0 && !head.truncated) this.#remember(head.signature)
  }

  #indexed(index: number, head: HeadText): void {
    if (index <= STATIC_ENTRIES) {
      if (index === 0) throw new Malformed('header index 0')
      head.add(
        staticText,
        staticStarts[index],
        staticNameLengths[index],
        staticValueLengths[index],
        staticNames[index],
        staticHashes[index],
      )
      return
    }
    const { table } = this
    if (this.#find(index))
      head.add(table.store, table.offset, table.nameLength, table.valueLength, table.name, table.hash)
    else head.miss()
  }

  #literal(
    bytes: Uint8Array,
    start: number,
    end: number,
    mask: number,
    indexing: boolean,
    head: HeadText,
  ): number {
    const { text, bytes: into } = head
    const line = head.end
    let index = bytes[start] & mask
    let at = start + 1
    if (index === mask) {
      index = integer(bytes, at, end, mask)
      at = cursor
    }
    let nameLength: number
    let name: number
    let hash: number
    if (index === 0) {
      nameLength = string(bytes, at, end, into, line)
      at = cursor
      if (nameLength >= 0) {
        name = nameOf(into, line, nameLength)
        hash = hashName(into, line, nameLength)
      } else {
        name = NAME.unknown
        hash = 0
      }
    } else if (index <= STATIC_ENTRIES) {
      nameLength = staticNameLengths[index]
      name = staticNames[index]
      hash = staticHashes[index]
      text.copy(staticText, staticStarts[index], nameLength, line)
    } else if (this.#find(index)) {
      const { table } = this
      nameLength = table.nameLength
      name = table.name
      hash = table.hash
      text.copy(table.store, table.offset, nameLength, line)
    } else {
      nameLength = 1
      name = NAME.unknown
      hash = UNKNOWN_HASH
      text.copy(UNKNOWN_NAME, 0, 1, line)
    }
    const from = line + Math.max(nameLength, 0)
    into[from] = COLON
    into[from + 1] = SPACE
    const valueLength = string(bytes, at, end, into, from + 2)
    at = cursor
    if (nameLength < 0 || valueLength < 0) {
      head.truncated = true
      if (indexing) this.#inserted(true)
      return at
    }
    into[from + 2 + valueLength] = 0x0d
    into[from + 3 + valueLength] = 0x0a
    head.accept(nameLength, valueLength, name, hash)
    if (indexing) {
      this.table.insert(text, line, nameLength, valueLength, name, hash)
      this.#inserted(false)
    }
    return at
  }

  #inserted(unknown: boolean): void {
    if (unknown) this.table.insertUnknown()
    if (this.#realignment !== undefined) this.#realignment.fresh++
  }

  #find(index: number): boolean {
    const { table } = this
    const entry = index - STATIC_ENTRIES - 1
    if (this.#realignment !== undefined && entry >= this.#realignment.fresh) return false
    if (table.find(entry)) return true
    if (!table.open && entry >= table.count) throw new Malformed(`no header entry ${index}`)
    return false
  }

  #remember(signature: number): void {
    const seen = this.#signatures
    for (let i = 0; i < seen.length; i++) if (seen[i] === signature) return
    seen[this.#signatureCount++ & (seen.length - 1)] = signature
  }
}
