import type { Allowance } from '../../../memory/budget.ts'
import type { HeaderSection } from './header-section.ts'

const BITS = 3
const SLOTS = 1 << BITS
/** Longer blocks hardly come again as they are. */
const MAX_LENGTH = 256
const NO_BLOCK = new Uint8Array(0)

interface Slot {
  /** Hash and state of the table with which a block was last seen here. */
  hash: number
  version: number
  block: Uint8Array
  section: HeaderSection | undefined
}

/**
 * The same request over and over is, once the table has all of it, the same few bytes over and over. What was seen
 * a second time while the table stayed as it was is kept, and from then on it need not be decoded.
 */
export class SectionCache {
  /** The block that was asked for last came before, and is worth keeping. */
  recurring = false
  readonly #budget: Allowance
  readonly #slots: Slot[] = []
  #slot: Slot | undefined
  /** State of the table with which a block was looked for last. */
  #version = -1

  constructor(budget: Allowance) {
    this.#budget = budget
  }

  find(bytes: Uint8Array, start: number, end: number, version: number): HeaderSection | undefined {
    this.recurring = false
    this.#slot = undefined
    const length = end - start
    if (version !== this.#version || length > MAX_LENGTH) {
      // Where each block changes the table, none is worth a look.
      this.#version = version
      return undefined
    }
    let hash = length
    for (let i = start; i < end; i++) hash = (Math.imul(hash, 31) + bytes[i]) | 0
    const slot = this.#at(hash, version)
    if (slot === undefined) return undefined
    const { block, section } = slot
    if (section === undefined) {
      this.recurring = true
      this.#slot = slot
      return undefined
    }
    if (block.length !== length) return undefined
    for (let i = 0; i < length; i++) if (block[i] !== bytes[start + i]) return undefined
    return section
  }

  /** Keeps what became of the recurring block. */
  keep(bytes: Uint8Array, start: number, end: number, section: HeaderSection): void {
    const slot = this.#slot
    if (slot === undefined || !this.#budget.take(end - start + section.text.length)) return
    slot.block = bytes.slice(start, end)
    slot.section = section
  }

  /** The slot in which that hash was seen before. Each hash has two to choose from. */
  #at(hash: number, version: number): Slot | undefined {
    const slots = this.#slots
    while (slots.length < SLOTS) slots.push({ hash: 0, version: -1, block: NO_BLOCK, section: undefined })
    const index = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) >>> (32 - BITS)
    const first = slots[index]
    if (first.hash === hash && first.version === version) return first
    const second = slots[index ^ 1]
    if (second.hash === hash && second.version === version) return second
    this.#note(first.section === undefined || first.version !== version ? first : second, hash, version)
    return undefined
  }

  #note(slot: Slot, hash: number, version: number): void {
    if (slot.section !== undefined) this.#budget.give(slot.block.length + slot.section.text.length)
    slot.hash = hash
    slot.version = version
    slot.section = undefined
  }
}
