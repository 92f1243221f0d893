import type { Expression } from './expression.ts'
import { KEYWORDS } from './names.ts'
import { nearest } from './nearest.ts'
import { isOperator } from './parse-arithmetic.ts'
import { isBareValue, parsePrimitive } from './parse-primitive.ts'
import { parseValue } from './parse-value.ts'
import type { Qualified, Qualifiers } from './qualifiers.ts'
import { TokenCursor } from './token-cursor.ts'

const MAX_DEPTH = 100

/** Text → what it says. Throws `BpfError`. An empty text means all packets. */
export function parse(text: string): Expression {
  const cursor = new TokenCursor(text)
  if (cursor.peek().kind === 'end') return { kind: 'all' }
  const { expression } = parseExpression(cursor, 0)
  if (cursor.peek().kind !== 'end') throw leftOver(cursor)
  return expression
}

/** Two tests without a word between them, or a word that is a slip of one. */
function leftOver(cursor: TokenCursor) {
  const { kind, text } = cursor.peek()
  const near = kind === 'word' && !KEYWORDS.includes(text) ? nearest(text, KEYWORDS) : undefined
  return cursor.unexpected(['and', 'or'], near)
}

/** `and` and `or` bind alike and from left to right; only `not` binds closer (pcap-filter(7)). */
function parseExpression(cursor: TokenCursor, depth: number): Qualified {
  let { expression, qualifiers } = parseTerm(cursor, depth)
  for (;;) {
    const kind = operator(cursor)
    if (kind === undefined) return { expression, ...(qualifiers && { qualifiers }) }
    const right = parseTerm(cursor, depth, { last: qualifiers })
    expression = { kind, left: expression, right: right.expression }
    qualifiers = right.qualifiers
  }
}

function operator(cursor: TokenCursor): 'and' | 'or' | undefined {
  if (cursor.take('and') || cursor.take('&&')) return 'and'
  return cursor.take('or') || cursor.take('||') ? 'or' : undefined
}

function parseTerm(
  cursor: TokenCursor,
  depth: number,
  before?: { readonly last: Qualifiers | undefined },
): Qualified {
  let negated = false
  while (cursor.take('not') || cursor.take('!')) negated = !negated
  const found = before && isBareValue(cursor, before.last) ? bare(cursor, before.last) : term(cursor, depth)
  return negated ? { ...found, expression: { kind: 'not', of: found.expression } } : found
}

function term(cursor: TokenCursor, depth: number): Qualified {
  if (!cursor.is('(') || isOperator(cursor.peek(cursor.closing() + 1))) return parsePrimitive(cursor)
  if (depth >= MAX_DEPTH) throw cursor.wrong(cursor.peek(), 'The expression is nested too deeply.')
  cursor.next()
  const inner = parseExpression(cursor, depth + 1)
  cursor.demand(')')
  return inner
}

/** `port 80 or 443`: the words before hold on. */
function bare(cursor: TokenCursor, last: Qualifiers | undefined): Qualified {
  // An unknown word gets its own error.
  if (last === undefined || cursor.peek().kind === 'word') {
    if (last?.kind !== 'port' && last?.kind !== 'portrange' && last?.kind !== 'proto')
      return missingQualifier(cursor)
  }
  return { expression: parseValue(cursor, last!), qualifiers: last! }
}

function missingQualifier(cursor: TokenCursor): Qualified {
  const token = cursor.peek()
  if (token.kind !== 'number') return parsePrimitive(cursor)
  throw cursor.wrong(token, 'This number needs a word that says what it is.', {
    expected: ['port', 'net', 'vlan', 'less', 'greater'],
    suggestion: `port ${token.text}`,
  })
}
