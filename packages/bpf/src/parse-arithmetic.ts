import {
  type Arithmetic,
  type Comparison,
  type Expression,
  type Operator,
  PROTOCOLS,
  type Protocol,
} from './expression.ts'
import { CONSTANTS } from './names.ts'
import { nearest } from './nearest.ts'
import type { Token } from './token.ts'
import type { TokenCursor } from './token-cursor.ts'

/** Binds weakest first; those of one row alike, from left to right. */
const LEVELS: readonly (readonly Operator[])[] = [
  ['|'],
  ['^'],
  ['&'],
  ['<<', '>>'],
  ['+', '-'],
  ['*', '/', '%'],
]
const COMPARISONS: Readonly<Record<string, Comparison>> = {
  '=': '=',
  '==': '=',
  '!=': '!=',
  '>': '>',
  '<': '<',
  '>=': '>=',
  '<=': '<=',
}
const OPERATORS = new Set<string>([...LEVELS.flat(), ...Object.keys(COMPARISONS)])
const MAX_DEPTH = 64

/** Brackets may follow all but those of IPsec. */
const accessible: readonly Protocol[] = PROTOCOLS.filter(
  (protocol) => protocol !== 'ah' && protocol !== 'esp',
)

/** Whether a token continues the number before it. */
export function isOperator({ kind, text }: Token): boolean {
  return kind === 'symbol' && OPERATORS.has(text)
}

/** `tcp[tcpflags] & tcp-syn != 0`. */
export function parseComparison(cursor: TokenCursor): Expression {
  const left = level(cursor, 0, 0)
  const token = cursor.peek()
  const comparison = token.kind === 'symbol' ? COMPARISONS[token.text] : undefined
  if (comparison === undefined) throw cursor.unexpected(Object.keys(COMPARISONS))
  cursor.next()
  return { kind: 'compare', comparison, left, right: level(cursor, 0, 0) }
}

/** Whether brackets may follow a protocol: its bytes can be looked at. */
export function isAccessible(word: string): word is Protocol {
  return (accessible as readonly string[]).includes(word)
}

function level(cursor: TokenCursor, row: number, depth: number): Arithmetic {
  const operators = LEVELS[row]
  if (operators === undefined) return operand(cursor, depth)
  let left = level(cursor, row + 1, depth)
  for (;;) {
    const operator = operators.find((one) => cursor.is(one))
    if (operator === undefined) return left
    const at = cursor.next()
    left = binary(cursor, at, operator, left, level(cursor, row + 1, depth))
  }
}

function binary(
  cursor: TokenCursor,
  at: Token,
  operator: Operator,
  left: Arithmetic,
  right: Arithmetic,
): Arithmetic {
  if (right.kind === 'number') {
    if (right.value === 0 && (operator === '/' || operator === '%'))
      throw cursor.wrong(at, 'This divides by zero.')
    if (right.value > 31 && (operator === '<<' || operator === '>>'))
      throw cursor.wrong(at, 'This shifts by more than 31 bits.')
    if (left.kind === 'number') return { kind: 'number', value: calculate(operator, left.value, right.value) }
  }
  return { kind: 'binary', operator, left, right }
}

function operand(cursor: TokenCursor, depth: number): Arithmetic {
  const token = cursor.peek()
  if (depth > MAX_DEPTH) throw cursor.wrong(token, 'The expression is nested too deeply.')
  if (cursor.take('-'))
    return binary(cursor, token, '-', { kind: 'number', value: 0 }, operand(cursor, depth + 1))
  if (cursor.take('(')) {
    const inner = level(cursor, 0, depth + 1)
    cursor.demand(')')
    return inner
  }
  if (token.kind === 'number') return { kind: 'number', value: cursor.next().value }
  if (token.kind === 'word') {
    if (cursor.take('len')) return { kind: 'length' }
    const word = token.text === 'link' ? 'ether' : token.text
    if (isAccessible(word)) return bytes(cursor, word, depth)
    if (Object.hasOwn(CONSTANTS, word)) {
      cursor.next()
      return { kind: 'number', value: CONSTANTS[word] }
    }
    const suggestion = nearest(word, [...Object.keys(CONSTANTS), ...accessible, 'len'])
    throw cursor.wrong(token, `"${word}" is no number.`, {
      expected: ['number', 'len', 'tcp[…]'],
      ...(suggestion && { suggestion }),
    })
  }
  throw cursor.unexpected(['number', 'len', 'tcp[…]', '('])
}

function bytes(cursor: TokenCursor, protocol: Protocol, depth: number): Arithmetic {
  cursor.next()
  cursor.demand('[')
  const index = level(cursor, 0, depth + 1)
  let size: 1 | 2 | 4 = 1
  if (cursor.take(':')) {
    const { kind, value } = cursor.peek()
    if (kind !== 'number' || (value !== 1 && value !== 2 && value !== 4))
      throw cursor.wrong(cursor.peek(), 'A load reads one, two or four bytes.', {
        expected: ['1', '2', '4'],
      })
    size = value
    cursor.next()
  }
  cursor.demand(']')
  return { kind: 'bytes', protocol, index, size }
}

/** 32 bits, unsigned, wrapping around, as the machine of the filters reckons. A shift beyond 31 leaves nothing. */
export function calculate(operator: Operator, left: number, right: number): number {
  switch (operator) {
    case '+':
      return (left + right) >>> 0
    case '-':
      return (left - right) >>> 0
    case '*':
      return Math.imul(left, right) >>> 0
    case '/':
      return Math.floor(left / right)
    case '%':
      return left % right
    case '&':
      return (left & right) >>> 0
    case '|':
      return (left | right) >>> 0
    case '^':
      return (left ^ right) >>> 0
    case '<<':
      return right > 31 ? 0 : (left << right) >>> 0
    case '>>':
      return right > 31 ? 0 : left >>> right
  }
}
