import { Malformed } from '@tapdeck/wire'
import type { DynamicTable } from './dynamic-table.ts'
import { hashName, NAME, staticHashes } from './field-name.ts'
import { cursor, integer, string } from './primitives.ts'
import { STATIC_ENTRIES } from './static-table.ts'

/** Entries that may have been missed, fields of a block and blocks that are looked at before it is given up. */
const MAX_MISSED = 64
const MAX_FIELDS = 128
const MAX_BLOCKS = 64
const MAX_NAME_LENGTH = 256

const scratch = new Uint8Array(16 * 1024)
/** Of each field of the block at hand: the hash of its name, or, where `refers` says so, the old entry it refers to. */
const values = new Int32Array(MAX_FIELDS)
const refers = new Uint8Array(MAX_FIELDS)
const inserted = new Int32Array(MAX_FIELDS)

/**
 * After lost header blocks the number of entries they added is unknown, and so which one an index means. But peers send
 * the same names in the same order again and again: where exactly one number of missed entries turns the next block
 * into a sequence of names that was seen before, that was the number. Two names must say so; or one that no other
 * can be mistaken for, a pseudo-header that the table has once, and not as its newest entry.
 */
export class Realignment {
  /** Entries added since. */
  fresh = 0
  readonly #table: DynamicTable
  #blocks = 0

  constructor(table: DynamicTable) {
    this.#table = table
  }

  /** True where the block, or having seen too many of them, ends the doubt. */
  consider(bytes: Uint8Array, start: number, end: number, signatures: Int32Array): boolean {
    if (++this.#blocks > MAX_BLOCKS) {
      this.#table.forget(this.fresh)
      return true
    }
    const fields = this.#read(bytes, start, end)
    if (fields === 0) return false
    const old = this.#table.count - this.fresh
    let found = -1
    for (let missed = 0; missed <= Math.min(old, MAX_MISSED); missed++) {
      const signature = this.#signature(fields, missed)
      if (signature === 0 || !signatures.includes(signature)) continue
      if (found >= 0) return false
      found = missed
    }
    if (found < 0) return false
    this.settle(found)
    return true
  }

  settle(missed: number): void {
    this.#table.realign(this.fresh, missed)
  }

  /** 0 where a reference leads nowhere, or they say too little. */
  #signature(fields: number, missed: number): number {
    const table = this.#table
    let signature = 0
    let first = 0
    let names = 0
    let last = 0
    let pseudo = false
    for (let i = 0; i < fields; i++) {
      let hash = values[i]
      if (refers[i] === 1) {
        const entry = hash - missed
        if (entry < 0 || !table.find(this.fresh + entry)) return 0
        hash = table.hash
        last = entry
        pseudo = table.name === NAME.pseudo
        if (names === 0) {
          first = hash
          names = 1
        } else if (hash !== first) names = 2
      }
      signature = (Math.imul(signature, 33) + hash) | 0
    }
    return names === 2 || (names === 1 && pseudo && last > 0 && this.#isSingle(first)) ? signature : 0
  }

  /** Whether only one of the old entries has that name. */
  #isSingle(hash: number): boolean {
    const table = this.#table
    let count = 0
    for (let entry = this.fresh; entry < table.count; entry++)
      if (table.find(entry) && table.hash === hash) count++
    return count === 1
  }

  /** Number of fields read; 0 where there are too many, or they cannot be read. */
  #read(bytes: Uint8Array, start: number, end: number): number {
    let fields = 0
    let insertions = 0
    let at = start
    try {
      while (at < end) {
        const byte = bytes[at++]
        const indexed = byte >= 0x80
        const literal = byte < 0x20 || (byte >= 0x40 && byte < 0x80)
        const mask = indexed ? 0x7f : byte >= 0x40 ? 0x3f : byte >= 0x20 ? 0x1f : 0x0f
        let index = byte & mask
        if (index === mask) {
          index = integer(bytes, at, end, mask)
          at = cursor
        }
        if (!indexed && !literal) continue
        if (fields === MAX_FIELDS) return 0
        refers[fields] = 0
        if (index === 0) {
          const length = string(bytes, at, end, scratch, 0)
          at = cursor
          if (length < 0 || length > MAX_NAME_LENGTH) return 0
          values[fields] = hashName(scratch, 0, length)
        } else this.#refer(fields, index, insertions)
        if (literal) {
          string(bytes, at, end, scratch, 0)
          at = cursor
          if (byte >= 0x40) inserted[insertions++] = fields
        }
        fields++
      }
    } catch (error) {
      if (error instanceof Malformed) return 0
      throw error
    }
    return fields
  }

  #refer(field: number, index: number, insertions: number): void {
    if (index <= STATIC_ENTRIES) {
      values[field] = staticHashes[index]
      return
    }
    const entry = index - STATIC_ENTRIES - 1
    if (entry < insertions) {
      const source = inserted[insertions - 1 - entry]
      values[field] = values[source]
      refers[field] = refers[source]
      return
    }
    const before = entry - insertions
    if (before < this.fresh && this.#table.find(before)) values[field] = this.#table.hash
    else {
      values[field] = before - this.fresh
      refers[field] = 1
    }
  }
}
