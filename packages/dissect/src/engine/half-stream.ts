import type { Side } from '@tapdeck/wire'
import type { Allowance } from '../budget.ts'
import type { Dissector } from '../dissector.ts'
import { borrow, giveBack } from './spare-bytes.ts'
import type { HalfOwner } from './spare-halves.ts'

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

/** A frame that has begun and is not all here, or bytes that are probed. */
class Unfinished {
  bytes: Uint8Array = EMPTY
  held = 0
  length = 0
  keep = 0
  passed = 0
  time = 0
}

/** One direction of a followed flow: what is held of its current frame, and when that came. */
export class HalfStream {
  side: Side = 0
  owner: HalfOwner | undefined
  footing: Footing = 'aligned'
  finished = false
  /** There while something is out of the ordinary: most flows never need the room. */
  trouble: Trouble | undefined
  doubt: Doubt | undefined
  #unfinished: Unfinished | undefined
  /** Packet time of the last byte of this side. */
  last = 0

  /** What the frames since the last message amount to; -1: none came. */
  messageStart = -1
  messageSize = 0

  /** Nothing of it matters for what comes next, but its time. */
  get isAtRest(): boolean {
    return (
      this.#unfinished === undefined &&
      this.messageStart < 0 &&
      this.footing === 'aligned' &&
      this.doubt === undefined &&
      this.trouble === undefined &&
      !this.finished
    )
  }

  /** Nobody has it any more. What it holds was cleared before. */
  reset(): void {
    this.owner = undefined
    this.footing = 'aligned'
    this.finished = false
    this.trouble = undefined
    this.doubt = undefined
    this.messageStart = -1
    this.messageSize = 0
  }

  get troubled(): Trouble {
    this.trouble ??= new Trouble()
    return this.trouble
  }

  /** Bytes of it were found missing. */
  miss(time: number, cut: boolean): void {
    this.troubled.gapTime = time
    this.troubled.gapCut = cut
  }

  get doubted(): Doubt {
    this.doubt ??= new Doubt()
    return this.doubt
  }

  /** The first `held` bytes of the current frame, or of what is probed. */
  get bytes(): Uint8Array {
    return this.#unfinished === undefined ? EMPTY : this.#unfinished.bytes
  }

  get held(): number {
    return this.#unfinished === undefined ? 0 : this.#unfinished.held
  }

  /** Length of the current frame; 0 while unknown. */
  get length(): number {
    return this.#unfinished === undefined ? 0 : this.#unfinished.length
  }

  /** How many of its bytes are worth holding; those that are held beyond are let go. */
  get keep(): number {
    return this.#unfinished === undefined ? 0 : this.#unfinished.keep
  }

  set keep(count: number) {
    const unfinished = this.#begun()
    unfinished.keep = count
    if (unfinished.held > count) unfinished.held = count
  }

  /** How many of its bytes went by, held or not. */
  get passed(): number {
    return this.#unfinished === undefined ? 0 : this.#unfinished.passed
  }

  set passed(count: number) {
    this.#begun().passed = count
  }

  /** Packet time of the current frame's first byte. */
  get time(): number {
    return this.#unfinished === undefined ? 0 : this.#unfinished.time
  }

  set time(time: number) {
    this.#begun().time = time
  }

  /** A frame of `length` bytes, of which `keep` are worth holding; what is held already is its beginning. */
  begin(length: number, keep: number, time: number): void {
    const unfinished = this.#begun()
    unfinished.length = length
    unfinished.time = time
    unfinished.passed = unfinished.held
    this.keep = keep
  }

  /** Appends what there is room for below `ceiling` and in the budget; the number of bytes taken. */
  append(bytes: Uint8Array, start: number, end: number, ceiling: number, budget: Allowance): number {
    const unfinished = this.#begun()
    const { held } = unfinished
    const take = Math.min(end - start, ceiling - held)
    if (take <= 0 || !reserve(unfinished, held + take, ceiling, budget)) return 0
    unfinished.bytes.set(bytes.subarray(start, start + take), held)
    unfinished.held = held + take
    return take
  }

  /** Forgets the first `count` held bytes. */
  shift(count: number): void {
    const unfinished = this.#begun()
    unfinished.bytes.copyWithin(0, count, unfinished.held)
    unfinished.held -= count
  }

  /** The current frame is done with. */
  clear(budget: Allowance): void {
    const unfinished = this.#unfinished
    if (unfinished === undefined) return
    this.#unfinished = undefined
    if (unfinished.bytes.length > 0) budget.give(unfinished.bytes.length)
  }

  #begun(): Unfinished {
    this.#unfinished ??= new Unfinished()
    return this.#unfinished
  }
}

function reserve(unfinished: Unfinished, needed: number, ceiling: number, budget: Allowance): boolean {
  const { bytes, held } = unfinished
  const present = bytes.length
  if (needed <= present) return true
  let size = present === 0 ? FIRST : present * 2
  while (size < needed) size *= 2
  size = Math.min(size, Math.max(ceiling, needed))
  const grown = borrow(size)
  if (!budget.take(grown.length - present)) {
    giveBack(grown)
    return false
  }
  if (held > 0) grown.set(bytes.subarray(0, held))
  giveBack(bytes)
  unfinished.bytes = grown
  return true
}
