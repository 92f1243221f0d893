import { BIND } from './binding.ts'
import { FilterTooLarge } from './filter-too-large.ts'
import { foreignOperator } from './foreign-operator.ts'
import { tokenize } from './lexer.ts'
import { MAX_DEPTH } from './limits.ts'
import type { ArithmeticOperator, ComparisonOperator, SyntaxNode, TextOperator } from './syntax-node.ts'
import type { Token } from './token.ts'
import { shown, TokenCursor } from './token-cursor.ts'

const COMPARISONS = new Set(['==', '!=', '<', '<=', '>', '>='])

/** The word operators by lower-case spelling: `startsWith` and `startswith` are the same. */
const TEXT_OPERATORS: ReadonlyMap<string, TextOperator> = new Map([
  ['contains', 'contains'],
  ['startswith', 'startsWith'],
  ['endswith', 'endsWith'],
  ['matches', 'matches'],
])

const OPERATORS = [
  '==',
  '!=',
  '<',
  '<=',
  '>',
  '>=',
  'contains',
  'startswith',
  'endswith',
  'matches',
  'in',
  'and',
  'or',
]

/** The tree of a filter, or undefined for a blank one. */
export function parse(text: string): SyntaxNode | undefined {
  const tokens = tokenize(text)
  if (tokens.length === 1) return undefined
  const parser = new Parser(tokens)
  const node = parser.expression(0)
  parser.finish()
  return node
}

class Parser {
  readonly #cursor: TokenCursor
  #nesting = 0

  constructor(tokens: readonly Token[]) {
    this.#cursor = new TokenCursor(tokens)
  }

  finish(): void {
    const token = this.#cursor.token
    if (token.kind === 'end') return
    if (token.text === ')' || token.text === ']' || token.text === '}') {
      throw this.#cursor.error(`This "${token.text}" closes nothing.`, token)
    }
    if (token.text === ',' && token.kind === 'punctuation')
      throw this.#cursor.error('A list must be in brackets, as in [500, 502].', token, {
        expected: OPERATORS,
      })
    const foreign = foreignOperator(token, this.#cursor.peek(1))
    if (foreign) throw foreign
    if (COMPARISONS.has(token.text)) {
      throw this.#cursor.error('Comparisons do not chain; join two of them with and.', token, {
        expected: ['and', 'or'],
      })
    }
    if (this.#cursor.isWord('not')) {
      const next = this.#cursor.peek(1)
      const expected = ['in', ...TEXT_OPERATORS.keys()]
      const misspelt = next && foreignOperator(next, this.#cursor.peek(2))
      if (misspelt?.suggestion && expected.includes(misspelt.suggestion)) throw misspelt
      throw this.#cursor.error(`After "not" one of ${expected.join(', ')} is expected here.`, token, {
        expected,
      })
    }
    throw this.#cursor.error(`Expected an operator before ${shown(token)}.`, token, { expected: OPERATORS })
  }

  expression(minimum: number): SyntaxNode {
    if (++this.#nesting > MAX_DEPTH) throw this.#tooDeep(this.#cursor.token.start)
    let left = this.#prefix()
    for (;;) {
      const grown = this.#infix(left, minimum)
      if (!grown) break
      left = grown
    }
    this.#nesting--
    return left
  }

  #prefix(): SyntaxNode {
    const token = this.#cursor.token
    if (this.#cursor.isWord('not')) {
      this.#cursor.skip()
      const of = this.expression(BIND.not)
      return { kind: 'not', of, start: token.start, end: of.end, depth: this.#depth(of) }
    }
    if (token.kind === 'punctuation' && (token.text === '!' || token.text === '-')) {
      this.#cursor.skip()
      const of = this.expression(BIND.prefix)
      const place = { of, start: token.start, end: of.end, depth: this.#depth(of) }
      return token.text === '!' ? { kind: 'not', ...place } : { kind: 'minus', ...place }
    }
    return this.#postfix(this.#primary())
  }

  #primary(): SyntaxNode {
    const token = this.#cursor.token
    const { start, end } = token
    switch (token.kind) {
      case 'string':
        this.#cursor.skip()
        return { kind: 'string', value: token.value, start, end, depth: 1 }
      case 'number':
      case 'duration':
      case 'size':
        this.#cursor.skip()
        return { kind: token.kind, value: token.value, text: token.text, start, end, depth: 1 }
      case 'ip':
        this.#cursor.skip()
        return { kind: 'ip', value: token.value, text: token.text, start, end, depth: 1 }
      case 'name':
        return this.#name(token)
      case 'punctuation':
        if (token.text === '(') return this.#group()
        if (token.text === '[') return this.#list(']')
        if (token.text === '{') return this.#list('}')
    }
    throw this.#cursor.missingOperand()
  }

  #name(token: Token): SyntaxNode {
    const { start, end, text } = token
    const word = text.toLowerCase()
    const isOperator = word === 'and' || word === 'or' || word === 'in' || TEXT_OPERATORS.has(word)
    // `contains(path, "x")` is a mistake that the checker explains better.
    const isCall = this.#cursor.peek(1)?.text === '(' && TEXT_OPERATORS.has(word)
    if (isOperator && !isCall) throw this.#cursor.missingOperand()
    this.#cursor.skip()
    if (this.#cursor.is('(')) {
      const args = this.#arguments()
      return {
        kind: 'call',
        name: text,
        nameStart: start,
        args,
        start,
        end: this.#cursor.lastEnd,
        depth: this.#depth(...args),
      }
    }
    if (word === 'true' || word === 'false')
      return { kind: 'boolean', value: word === 'true', start, end, depth: 1 }
    if (word === 'null' || word === 'nil') return { kind: 'null', start, end, depth: 1 }
    return { kind: 'name', name: text, start, end, depth: 1 }
  }

  #group(): SyntaxNode {
    const open = this.#cursor.token
    const afterIn = this.#cursor.peek(-1)?.text.toLowerCase() === 'in'
    this.#cursor.skip()
    const inner = this.expression(0)
    // `in ("a", "b")` and `in ("a")` are sets; `in (pods)` is a name in parentheses.
    if (afterIn && (this.#cursor.is(',') || 'value' in inner)) return this.#items(open, [inner], ')')
    this.#close(open, ')')
    // The parentheses belong to the span, so that a part's own text keeps them.
    return { ...inner, start: open.start, end: this.#cursor.lastEnd }
  }

  #list(closing: string): SyntaxNode {
    const open = this.#cursor.token
    this.#cursor.skip()
    if (this.#cursor.token.text !== closing) return this.#items(open, [this.expression(0)], closing)
    this.#cursor.skip()
    return { kind: 'list', items: [], start: open.start, end: this.#cursor.lastEnd, depth: 1 }
  }

  #items(open: Token, items: SyntaxNode[], closing: string): SyntaxNode {
    while (this.#cursor.is(',')) {
      this.#cursor.skip()
      if (this.#cursor.is(closing)) break
      items.push(this.expression(0))
    }
    this.#close(open, closing)
    return { kind: 'list', items, start: open.start, end: this.#cursor.lastEnd, depth: this.#depth(...items) }
  }

  #arguments(): readonly SyntaxNode[] {
    const open = this.#cursor.token
    this.#cursor.skip()
    if (this.#cursor.is(')')) {
      this.#cursor.skip()
      return []
    }
    const list = this.#items(open, [this.expression(0)], ')')
    return list.kind === 'list' ? list.items : []
  }

  #postfix(base: SyntaxNode): SyntaxNode {
    let node = base
    for (;;) {
      const token = this.#cursor.token
      if (token.kind !== 'punctuation') return node
      if (token.text === '.') node = this.#dot(node)
      else if (token.text === '[') {
        this.#cursor.skip()
        const key = this.expression(0)
        this.#close(token, ']')
        node = {
          kind: 'index',
          of: node,
          key,
          start: node.start,
          end: this.#cursor.lastEnd,
          depth: this.#depth(node, key),
        }
      } else return node
    }
  }

  #dot(of: SyntaxNode): SyntaxNode {
    this.#cursor.skip()
    const token = this.#cursor.token
    if (token.kind !== 'name')
      throw this.#cursor.error('A name is missing after the dot.', token, { expected: ['name'] })
    this.#cursor.skip()
    const opensCall = this.#cursor.is('(')
    if (!opensCall) {
      const { text: name, start: nameStart, end } = token
      return { kind: 'member', of, name, nameStart, start: of.start, end, depth: this.#depth(of) }
    }
    const args = this.#arguments()
    const place = { start: of.start, end: this.#cursor.lastEnd, depth: this.#depth(of, ...args) }
    const operator = TEXT_OPERATORS.get(token.text.toLowerCase())
    if (operator && args.length === 1) {
      return { kind: 'text', operator, negated: false, left: of, right: args[0], ...place }
    }
    return { kind: 'call', of, name: token.text, nameStart: token.start, args, ...place }
  }

  #infix(left: SyntaxNode, minimum: number): SyntaxNode | undefined {
    const token = this.#cursor.token
    if (token.kind === 'name') return this.#wordInfix(left, minimum, token.text.toLowerCase())
    if (token.kind !== 'punctuation') return undefined
    const text = token.text
    if (text === '&&' || text === '||') return this.#join(left, minimum, text === '&&' ? 'and' : 'or')
    if (COMPARISONS.has(text)) {
      if (minimum >= BIND.compare) return undefined
      this.#cursor.skip()
      const right = this.expression(BIND.compare)
      return this.#single({
        kind: 'compare',
        operator: text as ComparisonOperator,
        left,
        right,
        ...this.#over(left, right),
      })
    }
    if (text === '..') {
      if (minimum >= BIND.range) return undefined
      this.#cursor.skip()
      const to = this.expression(BIND.range)
      return { kind: 'range', from: left, to, ...this.#over(left, to) }
    }
    if (text === '?') return this.#choose(left, minimum)
    const bind =
      text === '+' || text === '-'
        ? BIND.add
        : text === '*' || text === '/' || text === '%'
          ? BIND.multiply
          : 0
    if (bind === 0 || minimum >= bind) return undefined
    this.#cursor.skip()
    const right = this.expression(bind)
    return {
      kind: 'arithmetic',
      operator: text as ArithmeticOperator,
      left,
      right,
      ...this.#over(left, right),
    }
  }

  #wordInfix(left: SyntaxNode, minimum: number, word: string): SyntaxNode | undefined {
    if (word === 'and' || word === 'or') return this.#join(left, minimum, word)
    const negated = word === 'not'
    const operation = negated ? (this.#cursor.peek(1)?.text.toLowerCase() ?? '') : word
    const operator = TEXT_OPERATORS.get(operation)
    if ((!operator && operation !== 'in') || minimum >= BIND.compare) return undefined
    this.#cursor.skip(negated ? 2 : 1)
    const right = this.expression(BIND.compare)
    const place = this.#over(left, right)
    if (operator) return this.#single({ kind: 'text', operator, negated, left, right, ...place })
    return this.#single({ kind: 'in', negated, left, right, ...place })
  }

  /** `a and b and c` is one node of three parts, however long it grows. */
  #join(left: SyntaxNode, minimum: number, kind: 'and' | 'or'): SyntaxNode | undefined {
    const bind = BIND[kind]
    if (minimum >= bind) return undefined
    const parts = [left]
    while (this.#cursor.isWord(kind) || this.#cursor.is(kind === 'and' ? '&&' : '||')) {
      this.#cursor.skip()
      parts.push(this.expression(bind))
    }
    return { kind, parts, start: left.start, end: parts[parts.length - 1].end, depth: this.#depth(...parts) }
  }

  #choose(test: SyntaxNode, minimum: number): SyntaxNode | undefined {
    if (minimum >= BIND.choose) return undefined
    this.#cursor.skip()
    const yes = this.expression(0)
    if (!this.#cursor.is(':')) {
      const message = 'Expected ":" and what to take otherwise.'
      throw this.#cursor.error(message, this.#cursor.token, { expected: [':'] })
    }
    this.#cursor.skip()
    const no = this.expression(0)
    return {
      kind: 'choose',
      test,
      yes,
      no,
      start: test.start,
      end: no.end,
      depth: this.#depth(test, yes, no),
    }
  }

  #single(node: SyntaxNode): SyntaxNode {
    if (this.#cursor.token.kind === 'punctuation' && COMPARISONS.has(this.#cursor.token.text)) this.finish()
    return node
  }

  #over(left: SyntaxNode, right: SyntaxNode): { start: number; end: number; depth: number } {
    return { start: left.start, end: right.end, depth: this.#depth(left, right) }
  }

  #depth(...below: readonly SyntaxNode[]): number {
    let depth = 0
    for (const node of below) if (node.depth > depth) depth = node.depth
    if (depth >= MAX_DEPTH) throw this.#tooDeep(below[0].start)
    return depth + 1
  }

  #close(open: Token, closing: string): void {
    if (this.#cursor.is(closing)) {
      this.#cursor.skip()
      return
    }
    if (this.#cursor.token.kind === 'end') {
      const message = `The "${open.text}" that opens here is never closed.`
      throw this.#cursor.error(message, open, { expected: [closing] })
    }
    if (foreignOperator(this.#cursor.token, undefined) || COMPARISONS.has(this.#cursor.token.text))
      this.finish()
    const message = `Expected "${closing}" before ${shown(this.#cursor.token)}.`
    throw this.#cursor.error(message, this.#cursor.token, { expected: [closing] })
  }

  #tooDeep(position: number): FilterTooLarge {
    const message = `The filter is nested more than ${MAX_DEPTH} levels deep.`
    const hint = 'Join conditions with and or or, without parentheses, or use in with a list.'
    return new FilterTooLarge(message, { position, length: 1 }, MAX_DEPTH, hint)
  }
}
