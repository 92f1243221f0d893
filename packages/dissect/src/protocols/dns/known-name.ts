import { readName, skipName } from './name.ts'

/** Several times as many as a cluster has names, so that hardly five of them want the same four. */
const SLOTS = 16 * 1024
const WAYS = 4
/** Longer ones are made anew each time. */
const MAX_LENGTH = 96
const WORDS = MAX_LENGTH / 4

const texts: string[] = new Array<string>(SLOTS).fill('')
/** The same names as encoded in messages, four bytes a word, at `WORDS` times their slot; and how long they are there. */
const labels = new Int32Array(SLOTS * WORDS)
const lengths = new Uint8Array(SLOTS)
const hashes = new Int32Array(SLOTS)
/** The name that is looked for. */
const wanted = new Int32Array(WORDS)

/** Who makes way for a new one is next in turn. */
let learnt = 0

/** Where the name that was read last ends. */
export let nameEnd = 0

/**
 * The name at `at`, as `readName` has it. The names of questions come again and again, and have no pointers: the bytes on
 * the wire are looked up, and only those that are new become text. Each has four slots to choose from.
 */
export function knownName(bytes: Uint8Array, start: number, at: number, end: number): string {
  const stop = skipName(bytes, at, end)
  const length = stop - at - 1
  nameEnd = stop
  // It may end in a pointer, which begins with such a byte.
  if (length === 0 || length > MAX_LENGTH || bytes[stop - 2] >= 0xc0) return readName(bytes, start, at, end)
  const hash = want(bytes, at, length)
  const first = (hash ^ (hash >>> 15)) & (SLOTS - WAYS)
  for (let slot = first; slot < first + WAYS; slot++) if (isIn(slot, hash, length)) return texts[slot]
  return learn(first + (learnt++ & (WAYS - 1)), hash, length, readName(bytes, start, at, end))
}

function learn(slot: number, hash: number, length: number, text: string): string {
  texts[slot] = text
  lengths[slot] = length
  hashes[slot] = hash
  for (let i = 0, from = slot * WORDS; i < WORDS; i++) labels[from + i] = wanted[i]
  return text
}

/** Notes the name by words, and returns its hash: all of it counts, since names of one kind differ where their number stands. */
function want(bytes: Uint8Array, start: number, length: number): number {
  let hash = length
  let word = 0
  let at = start
  for (const whole = start + (length & ~3); at < whole; at += 4) {
    const four = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | (bytes[at + 3] << 24)
    wanted[word++] = four
    hash = Math.imul(hash ^ (hash >>> 15) ^ four, 0x85ebca6b)
  }
  if ((length & 3) !== 0) {
    let rest = 0
    for (const stop = start + length; at < stop; at++) rest = (rest << 8) | bytes[at]
    wanted[word] = rest
    hash = Math.imul(hash ^ (hash >>> 15) ^ rest, 0x85ebca6b)
  }
  return hash
}

function isIn(slot: number, hash: number, length: number): boolean {
  if (hashes[slot] !== hash || lengths[slot] !== length) return false
  for (let i = 0, from = slot * WORDS, words = (length + 3) >> 2; i < words; i++)
    if (labels[from + i] !== wanted[i]) return false
  return true
}
