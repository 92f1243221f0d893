import {
  ANY,
  type CharSet,
  complement,
  DIGIT,
  foldCase,
  foldedCharacters,
  NOT_NEWLINE,
  SPACE,
  union,
  WORD,
} from './char-set.ts'
import type { Pattern } from './pattern.ts'
import { RegexError } from './regex-error.ts'
import { RegexTooLarge } from './regex-too-large.ts'

/** RE2's own ceiling for `{m,n}`. */
const MAX_REPEAT = 1000
const MAX_NESTING = 100
const MAX_SOURCE = 2000

/** To look up the other case of so many characters costs about as much as one range. */
const CHARACTERS_A_RANGE = 4

const CLASSES: Readonly<Record<string, CharSet>> = {
  d: DIGIT,
  D: complement(DIGIT),
  w: WORD,
  W: complement(WORD),
  s: SPACE,
  S: complement(SPACE),
}

const CONTROLS: Readonly<Record<string, number>> = { n: 10, t: 9, r: 13, f: 12, v: 11, a: 7 }

const POSIX: Readonly<Record<string, CharSet>> = {
  alnum: [0x30, 0x39, 0x41, 0x5a, 0x61, 0x7a],
  alpha: [0x41, 0x5a, 0x61, 0x7a],
  digit: DIGIT,
  lower: [0x61, 0x7a],
  upper: [0x41, 0x5a],
  punct: [0x21, 0x2f, 0x3a, 0x40, 0x5b, 0x60, 0x7b, 0x7e],
  space: [0x09, 0x0d, 0x20, 0x20],
  word: WORD,
  xdigit: [0x30, 0x39, 0x41, 0x46, 0x61, 0x66],
}

interface Flags {
  readonly i: boolean
  readonly m: boolean
  readonly s: boolean
}

interface ParsedPattern {
  readonly pattern: Pattern
  /** RE2 reads the pattern the same way, so an index may run it too. */
  readonly portable: boolean
  /** Character ranges, and the characters whose other case was looked up. */
  readonly size: number
}

export function parsePattern(source: string, maxSize: number): ParsedPattern {
  if (source.length > MAX_SOURCE) throw new RegexError(`it is longer than ${MAX_SOURCE} characters`, 0)
  const parser = new PatternParser(source, maxSize)
  const pattern = parser.whole()
  return { pattern, portable: parser.portable, size: parser.size }
}

class PatternParser {
  portable = true
  size = 0
  readonly #source: string
  readonly #maxSize: number
  #at = 0
  #nesting = 0
  #flags: Flags = { i: false, m: false, s: false }

  constructor(source: string, maxSize: number) {
    this.#source = source
    this.#maxSize = maxSize
  }

  whole(): Pattern {
    const pattern = this.#either()
    if (this.#at < this.#source.length) throw new RegexError('a ")" closes nothing', this.#at)
    return pattern
  }

  #either(): Pattern {
    if (++this.#nesting > MAX_NESTING) throw new RegexError('groups are nested too deep', this.#at)
    const parts = [this.#sequence()]
    while (this.#source[this.#at] === '|') {
      this.#at++
      parts.push(this.#sequence())
    }
    this.#nesting--
    return parts.length === 1 ? parts[0] : { kind: 'either', parts }
  }

  #sequence(): Pattern {
    const parts: Pattern[] = []
    while (
      this.#at < this.#source.length &&
      this.#source[this.#at] !== '|' &&
      this.#source[this.#at] !== ')'
    ) {
      const atom = this.#atom()
      if (atom) parts.push(this.#repeated(atom))
    }
    if (parts.some((part, index) => this.#isOddAnchor(part, index, parts.length))) this.portable = false
    return parts.length === 1 ? parts[0] : { kind: 'sequence', parts }
  }

  /** DuckDB's rewriting also loses anchors at positions where they rarely match. */
  #isOddAnchor(part: Pattern, index: number, count: number): boolean {
    if (part.kind === 'repeat') return part.of.kind === 'assert'
    if (part.kind !== 'assert') return false
    if (part.assertion === 'start' || part.assertion === 'line-start') return index > 0 || this.#nesting > 1
    if (part.assertion === 'end' || part.assertion === 'line-end')
      return index < count - 1 || this.#nesting > 1
    // RE2 finds a \B between the bytes of one character.
    return part.assertion === 'no-boundary'
  }

  #repeated(of: Pattern): Pattern {
    const start = this.#at
    const bounds = this.#quantifier()
    if (!bounds) return of
    if (this.#source[this.#at] === '?') this.#at++
    const again = this.#at
    if (this.#quantifier()) throw new RegexError('a repetition is repeated', again)
    if (bounds[0] > MAX_REPEAT || (bounds[1] > MAX_REPEAT && bounds[1] !== Number.POSITIVE_INFINITY)) {
      throw new RegexError(`more than ${MAX_REPEAT} repetitions`, start)
    }
    if (bounds[0] > bounds[1]) throw new RegexError('the repetition counts down', start)
    return { kind: 'repeat', of, least: bounds[0], most: bounds[1] }
  }

  #quantifier(): readonly [number, number] | undefined {
    const mark = this.#source[this.#at]
    if (mark === '*' || mark === '+' || mark === '?') {
      this.#at++
      return mark === '*'
        ? [0, Number.POSITIVE_INFINITY]
        : mark === '+'
          ? [1, Number.POSITIVE_INFINITY]
          : [0, 1]
    }
    const counted = /\{(\d{1,9})(,(\d{0,9}))?\}/y
    counted.lastIndex = this.#at
    const found = counted.exec(this.#source)
    if (!found) return undefined
    this.#at += found[0].length
    const least = Number(found[1])
    return [least, found[2] === undefined ? least : found[3] ? Number(found[3]) : Number.POSITIVE_INFINITY]
  }

  #atom(): Pattern | undefined {
    const start = this.#at
    if (this.#quantifier()) throw new RegexError('there is nothing to repeat', start)
    const code = this.#take()
    switch (String.fromCodePoint(code)) {
      case '(':
        return this.#group(start)
      case '[':
        return this.#class(start)
      case '.':
        return { kind: 'set', set: this.#flags.s ? ANY : NOT_NEWLINE }
      case '^':
        return { kind: 'assert', assertion: this.#flags.m ? 'line-start' : 'start' }
      case '$':
        return { kind: 'assert', assertion: this.#flags.m ? 'line-end' : 'end' }
      case '\\':
        return this.#escape(start)
      default:
        return this.#set([code, code])
    }
  }

  /** Undefined for `(?i)`, which only changes what follows. */
  #group(start: number): Pattern | undefined {
    const outer = this.#flags
    if (this.#source[this.#at] === '?') {
      const head = /\?(?:P?<([A-Za-z_]\w*)>|([imsU]*)(?:-([ims]+))?([:)]))/y
      head.lastIndex = this.#at
      const found = head.exec(this.#source)
      if (!found) throw new RegexError('only (?:…), (?i) and named groups may follow "(?"', start)
      this.#at += found[0].length
      if (found[1] !== undefined) this.portable = false
      if (found[2]?.includes('U')) this.portable = false
      this.#flags = withFlags(outer, found[2] ?? '', found[3] ?? '')
      if (found[4] === ')') return undefined
    }
    const inner = this.#either()
    if (this.#source[this.#at] !== ')') throw new RegexError('a "(" is never closed', start)
    this.#at++
    this.#flags = outer
    // DuckDB rewrites simple patterns into substring searches, and gets those with an empty group wrong.
    if (inner.kind === 'sequence' && inner.parts.length === 0) this.portable = false
    return inner
  }

  #escape(start: number): Pattern {
    const letter = this.#source[this.#at] ?? ''
    if (letter === 'b' || letter === 'B' || letter === 'A' || letter === 'z') {
      this.#at++
      const assertion =
        letter === 'b' ? 'boundary' : letter === 'B' ? 'no-boundary' : letter === 'A' ? 'start' : 'end'
      return { kind: 'assert', assertion }
    }
    if (Object.hasOwn(CLASSES, letter)) {
      this.#at++
      return this.#set(CLASSES[letter])
    }
    const code = this.#escapedCode(start)
    return this.#set([code, code])
  }

  #escapedCode(start: number): number {
    if (this.#at >= this.#source.length) throw new RegexError('it ends in a backslash', start)
    const code = this.#take()
    const letter = String.fromCodePoint(code)
    if (Object.hasOwn(CONTROLS, letter)) return CONTROLS[letter]
    if (letter === 'x') {
      const hex = /([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\}/y
      hex.lastIndex = this.#at
      const found = hex.exec(this.#source)
      const value = found ? Number.parseInt(found[1] ?? found[2], 16) : -1
      if (!found || value > 0x10ffff) throw new RegexError('\\x wants two hexadecimal digits', start)
      this.#at += found[0].length
      return value
    }
    if (/[1-9]/.test(letter)) throw new RegexError('back references are not supported', start)
    if (/[0-9A-Za-z]/.test(letter)) throw new RegexError(`\\${letter} is not supported`, start)
    if (code > 127) this.portable = false
    return code
  }

  #class(start: number): Pattern {
    const negated = this.#source[this.#at] === '^'
    if (negated) this.#at++
    const ranges: number[] = []
    for (let first = true; this.#source[this.#at] !== ']' || first; first = false) {
      if (this.#at >= this.#source.length) throw new RegexError('a "[" is never closed', start)
      this.#classItem(ranges)
    }
    this.#at++
    const inside = this.#set(union(ranges))
    return negated ? { kind: 'set', set: complement(inside.set) } : inside
  }

  #classItem(ranges: number[]): void {
    const posix = /\[:(\^?)(\w+):\]/y
    posix.lastIndex = this.#at
    const named = posix.exec(this.#source)
    if (named && Object.hasOwn(POSIX, named[2])) {
      this.#at += named[0].length
      ranges.push(...(named[1] ? complement(POSIX[named[2]]) : POSIX[named[2]]))
      return
    }
    const letter = this.#source[this.#at + 1] ?? ''
    if (this.#source[this.#at] === '\\' && Object.hasOwn(CLASSES, letter)) {
      this.#at += 2
      ranges.push(...CLASSES[letter])
      return
    }
    const start = this.#at
    const from = this.#classCode()
    let to = from
    if (
      this.#source[this.#at] === '-' &&
      this.#source[this.#at + 1] !== ']' &&
      this.#at + 1 < this.#source.length
    ) {
      this.#at++
      to = this.#classCode()
    }
    if (from > to) throw new RegexError('a range in [ ] runs backwards', start)
    ranges.push(from, to)
  }

  #classCode(): number {
    const start = this.#at
    const code = this.#take()
    return code === 0x5c ? this.#escapedCode(start) : code
  }

  #set(set: CharSet): Extract<Pattern, { kind: 'set' }> {
    this.size += set.length / 2 + (this.#flags.i ? foldedCharacters(set) / CHARACTERS_A_RANGE : 0)
    if (this.size > this.#maxSize) throw new RegexTooLarge()
    if (!this.#flags.i) return { kind: 'set', set }
    if (set[set.length - 1] > 127) this.portable = false
    return { kind: 'set', set: foldCase(set) }
  }

  #take(): number {
    const code = this.#source.codePointAt(this.#at) ?? 0
    this.#at += code > 0xffff ? 2 : 1
    return code
  }
}

function withFlags(flags: Flags, on: string, off: string): Flags {
  const value = (letter: 'i' | 'm' | 's') => (on.includes(letter) || flags[letter]) && !off.includes(letter)
  return { i: value('i'), m: value('m'), s: value('s') }
}
