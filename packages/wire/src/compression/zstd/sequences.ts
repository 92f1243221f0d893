import { Malformed } from '../../malformed.ts'
import { BitReader } from './bit-reader.ts'
import { constantTable, type FseTable, readFseTable } from './fse-table.ts'
import type { Literals } from './literals.ts'
import {
  type Codes,
  LITERAL_BASES,
  LITERAL_BITS,
  LITERAL_CODES,
  MATCH_BASES,
  MATCH_BITS,
  MATCH_CODES,
  OFFSET_CODES,
} from './sequence-codes.ts'
import type { Window } from './window.ts'

const PREDEFINED = 0
const RLE = 1
const REPEAT = 3
/** No window that is read here is larger. */
const MAX_OFFSET_CODE = 28

/** What a block does with its literals and what came before, RFC 8878 §3.1.1.3.2. Tables and offsets may be used again. */
export class Sequences {
  #literalTable: FseTable | undefined
  #offsetTable: FseTable | undefined
  #matchTable: FseTable | undefined
  readonly #recent = Uint32Array.of(1, 4, 8)
  readonly #reader = new BitReader()
  #at = 0

  /** A new frame begins. */
  reset(): void {
    this.#literalTable = undefined
    this.#offsetTable = undefined
    this.#matchTable = undefined
    this.#recent.set([1, 4, 8])
  }

  /** Unpacks the block whose sequences are `bytes[start, end)` into the window. */
  run(bytes: Uint8Array, start: number, end: number, literals: Literals, window: Window): void {
    const count = this.#readCount(bytes, start, end)
    if (count === 0) {
      if (this.#at !== end) throw new Malformed('zstd: bytes behind the sequences')
      if (literals.size > window.block) throw new Malformed('zstd: a block that is too long')
      window.append(literals.bytes, 0, literals.size)
      return
    }
    if (this.#at >= end) throw new Malformed('zstd: sequences that are cut')
    const modes = bytes[this.#at++]
    this.#literalTable = this.#readTable(bytes, end, modes >> 6, LITERAL_CODES, this.#literalTable)
    this.#offsetTable = this.#readTable(bytes, end, (modes >> 4) & 3, OFFSET_CODES, this.#offsetTable)
    this.#matchTable = this.#readTable(bytes, end, (modes >> 2) & 3, MATCH_CODES, this.#matchTable)
    this.#reader.open(bytes, this.#at, end)
    this.#execute(count, literals, window, this.#literalTable, this.#offsetTable, this.#matchTable)
  }

  #readCount(bytes: Uint8Array, start: number, end: number): number {
    const first = start < end ? bytes[start] : 256
    const width = first < 128 ? 1 : first < 255 ? 2 : 3
    if (start + width > end) throw new Malformed('zstd: no sequences')
    this.#at = start + width
    if (width === 1) return first
    if (width === 2) return ((first - 128) << 8) | bytes[start + 1]
    return (bytes[start + 1] | (bytes[start + 2] << 8)) + 0x7f00
  }

  #readTable(
    bytes: Uint8Array,
    end: number,
    mode: number,
    codes: Codes,
    before: FseTable | undefined,
  ): FseTable {
    if (mode === PREDEFINED) return codes.usual
    if (mode === REPEAT) {
      if (before === undefined) throw new Malformed('zstd: no table before this one')
      return before
    }
    if (mode === RLE) {
      const symbol = this.#at < end ? bytes[this.#at++] : codes.count
      if (symbol >= codes.count) throw new Malformed('zstd: no such code')
      return constantTable(symbol)
    }
    const { table, end: at } = readFseTable(bytes, this.#at, end, codes.count, codes.log)
    this.#at = at
    return table
  }

  #execute(
    count: number,
    literals: Literals,
    window: Window,
    literalTable: FseTable,
    offsetTable: FseTable,
    matchTable: FseTable,
  ): void {
    const reader = this.#reader
    const recent = this.#recent
    const most = window.at + window.block
    let literalState = reader.read(literalTable.log)
    let offsetState = reader.read(offsetTable.log)
    let matchState = reader.read(matchTable.log)
    let used = 0
    for (let i = count; i > 0; i--) {
      const offsetCode = offsetTable.symbols[offsetState]
      const matchCode = matchTable.symbols[matchState]
      const literalCode = literalTable.symbols[literalState]
      if (offsetCode > MAX_OFFSET_CODE) throw new Malformed('zstd: a copy from too far away')
      const value = 2 ** offsetCode + reader.readLong(offsetCode)
      const length = MATCH_BASES[matchCode] + reader.read(MATCH_BITS[matchCode])
      const fresh = LITERAL_BASES[literalCode] + reader.read(LITERAL_BITS[literalCode])
      if (i > 1) {
        literalState = literalTable.bases[literalState] + reader.read(literalTable.bits[literalState])
        matchState = matchTable.bases[matchState] + reader.read(matchTable.bits[matchState])
        offsetState = offsetTable.bases[offsetState] + reader.read(offsetTable.bits[offsetState])
      }
      if (used + fresh > literals.size) throw new Malformed('zstd: more literals than there are')
      if (window.at + fresh + length > most) throw new Malformed('zstd: a block that is too long')
      const offset = offsetOf(recent, value, fresh === 0)
      if (fresh > 0) {
        append(window, literals.bytes, used, fresh)
        used += fresh
      }
      window.copy(offset, length)
    }
    if (reader.left !== 0) throw new Malformed('zstd: sequences of another length')
    if (window.at + literals.size - used > most) throw new Malformed('zstd: a block that is too long')
    window.append(literals.bytes, used, literals.size)
  }
}

/** Most runs of literals are short: a loop is faster than a view. */
function append(window: Window, literals: Uint8Array, from: number, count: number): void {
  if (count > 32) {
    window.append(literals, from, from + count)
    return
  }
  const { bytes, at } = window
  for (let i = 0; i < count; i++) bytes[at + i] = literals[from + i]
  window.at = at + count
}

/** §3.1.1.5: the first three values stand for offsets used before, and which ones depends on the literals. */
function offsetOf(recent: Uint32Array, value: number, noLiterals: boolean): number {
  if (value > 3) {
    recent[2] = recent[1]
    recent[1] = recent[0]
    recent[0] = value - 3
    return value - 3
  }
  const index = value - 1 + (noLiterals ? 1 : 0)
  if (index === 0) return recent[0]
  const offset = index === 3 ? recent[0] - 1 : recent[index]
  if (offset === 0) throw new Malformed('zstd: a copy from nowhere')
  if (index > 1) recent[2] = recent[1]
  recent[1] = recent[0]
  recent[0] = offset
  return offset
}
