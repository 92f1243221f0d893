import type { Ranges } from './ranges.ts'

/** Finds what is to be masked in a text; of bytes, one character is one byte. */
export type Detector = (text: string, into: Ranges) => void

/** RFC 6750: what follows the word. RFC 7519: three parts of base64url, the first an object that begins with `{"`. */
const BEARER = /\bbearer[ \t]+([A-Za-z0-9._~+/=-]+)/gi
const JWT = /\beyJ[A-Za-z0-9_-]{4,}\.[A-Za-z0-9_-]+\.[A-Za-z0-9_-]*/g
/** Digits, in groups or not, enough for a card number. */
const DIGITS = /\d(?:[ -]?\d){12,}/g

export const detectors: Readonly<Record<'card' | 'bearer' | 'jwt', Detector>> = {
  bearer(text, into) {
    for (const { 0: all, 1: token, index } of text.matchAll(BEARER))
      into.push(index + all.length - token!.length, index + all.length)
  },
  jwt(text, into) {
    for (const { 0: all, index } of text.matchAll(JWT)) into.push(index, index + all.length)
  },
  card(text, into) {
    for (const { 0: all, index } of text.matchAll(DIGITS)) cards(all, index, into)
  },
}

const SHORTEST = 13
const LONGEST = 19

/** Groups of digits that make a card number together; a number never begins or ends within a group. */
function cards(run: string, offset: number, into: Ranges): void {
  const groups = [...run.matchAll(/\d+/g)].map(({ 0: digits, index }) => ({ digits, index }))
  for (let first = 0; first < groups.length; first++) {
    let digits = ''
    for (let last = first; last < groups.length && digits.length <= LONGEST; last++) {
      digits += groups[last]!.digits
      if (digits.length < SHORTEST || digits.length > LONGEST || !luhn(digits)) continue
      const { digits: end, index } = groups[last]!
      into.push(offset + groups[first]!.index, offset + index + end.length)
    }
  }
}

/** ISO/IEC 7812-1: every second digit from the right counts double, as the sum of its digits. */
function luhn(digits: string): boolean {
  let sum = 0
  for (let i = 0; i < digits.length; i++) {
    const digit = digits.charCodeAt(digits.length - 1 - i) - 48
    const counted = i % 2 === 0 ? digit : digit * 2
    sum += counted > 9 ? counted - 9 : counted
  }
  // All zeros pass the sum, and are no card.
  return sum > 0 && sum % 10 === 0
}
