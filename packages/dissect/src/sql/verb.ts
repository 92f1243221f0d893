import { upperWord } from '../text/text.ts'

/** Longer than any keyword that begins a statement. */
const MAX_LENGTH = 32
/** How far a statement that begins with WITH is searched for its main verb. */
const FAR = 16 * 1024
const MAIN = new Set(['SELECT', 'INSERT', 'UPDATE', 'DELETE', 'MERGE', 'REPLACE', 'VALUES', 'TABLE'])

/**
 * The keyword that says what a statement does, in capitals; undefined if there is none. Skips comments and
 * parentheses before it; for `WITH … SELECT` it is SELECT.
 */
export function verbOf(text: Uint8Array, start = 0, end = text.length): string | undefined {
  const at = skipBlank(text, start, end, true)
  const verb = keywordAt(text, at, end)
  return verb === 'WITH' ? (mainVerb(text, at + 4, Math.min(end, at + FAR)) ?? verb) : verb
}

function keywordAt(text: Uint8Array, start: number, end: number): string | undefined {
  let at = start
  while (at < end && at - start < MAX_LENGTH && isLetter(text[at])) at++
  return at === start ? undefined : upperWord(text, start, at)
}

function isLetter(byte: number): boolean {
  const lower = byte | 0x20
  return (lower >= 0x61 && lower <= 0x7a) || byte === 0x5f
}

/** White space, comments and, before a statement, parentheses and empty statements. MySQL runs what follows `/*!`. */
function skipBlank(text: Uint8Array, start: number, end: number, leading: boolean): number {
  let at = start
  while (at < end) {
    const byte = text[at]
    const next = at + 1 < end ? text[at + 1] : 0
    if (byte <= 0x20 || (leading && (byte === 0x28 || byte === 0x3b))) at++
    else if ((byte === 0x2d && next === 0x2d) || byte === 0x23) at = after(text, at, end, 0x0a)
    else if (byte === 0x2f && next === 0x2a) {
      if (text[at + 2] === 0x21) {
        at += 3
        while (at < end && text[at] >= 0x30 && text[at] <= 0x39) at++
      } else at = afterComment(text, at + 2, end)
    } else break
  }
  return at
}

function after(text: Uint8Array, start: number, end: number, byte: number): number {
  const at = text.indexOf(byte, start)
  return at < 0 || at >= end ? end : at + 1
}

function afterComment(text: Uint8Array, start: number, end: number): number {
  for (let at = start; at + 1 < end; at++) if (text[at] === 0x2a && text[at + 1] === 0x2f) return at + 2
  return end
}

/** The first statement keyword outside of parentheses and quotes. */
function mainVerb(text: Uint8Array, start: number, end: number): string | undefined {
  let depth = 0
  let at = start
  while (at < end) {
    at = skipBlank(text, at, end, false)
    const byte = text[at]
    if (byte === 0x28) depth++
    else if (byte === 0x29) depth--
    else if (byte === 0x27 || byte === 0x22 || byte === 0x60) at = after(text, at + 1, end, byte) - 1
    else if (at < end && isLetter(byte)) {
      const from = at
      while (at < end && (isLetter(text[at]) || (text[at] >= 0x30 && text[at] <= 0x39))) at++
      if (depth === 0) {
        const verb = keywordAt(text, from, at)
        if (verb !== undefined && MAIN.has(verb)) return verb
      }
      continue
    }
    at++
  }
  return undefined
}
