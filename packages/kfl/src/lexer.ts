import { parseIpBlock } from '@tapdeck/ip'
import { parseSize } from '@tapdeck/units'
import { FilterTooLarge } from './filter-too-large.ts'
import { KflError } from './kfl-error.ts'
import { MAX_TEXT, MAX_TOKENS } from './limits.ts'
import { readString } from './string-literal.ts'
import type { Token } from './token.ts'
import { parseDuration } from './unit.ts'

/** After these names a member may hold hyphens: `request.headers.x-id`, `src.labels.app-name`. */
const HYPHENATED = /(?:headers|labels|annotations|cookies)$/

const SPACE = /[\s\u00a0]+/y
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y
const KEY = /[A-Za-z_][A-Za-z0-9_]*(?:-[A-Za-z0-9_]+)*/y
const V6 = /[0-9A-Fa-f:.]{0,45}(?:\/\d{1,3})?/y
const V4 = /\d+(?:\.\d+){2,9}(?:\/\d+)?/y
const NUMBER = /0[xX][0-9A-Fa-f]+|\d+(?:\.\d+)?(?:[eE][+-]?\d+)?/y
const UNITS = /(?:\d{1,20}(?:\.\d{1,20})?[A-Za-zµμ]+)+[\w]*/y
const PUNCTUATION = /==|!=|<=|>=|&&|\|\||\.\.|[<>!()[\]{},.?:+\-*/%]/y

/** What people write out of habit of another language, and what it is here. */
const HABITS: readonly (readonly [string, string])[] = [
  ['===', '=='],
  ['!==', '!='],
  ['<>', '!='],
  ['=~', 'matches'],
  ['~=', 'matches'],
  ['!~', 'not matches'],
  ['~', 'matches'],
  ['=>', '>='],
  ['=<', '<='],
  ['=', '=='],
  ['&', '&&'],
  ['|', '||'],
]

/** The longest IPv6 address is 45 characters, as written with an IPv4 address at its end. */
const MAX_V6 = 45
const COLON = 0x3a
const DOT = 0x2e

const SHORTER = 'Use a CIDR block, a range, startswith or matches instead of a long list.'

export function tokenize(text: string): readonly Token[] {
  if (text.length > MAX_TEXT) {
    const message = `The filter is ${text.length} characters long; at most ${MAX_TEXT} are accepted.`
    const place = { position: MAX_TEXT, length: text.length - MAX_TEXT }
    throw new FilterTooLarge(message, place, MAX_TEXT, SHORTER)
  }
  const tokens: Token[] = []
  let at = 0
  while (at < text.length) {
    const space = match(SPACE, text, at)
    if (space) {
      at += space.length
      continue
    }
    if (tokens.length === MAX_TOKENS) {
      const message = `The filter has more than ${MAX_TOKENS} names, values and operators.`
      throw new FilterTooLarge(message, { position: at, length: 1 }, MAX_TOKENS, SHORTER)
    }
    const token = next(text, at, tokens)
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', text: '', start: text.length, end: text.length })
  return tokens
}

function next(text: string, at: number, before: readonly Token[]): Token {
  const first = text[at]
  if (first === '"' || first === "'") return readString(text, at, at, false)
  if ((first === 'r' || first === 'R') && /["']/.test(text[at + 1] ?? ''))
    return readString(text, at, at + 1, true)
  const block = address(text, at)
  if (block) return block
  if (first >= '0' && first <= '9') return number(text, at)
  const name = match(afterMap(before) ? KEY : NAME, text, at)
  if (name) return { kind: 'name', text: name, start: at, end: at + name.length }
  for (const [habit, here] of HABITS) {
    if (text.startsWith(habit, at) && !(habit.length === 1 && text.startsWith(here, at))) {
      throw new KflError(`"${habit}" is not an operator; write ${here}.`, {
        position: at,
        length: habit.length,
        suggestion: here,
      })
    }
  }
  const punctuation = match(PUNCTUATION, text, at)
  if (punctuation) return { kind: 'punctuation', text: punctuation, start: at, end: at + punctuation.length }
  if (FANCY_QUOTES.includes(first)) throw fancyQuotes(text, at)
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  throw new KflError(`Unexpected character ${JSON.stringify(character)}.`, {
    position: at,
    length: character.length,
  })
}

function afterMap(before: readonly Token[]): boolean {
  const count = before.length
  return count > 1 && before[count - 1].text === '.' && HYPHENATED.test(before[count - 2].text)
}

function address(text: string, at: number): Token | undefined {
  if (looksLikeV6(text, at)) return ip((match(V6, text, at) ?? '').replace(/\.+$/, ''), at)
  const v4 = isDigit(text.charCodeAt(at)) ? match(V4, text, at) : undefined
  return v4 ? ip(v4, at) : undefined
}

/** Whether the address characters from `at` on hold `::` or eight groups. Asked for each token, so it makes no text. */
function looksLikeV6(text: string, at: number): boolean {
  const end = Math.min(text.length, at + MAX_V6)
  let colons = 0
  let last = -1
  for (let place = at; place < end; place++) {
    const code = text.charCodeAt(place)
    if (code === COLON) {
      if (last === place - 1) return true
      last = place
      colons++
    } else if (!isHexDigit(code) && code !== DOT) break
  }
  return colons === 7
}

function isDigit(code: number): boolean {
  return code >= 0x30 && code <= 0x39
}

function isHexDigit(code: number): boolean {
  const lower = code | 0x20
  return isDigit(code) || (lower >= 0x61 && lower <= 0x66)
}

function ip(text: string, at: number): Token {
  const value = parseIpBlock(text)
  if (value) return { kind: 'ip', value, text, start: at, end: at + text.length }
  throw new KflError(`"${text}" is not an IP address or CIDR block such as 10.0.0.0/8.`, {
    position: at,
    length: text.length,
    expected: ['address', 'CIDR block'],
  })
}

function number(text: string, at: number): Token {
  const plain = match(NUMBER, text, at) ?? ''
  const end = at + plain.length
  if (!/[A-Za-z0-9_µμ]/.test(text[end] ?? '')) {
    if (!Number.isFinite(Number(plain))) {
      throw new KflError('The number is too large.', { position: at, length: plain.length })
    }
    return { kind: 'number', value: Number(plain), text: plain, start: at, end }
  }
  const written = match(UNITS, text, at) ?? plain
  const place = { text: written, start: at, end: at + written.length }
  const duration = parseDuration(written)
  if (duration !== undefined) return { kind: 'duration', value: duration, ...place }
  const size = written === plain ? undefined : parseSize(written)
  if (size !== undefined) return { kind: 'size', value: size, ...place }
  throw badUnit(text, written, at)
}

/** What word processors and chats make of quotes. */
const FANCY_QUOTES = '“”„«»‘’`'

function fancyQuotes(text: string, at: number): KflError {
  const inside = text.slice(at + 1).search(new RegExp(`[${FANCY_QUOTES}]`))
  const length = inside < 0 ? 1 : inside + 2
  const suggestion = inside < 0 ? '"' : JSON.stringify(text.slice(at + 1, at + 1 + inside))
  return new KflError(`Text must be in straight quotes, " or '.`, { position: at, length, suggestion })
}

/** `== 5xx` was meant as a range, `>= 5xx` as its nearer end. */
function hundreds(text: string, written: string, at: number): KflError {
  const digit = written[0]
  const from = Math.max(0, at - 10)
  const before = /(==|!=|>=|<=|>|<)\s*$/.exec(text.slice(from, at))
  const operator = before?.[1] ?? ''
  const range = `${digit}00..${digit}99`
  const isEquality = operator === '==' || operator === '!='
  const bound = { '>=': '00', '<': '00', '>': '99', '<=': '99' }[operator]
  const position = isEquality && before ? from + before.index : at
  const suggestion = isEquality
    ? `${operator === '!=' ? 'not ' : ''}in ${range}`
    : bound
      ? digit + bound
      : range
  return new KflError(`"${written}" is not a number; write ${suggestion}.`, {
    position,
    length: at + written.length - position,
    suggestion,
  })
}

function badUnit(text: string, written: string, at: number): KflError {
  const position = { position: at, length: Math.max(1, written.length) }
  if (/^[1-9]xx$/i.test(written)) return hundreds(text, written, at)
  return new KflError(
    `"${written}" has an unknown unit; durations end in us ms s m h d, sizes in B KB MB GB KiB MiB GiB.`,
    {
      ...position,
      expected: ['us', 'ms', 's', 'm', 'h', 'd', 'B', 'KB', 'MB', 'GB', 'KiB', 'MiB', 'GiB'],
    },
  )
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found && found[0] !== '' ? found[0] : undefined
}
