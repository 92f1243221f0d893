import type { Side } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { Dissector } from '../dissector.ts'

const EMPTY = new Uint8Array(0)
const FIRST = 2048

/**
 * How one direction of a flow stands to its bytes. `aligned`: the next byte begins or continues a frame.
 * `adrift`: bytes were lost, the next frame must be found. `deaf`: nothing more of it is read.
 */
export type Footing = 'aligned' | 'adrift' | 'deaf'

/** What is known of a direction that lost its footing, or is about to end: few do before they are over. */
class Trouble {
  /** The footing was found by guess after a gap; nothing decoded has confirmed it yet. */
  trial = false
  /** Bytes that came since the footing was lost, how many were looked at in search of it, and if the last were not. */
  adrift = 0
  searched = 0
  unseen = false
  /** Its last, unfinished frame is being decoded. */
  ending = false
  /** When bytes of this side were last found missing, and whether the snap length took them. */
  gapTime: number | undefined
  gapCut = false
}

/** What is known of a direction that nobody recognised at once. */
class Doubt {
  /** Protocols that might still be the one; undefined before the first byte. */
  candidates: readonly Dissector[] | undefined
  attempts = 0
  /** The first bytes of a flow that nobody recognised. */
  sample: Uint8Array | undefined
}

/** One direction of a followed flow: what is held of its current frame, and when that came. */
export class HalfStream {
  side: Side
  footing: Footing = 'aligned'
  finished = false
  /** There while something is out of the ordinary: most flows never need the room. */
  trouble: Trouble | undefined
  doubt: Doubt | undefined

  /** The first `held` bytes of the current frame, or of what is probed. */
  bytes: Uint8Array = EMPTY
  held = 0
  /** Length of the current frame; 0 while unknown. */
  length = 0
  /** How many of its bytes are worth holding. */
  keep = 0
  /** How many of its bytes went by, held or not. */
  passed = 0
  /** Packet time of the current frame's first byte, and of the last byte of this side. */
  time = 0
  last = 0

  /** What the frames since the last message amount to; -1: none came. */
  messageStart = -1
  messageSize = 0

  constructor(side: Side) {
    this.side = side
  }

  get troubled(): Trouble {
    this.trouble ??= new Trouble()
    return this.trouble
  }

  get doubted(): Doubt {
    this.doubt ??= new Doubt()
    return this.doubt
  }

  /** Appends what there is room for below `ceiling` and in the budget; the number of bytes taken. */
  append(bytes: Uint8Array, start: number, end: number, ceiling: number, budget: Allowance): number {
    const take = Math.min(end - start, ceiling - this.held)
    if (take <= 0 || !this.#reserve(this.held + take, ceiling, budget)) return 0
    this.bytes.set(bytes.subarray(start, start + take), this.held)
    this.held += take
    return take
  }

  /** Forgets the first `count` held bytes. */
  shift(count: number): void {
    this.bytes.copyWithin(0, count, this.held)
    this.held -= count
  }

  /** The current frame is done with. */
  clear(budget: Allowance): void {
    this.held = 0
    this.length = 0
    this.passed = 0
    if (this.bytes.length > 0) {
      budget.give(this.bytes.length)
      this.bytes = EMPTY
    }
  }

  #reserve(needed: number, ceiling: number, budget: Allowance): boolean {
    const present = this.bytes.length
    if (needed <= present) return true
    let size = present === 0 ? FIRST : present * 2
    while (size < needed) size *= 2
    size = Math.min(size, Math.max(ceiling, needed))
    if (!budget.take(size - present)) return false
    const grown = new Uint8Array(size)
    if (this.held > 0) grown.set(this.bytes.subarray(0, this.held))
    this.bytes = grown
    return true
  }
}
