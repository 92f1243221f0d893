import { BpfError } from './bpf-error.ts'
import type { Token, TokenKind } from './token.ts'

/** Expressions are written by people; more than this is a mistake or an attack. */
const MAX_TEXT = 8192

const SPACE = /\s+/y
const SYMBOL = /<<|>>|<=|>=|==|!=|&&|\|\||[()[\]:!=<>+\-*/%&|^]/y
/** Addresses hold dots or colons; what follows a hyphen belongs to a name such as `tcp-syn`. */
const MAC = /[0-9A-Fa-f]{1,2}([:.-])[0-9A-Fa-f]{1,2}(?:\1[0-9A-Fa-f]{1,2}){4}(?![\w.:-])/y
const IPV6 = /(?=[0-9A-Fa-f]*:[0-9A-Fa-f]*:)[0-9A-Fa-f:]+(?:\.\d+)*/y
const DOTTED = /\d+(?:\.\d+)+(?![\w])/y
const NUMBER = /0[xX][0-9A-Fa-f]+|\d+/y
const WORD = /[A-Za-z][\w]*(?:[-.][\w]+)*/y

export function tokenize(text: string): readonly Token[] {
  if (text.length > MAX_TEXT)
    throw new BpfError(
      `The expression is ${text.length} characters long; at most ${MAX_TEXT} are accepted.`,
      {
        position: MAX_TEXT,
        length: text.length - MAX_TEXT,
      },
    )
  const tokens: Token[] = []
  let at = 0
  // `ip[2:2]`: between brackets a colon separates offset and size, and is not part of an address.
  let brackets = false
  for (;;) {
    at += match(SPACE, text, at)?.length ?? 0
    if (at >= text.length) break
    const token = next(text, at, brackets)
    if (token.text === '[') brackets = true
    else if (token.text === ']') brackets = false
    tokens.push(token)
    at = token.end
  }
  tokens.push({ kind: 'end', text: '', value: 0, escaped: false, start: text.length, end: text.length })
  return tokens
}

function next(text: string, at: number, brackets: boolean): Token {
  const token = (kind: TokenKind, found: string, value = 0): Token => ({
    kind,
    text: found,
    value,
    escaped: false,
    start: at,
    end: at + found.length,
  })
  if (text[at] === '\\') return escaped(text, at)
  const address = brackets ? undefined : (match(MAC, text, at) ?? match(IPV6, text, at))
  if (address !== undefined) return token('address', address)
  const dotted = match(DOTTED, text, at)
  if (dotted !== undefined) return token('address', dotted)
  const number = match(NUMBER, text, at)
  if (number !== undefined) return numeral(token('number', number), text)
  const word = match(WORD, text, at)
  if (word !== undefined) return token('word', word)
  const symbol = match(SYMBOL, text, at)
  if (symbol !== undefined) return token('symbol', symbol)
  const character = String.fromCodePoint(text.codePointAt(at) ?? 0)
  throw new BpfError(`Unexpected character ${JSON.stringify(character)}.`, {
    position: at,
    length: character.length,
  })
}

function escaped(text: string, at: number): Token {
  const word = match(WORD, text, at + 1)
  if (word === undefined)
    throw new BpfError('A backslash is only allowed before a name.', {
      position: at,
      length: 1,
      expected: ['\\tcp'],
    })
  return { kind: 'word', text: word, value: 0, escaped: true, start: at, end: at + 1 + word.length }
}

function numeral(token: Token, text: string): Token {
  const tail = match(/\w+/y, text, token.end)
  if (tail !== undefined)
    throw new BpfError(`"${token.text}${tail}" is no number.`, {
      position: token.start,
      length: token.text.length + tail.length,
    })
  // A leading zero means octal, as in C.
  const octal = /^0\d+$/.test(token.text)
  const value = octal ? Number.parseInt(token.text, 8) : Number(token.text)
  if ((octal && /[89]/.test(token.text)) || value > 0xffffffff)
    throw new BpfError(`"${token.text}" is ${octal ? 'no octal number' : 'larger than 32 bits hold'}.`, {
      position: token.start,
      length: token.text.length,
    })
  return { ...token, value }
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  const found = pattern.exec(text)
  return found && found[0] !== '' ? found[0] : undefined
}
