import { readName, skipName } from './name.ts'

/** Several times as many as a cluster has names, so that hardly three of them want the same two. */
const SLOTS = 16 * 1024
/** Longer ones are made anew each time. */
const LONGEST = 96
/** Names differ at their beginning: more of it is not worth the time. */
const HASHED = 24

const texts: string[] = new Array<string>(SLOTS).fill('')
/** The same as they stand in messages, at `LONGEST` times their slot; and how long they are there. */
const labels = new Uint8Array(SLOTS * LONGEST)
const lengths = new Uint8Array(SLOTS)

/** Where the name that was read last ends. */
export let nameEnd = 0

/**
 * The name at `at`, as `readName` has it. The names of questions come again and again, and have no pointers: the bytes on
 * the wire are looked up, and only those that are new become text. Each has two slots to choose from.
 */
export function knownName(bytes: Uint8Array, start: number, at: number, end: number): string {
  const stop = skipName(bytes, at, end)
  const length = stop - at - 1
  nameEnd = stop
  // It may end in a pointer, which begins with such a byte.
  if (length === 0 || length > LONGEST || bytes[stop - 2] >= 0xc0) return readName(bytes, start, at, end)
  let hash = length
  for (let i = at, last = at + Math.min(length, HASHED); i < last; i++)
    hash = (Math.imul(hash, 31) + bytes[i]) | 0
  const slot = (hash ^ (hash >>> 13)) & (SLOTS - 1)
  if (isIn(slot, bytes, at, length)) return texts[slot]
  if (isIn(slot ^ 1, bytes, at, length)) return texts[slot ^ 1]
  const text = readName(bytes, start, at, end)
  // The one that was found here before makes way, and is found in the other slot if it comes again.
  move(slot, slot ^ 1)
  texts[slot] = text
  lengths[slot] = length
  for (let i = 0; i < length; i++) labels[slot * LONGEST + i] = bytes[at + i]
  return text
}

function isIn(slot: number, bytes: Uint8Array, at: number, length: number): boolean {
  if (lengths[slot] !== length) return false
  const base = slot * LONGEST
  for (let i = 0; i < length; i++) if (labels[base + i] !== bytes[at + i]) return false
  return true
}

function move(from: number, to: number): void {
  texts[to] = texts[from]
  lengths[to] = lengths[from]
  labels.copyWithin(to * LONGEST, from * LONGEST, from * LONGEST + lengths[from])
}
