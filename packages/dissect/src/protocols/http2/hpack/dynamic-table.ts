import type { Allowance } from '../../../memory/budget.ts'
import { NAME } from './field-name.ts'
import { LineText } from './line-text.ts'

/** RFC 7541 §4.1: what an entry counts beside its octets. */
const OVERHEAD = 32
/** RFC 9113 §6.5.2: the default of SETTINGS_HEADER_TABLE_SIZE. */
const INITIAL_LIMIT = 4096
/** Entries are kept up to this size, whatever was agreed: each length is below 2^16. */
const CEILING = 64 * 1024
const FIRST_STORE = 8 * 1024
const FIRST_SLOTS = 128
/** offset, length of the name above that of the value, name, hash */
const STRIDE = 4

/**
 * The dynamic table of one direction: RFC 7541 §2.3.2. Entries are counted from the newest, so what was not seen can
 * only be missing at the old end: there it answers with "not known" instead of an error.
 */
export class DynamicTable {
  /** The lines of all entries, the oldest first. */
  store = new LineText(0)
  /** Of the entry that `find` found. */
  offset = 0
  nameLength = 0
  valueLength = 0
  name = 0
  hash = 0
  count = 0
  /** There are, or were, older entries that are not known: a reference beyond the last is no error. */
  open = false
  /** Another number for every other content. */
  version = 0
  readonly #budget: Allowance
  #slots = new Int32Array(0)
  /** One less than there is room for. */
  #mask = -1
  /** Number of the slot for the next entry, counting up for ever. */
  #next = 0
  #used = 0
  #size = 0
  #limit = INITIAL_LIMIT

  constructor(budget: Allowance) {
    this.#budget = budget
  }

  get limit(): number {
    return this.#limit
  }

  /** Entry `index`, 0 being the newest; false where it is not known. */
  find(index: number): boolean {
    if (index >= this.count) return false
    const slots = this.#slots
    const at = ((this.#next - 1 - index) & this.#mask) * STRIDE
    this.offset = slots[at]
    const lengths = slots[at + 1]
    this.nameLength = lengths >>> 16
    this.valueLength = lengths & 0xffff
    this.name = slots[at + 2]
    this.hash = slots[at + 3]
    return this.name !== NAME.unknown || this.nameLength > 0
  }

  /** Adds the line at `source[from …]`. */
  insert(
    source: LineText,
    from: number,
    nameLength: number,
    valueLength: number,
    name: number,
    hash: number,
  ): void {
    this.version++
    const size = nameLength + valueLength + OVERHEAD
    // RFC 7541 §4.4: what is larger than the table empties it. Where its limit is not known, it is taken to fit.
    if (size > (this.open ? CEILING : this.#limit)) {
      if (size > CEILING && this.#limit > CEILING) this.insertUnknown()
      else this.#evict(0)
      return
    }
    this.#evict((this.open ? CEILING : Math.min(this.#limit, CEILING)) - size)
    const length = nameLength + valueLength + 4
    if (!this.#reserve(length)) {
      this.insertUnknown()
      return
    }
    this.store.copy(source, from, length, this.#used)
    this.#push(this.#used, nameLength, valueLength, name, hash)
    this.#used += length
  }

  /** An entry of which only its place is known. */
  insertUnknown(): void {
    this.version++
    this.#evict(CEILING - OVERHEAD)
    this.#push(this.#used, 0, 0, NAME.unknown, 0)
  }

  resize(limit: number): void {
    this.version++
    if (limit > CEILING) this.open = true
    this.#limit = limit
    this.#evict(limit)
  }

  /** Forgets all but the newest `kept`; those before them are unknown from now on. */
  forget(kept: number): void {
    this.version++
    this.open = true
    while (this.count > kept) this.#drop()
  }

  /** As at the beginning of a connection. */
  reset(): void {
    this.version++
    this.#evict(0)
    this.#limit = INITIAL_LIMIT
    this.open = false
  }

  /** Puts `missed` unknown entries below the newest `fresh`: they were added by lost blocks. */
  realign(fresh: number, missed: number): void {
    this.version++
    const kept: [number, number, number, number, number][] = []
    for (let i = 0; i < fresh; i++) {
      this.find(i)
      kept.push([this.offset, this.nameLength, this.valueLength, this.name, this.hash])
    }
    this.#next -= fresh
    this.count -= fresh
    for (const [, nameLength, valueLength] of kept) this.#size -= nameLength + valueLength + OVERHEAD
    for (let i = 0; i < missed; i++) this.insertUnknown()
    for (const [offset, nameLength, valueLength, name, hash] of kept.reverse())
      this.#push(offset, nameLength, valueLength, name, hash)
  }

  #push(offset: number, nameLength: number, valueLength: number, name: number, hash: number): void {
    if (this.count > this.#mask) this.#addSlots()
    const slots = this.#slots
    const at = (this.#next++ & this.#mask) * STRIDE
    slots[at] = offset
    slots[at + 1] = (nameLength << 16) | valueLength
    slots[at + 2] = name
    slots[at + 3] = hash
    this.count++
    this.#size += nameLength + valueLength + OVERHEAD
  }

  #drop(): void {
    const slots = this.#slots
    const at = ((this.#next - this.count) & this.#mask) * STRIDE
    const lengths = slots[at + 1]
    this.#size -= (lengths >>> 16) + (lengths & 0xffff) + OVERHEAD
    this.count--
  }

  /** Drops the oldest until no more than `size` is left. */
  #evict(size: number): void {
    if (size < this.#size && size < this.#limit && this.#limit > CEILING) this.open = true
    while (this.count > 0 && this.#size > size) this.#drop()
    if (this.count === 0) this.#used = 0
  }

  /** Slots number a power of two, at most the entries that the ceiling lets in: they stay below 2^12. */
  #addSlots(): void {
    const before = this.#mask + 1
    const after = before === 0 ? FIRST_SLOTS : before * 2
    const grown = new Int32Array(after * STRIDE)
    for (let number = this.#next - this.count; number < this.#next; number++)
      for (let i = 0; i < STRIDE; i++)
        grown[(number & (after - 1)) * STRIDE + i] = this.#slots[(number & (before - 1)) * STRIDE + i]
    this.#slots = grown
    this.#mask = after - 1
  }

  /** Room for `length` more bytes: by moving the entries to the front, or by a larger store. */
  #reserve(length: number): boolean {
    const { store } = this
    const present = store.bytes.length
    if (this.#used + length <= present) return true
    let oldest = this.#used
    if (this.count > 0) {
      this.find(this.count - 1)
      oldest = this.offset
    }
    const live = this.#used - oldest
    let size = present === 0 ? FIRST_STORE : present
    // At least half of it is free after the move, so that moves are rare.
    while (size < 2 * (live + length)) size *= 2
    if (size > present) {
      if (!this.#budget.take(size - present)) return false
      this.store = new LineText(size)
    }
    this.store.bytes.set(store.bytes.subarray(oldest, this.#used))
    for (let number = this.#next - this.count; number < this.#next; number++)
      this.#slots[(number & this.#mask) * STRIDE] -= oldest
    this.#used = live
    return true
  }
}
