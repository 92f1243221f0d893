import { editDistance } from '@tapdeck/spelling'
import { KflError } from './kfl-error.ts'
import { textLiteral } from './text-literal.ts'
import type { Token } from './token.ts'

const WORD_OPERATORS = ['contains', 'startswith', 'endswith', 'matches', 'in', 'and', 'or'] as const
const MAX_EDITS = 2

/** Operators of other languages, and what they are here. */
const WORDS: ReadonlyMap<string, string> = new Map(
  Object.entries({
    eq: '==',
    is: '==',
    equals: '==',
    ne: '!=',
    xor: '!=',
    gt: '>',
    lt: '<',
    ge: '>=',
    gte: '>=',
    le: '<=',
    lte: '<=',
    includes: 'contains',
    has: 'contains',
    regex: 'matches',
    beginswith: 'startswith',
    starts_with: 'startswith',
    ends_with: 'endswith',
  }),
)

/** The error for an operator of another language or a misspelt one; undefined for any other word. `next` follows it. */
export function foreignOperator(token: Token, next: Token | undefined): KflError | undefined {
  if (token.kind !== 'name') return undefined
  const word = token.text.toLowerCase()
  if (word === 'like') return like(token, next)
  const suggestion = WORDS.get(word) ?? misspelt(word, next)
  if (suggestion === undefined) return undefined
  return wrong(token.text, suggestion, token.start, token.end)
}

/** The operator that was most likely meant, if an operand follows the word: `ip` in `http ip == 10.0.0.1` is a field. */
function misspelt(word: string, next: Token | undefined): string | undefined {
  if (next === undefined || next.kind === 'end') return undefined
  if (next.kind === 'punctuation' && !'([{!-'.includes(next.text)) return undefined
  const [best] = WORD_OPERATORS.map((operator) => ({ operator, distance: editDistance(word, operator) }))
    .filter(({ operator, distance }) => distance <= (operator.length > 3 ? MAX_EDITS : 1))
    .sort((a, b) => a.distance - b.distance)
  return best?.operator
}

/** SQL's `like "a%"` is `startswith "a"` here: a percent sign is only itself. */
function like(token: Token, next: Token | undefined): KflError {
  const pattern = next?.kind === 'string' ? next.value : undefined
  const text = pattern?.replace(/^%|%$/g, '')
  if (next === undefined || pattern === undefined || text === undefined || /[%_]/.test(text)) {
    return new KflError('"like" is not an operator; write contains, startswith, endswith or matches.', {
      position: token.start,
      length: token.text.length,
      expected: ['contains', 'startswith', 'endswith', 'matches'],
    })
  }
  return wrong(token.text, `${operatorFor(pattern)} ${textLiteral(text)}`, token.start, next.end)
}

function operatorFor(pattern: string): string {
  const opens = pattern.startsWith('%')
  const closes = pattern.endsWith('%') && pattern.length > 1
  if (opens) return closes ? 'contains' : 'endswith'
  return closes ? 'startswith' : '=='
}

function wrong(word: string, suggestion: string, start: number, end: number): KflError {
  const message = `"${word}" is not an operator; write ${suggestion}.`
  return new KflError(message, { position: start, length: end - start, suggestion })
}
