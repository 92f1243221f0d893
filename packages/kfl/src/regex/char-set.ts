/** Sorted, disjoint, inclusive ranges of code points, flat: `[from, to, from, to, …]`. */
export type CharSet = readonly number[]

const LAST = 0x10ffff
export const DIGIT: CharSet = [0x30, 0x39]
export const WORD: CharSet = [0x30, 0x39, 0x41, 0x5a, 0x5f, 0x5f, 0x61, 0x7a]
/** RE2's `\s`: no vertical tab. */
export const SPACE: CharSet = [0x09, 0x0a, 0x0c, 0x0d, 0x20, 0x20]
export const ANY: CharSet = [0, LAST]
export const NOT_NEWLINE: CharSet = [0, 0x09, 0x0b, LAST]

export function union(ranges: CharSet): CharSet {
  const pairs: [number, number][] = []
  for (let at = 0; at < ranges.length; at += 2) pairs.push([ranges[at], ranges[at + 1]])
  pairs.sort((a, b) => a[0] - b[0])
  const merged: number[] = []
  for (const [from, to] of pairs) {
    const last = merged.length - 1
    if (last > 0 && from <= merged[last] + 1) merged[last] = Math.max(merged[last], to)
    else merged.push(from, to)
  }
  return merged
}

export function complement(set: CharSet): CharSet {
  const rest: number[] = []
  let from = 0
  for (let at = 0; at < set.length; at += 2) {
    if (set[at] > from) rest.push(from, set[at] - 1)
    from = set[at + 1] + 1
  }
  if (from <= LAST) rest.push(from, LAST)
  return rest
}

/** A range this wide holds Latin, Greek and Cyrillic whole; what lies beyond hardly has case. */
const MAX_FOLDED = 0x500

/** The characters whose other case `foldCase` looks up. */
export function foldedCharacters(set: CharSet): number {
  let count = 0
  for (let at = 0; at < set.length; at += 2) count += Math.min(set[at + 1] - set[at], MAX_FOLDED) + 1
  return count
}

/** The set with every letter's other case; for ASCII exactly RE2's folding (k and s have a third form each). */
export function foldCase(set: CharSet): CharSet {
  const folded = [...set]
  for (let at = 0; at < set.length; at += 2) {
    const end = Math.min(set[at + 1], set[at] + MAX_FOLDED)
    for (let code = set[at]; code <= end; code++) {
      const text = String.fromCodePoint(code)
      for (const other of [text.toLowerCase(), text.toUpperCase()]) {
        const folding = other.codePointAt(0) ?? code
        if (folding !== code && String.fromCodePoint(folding) === other) folded.push(folding, folding)
      }
      if (code === 0x4b || code === 0x6b) folded.push(0x212a, 0x212a)
      if (code === 0x53 || code === 0x73) folded.push(0x17f, 0x17f)
    }
  }
  return union(folded)
}

export function has(set: CharSet, code: number): boolean {
  for (let at = 0; at < set.length; at += 2) if (code >= set[at] && code <= set[at + 1]) return true
  return false
}
