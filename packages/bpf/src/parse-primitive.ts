import { type Direction, type Expression, PROTOCOLS, type Protocol } from './expression.ts'
import { CONSTANTS, KEYWORDS } from './names.ts'
import { nearest } from './nearest.ts'
import { isAccessible, isOperator, parseComparison } from './parse-arithmetic.ts'
import { parseValue } from './parse-value.ts'
import type { Kind, Qualified, Qualifiers } from './qualifiers.ts'
import type { Token } from './token.ts'
import type { TokenCursor } from './token-cursor.ts'

const KINDS: readonly string[] = ['host', 'net', 'port', 'portrange', 'proto'] satisfies Kind[]
/** Words of the language that have no meaning for recorded packets, or that are not spoken here. */
const UNSPOKEN: readonly string[] = [
  'gateway',
  'protochain',
  'mpls',
  'pppoed',
  'pppoes',
  'geneve',
  'inbound',
  'outbound',
  'ifname',
  'ifindex',
  'wlan',
  'fddi',
  'tr',
  'ppp',
  'slip',
  'decnet',
  'ipx',
  'iso',
  'llc',
  'byte',
  'type',
  'subtype',
]
const STARTS = [
  'host',
  'net',
  'port',
  'portrange',
  'src',
  'dst',
  'tcp',
  'udp',
  'ip',
  'ip6',
  'vlan',
  'len',
  'not',
  '(',
]

/** One test: a protocol, qualifiers with a value, a comparison. */
export function parsePrimitive(cursor: TokenCursor): Qualified {
  const token = cursor.peek()
  if (token.kind === 'number' || cursor.is('-') || cursor.is('('))
    return { expression: parseComparison(cursor) }
  if (token.kind === 'address')
    throw cursor.wrong(token, 'An address needs a word that says what it is.', {
      expected: ['host', 'net', 'src', 'dst'],
      suggestion: cursor.is('/', 1) ? `net ${token.text}` : `host ${token.text}`,
    })
  if (token.kind !== 'word') throw cursor.unexpected(STARTS)
  const word = token.text === 'link' ? 'ether' : token.text
  if (token.escaped) throw unknownWord(cursor, token)
  if (word === 'len' || Object.hasOwn(CONSTANTS, word) || (isAccessible(word) && cursor.is('[', 1)))
    return { expression: parseComparison(cursor) }
  if (word === 'less' || word === 'greater') return { expression: parseLength(cursor) }
  if (word === 'vlan') return { expression: parseVlan(cursor) }
  if (PROTOCOLS.some((one) => one === word)) {
    cursor.next()
    return parseQualified(cursor, token, word as Protocol)
  }
  if (isQualifier(cursor)) return parseQualified(cursor, token)
  throw unknownWord(cursor, token)
}

/** Whether a token can only be a value, so that the qualifiers before it hold for it as well. */
export function isBareValue(cursor: TokenCursor, last: Qualifiers | undefined): boolean {
  const { kind, text, escaped } = cursor.peek()
  if (kind === 'address') return true
  if (kind === 'number') {
    const ranged = last?.kind === 'portrange' && cursor.is('-', 1) && !isOperator(cursor.peek(3))
    return ranged || !isOperator(cursor.peek(1))
  }
  if (kind !== 'word') return false
  if (escaped) return true
  return !KEYWORDS.includes(text) && !UNSPOKEN.includes(text) && !Object.hasOwn(CONSTANTS, text)
}

function parseQualified(cursor: TokenCursor, first: Token, protocol?: Protocol): Qualified {
  if (cursor.is('broadcast') || cursor.is('multicast')) return { expression: cast(cursor, first, protocol) }
  if (!isQualifier(cursor)) {
    if (protocol === 'ether') throw cursor.unexpected(['host', 'src', 'dst', 'proto', '['])
    return { expression: { kind: 'protocol', protocol: protocol! } }
  }
  const direction = parseDirection(cursor)
  const named = KINDS.find((kind) => cursor.is(kind)) as Kind | undefined
  if (named !== undefined) cursor.next()
  const qualifiers: Qualifiers = {
    kind: named ?? 'host',
    ...(direction && { direction }),
    ...(protocol && { protocol }),
  }
  return { expression: parseValues(cursor, qualifiers), qualifiers }
}

/** A value, or several in parentheses: `port (80 or 443)`. */
function parseValues(cursor: TokenCursor, qualifiers: Qualifiers): Expression {
  if (cursor.take('not') || cursor.take('!')) return { kind: 'not', of: parseValues(cursor, qualifiers) }
  if (!cursor.take('(')) return parseValue(cursor, qualifiers)
  const single = () =>
    cursor.take('not') || cursor.take('!')
      ? ({ kind: 'not', of: parseValue(cursor, qualifiers) } as const)
      : parseValue(cursor, qualifiers)
  let left: Expression = single()
  for (;;) {
    if (cursor.take('or') || cursor.take('||')) left = { kind: 'or', left, right: single() }
    else if (cursor.take('and') || cursor.take('&&')) left = { kind: 'and', left, right: single() }
    else break
  }
  cursor.demand(')')
  return left
}

function parseDirection(cursor: TokenCursor): Direction | undefined {
  const direction = (['src', 'dst'] as const).find((one) => cursor.is(one))
  if (direction === undefined) return undefined
  cursor.next()
  const other = direction === 'src' ? 'dst' : 'src'
  if (!cursor.is(other, 1)) return direction
  if (cursor.is('or') || cursor.is('||')) {
    cursor.next()
    cursor.next()
    return 'either'
  }
  if (cursor.is('and') || cursor.is('&&')) {
    cursor.next()
    cursor.next()
    return 'both'
  }
  return direction
}

function isQualifier(cursor: TokenCursor): boolean {
  return ['src', 'dst', 'broadcast', 'multicast', ...KINDS].some((word) => cursor.is(word))
}

function cast(cursor: TokenCursor, first: Token, protocol: Protocol = 'ether'): Expression {
  const cast = cursor.next().text === 'broadcast' ? 'broadcast' : 'multicast'
  const layers: readonly string[] = cast === 'broadcast' ? ['ether'] : ['ether', 'ip', 'ip6']
  if (!layers.includes(protocol))
    throw cursor.wrong(first, `"${protocol} ${cast}" is not known.`, { expected: layers })
  return { kind: 'cast', cast, layer: protocol as 'ether' | 'ip' | 'ip6' }
}

/** `less 100` takes 100 bytes as well, and so does `greater 100`. */
function parseLength(cursor: TokenCursor): Expression {
  const comparison = cursor.next().text === 'less' ? '<=' : '>='
  if (cursor.peek().kind !== 'number') throw cursor.unexpected(['length in bytes'])
  return {
    kind: 'compare',
    comparison,
    left: { kind: 'length' },
    right: { kind: 'number', value: cursor.next().value },
  }
}

function parseVlan(cursor: TokenCursor): Expression {
  cursor.next()
  const token = cursor.peek()
  if (token.kind !== 'number' || isOperator(cursor.peek(1))) return { kind: 'vlan' }
  if (token.value > 4095)
    throw cursor.wrong(token, `"${token.text}" is no VLAN.`, { expected: ['0 to 4095'] })
  cursor.next()
  return { kind: 'vlan', id: token.value }
}

function unknownWord(cursor: TokenCursor, token: Token) {
  const written = cursor.written(token)
  if (UNSPOKEN.includes(token.text))
    return cursor.wrong(token, `"${written}" is not supported.`, { expected: STARTS })
  const suggestion = nearest(token.text, KEYWORDS)
  return cursor.wrong(token, `"${written}" is not known.`, {
    expected: STARTS,
    ...(suggestion && { suggestion }),
  })
}
