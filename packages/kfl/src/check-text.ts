import { differenceNeeds } from './absence.ts'
import { literalText } from './check-compare.ts'
import { type CheckContext, fail, kindOf, quote, short, source } from './check-context.ts'
import { isNumber } from './compare-error.ts'
import { constant, textOf } from './constant.ts'
import { FilterTooLarge } from './filter-too-large.ts'
import { MAX_REGEX_SIZE } from './limits.ts'
import { memberFields } from './member-fields.ts'
import { comparesProtocol } from './protocol-word.ts'
import type { Regex } from './regex/regex.ts'
import { RegexError } from './regex/regex-error.ts'
import { RegexTooLarge } from './regex/regex-too-large.ts'
import type { SyntaxNode, TextOperator } from './syntax-node.ts'
import type { TestNode, ValueNode } from './typed-node.ts'

type TextSyntax = Extract<SyntaxNode, { kind: 'text' }>

export function checkText(context: CheckContext, node: TextSyntax): TestNode {
  const left = context.value(node.left)
  const right = literalText(context, context.value(node.right))
  const span = { start: node.start, end: node.end }
  const test = textTest(context, node, left, right)
  if (!node.negated) return test
  const needs = differenceNeeds(left, 'text')
  const not: TestNode = { kind: 'not', of: test, ...span }
  return needs ? { kind: 'and', parts: [needs, not], ...span } : not
}

function textTest(context: CheckContext, node: TextSyntax, left: ValueNode, right: ValueNode): TestNode {
  const span = { start: node.start, end: node.end }
  if (left.type === 'list') {
    if (node.operator === 'contains' && isNumber(right))
      return { kind: 'element', of: right, list: left, ...span }
    const members = memberFields(left)
    if (members)
      return { kind: 'or', parts: members.map((member) => textTest(context, node, member, right)), ...span }
    // Some element of the list has to fit: `dns_questions contains "example"`.
    const { slot } = context.within('')
    const element: ValueNode = { kind: 'variable', type: 'json', slot, start: left.start, end: left.end }
    return {
      kind: 'quantifier',
      operator: 'exists',
      list: left,
      slot,
      body: textTest(context, node, element, right),
      ...span,
    }
  }
  if (left.type === 'map') {
    const name = quote(context, left)
    const suggestion = `${source(context, right)} ${node.negated ? 'not in' : 'in'} ${source(context, left)}`
    const message = `${name} is a map; write ${short(suggestion)}, or look into one entry, as in ${name}["name"].`
    throw fail(span, message, { suggestion })
  }
  if (left.type !== 'string' && left.type !== 'ip' && left.type !== 'status' && left.type !== 'json') {
    throw fail(left, `${quote(context, left)} is ${kindOf(left)}; ${shown(node.operator)} works on text.`, {
      expected: isNumber(left) ? ['==', '!=', '<', '<=', '>', '>=', 'in'] : ['==', '!='],
    })
  }
  if (right.type !== 'string' && !(right.type === 'json' && right.kind !== 'constant'))
    throw notText(context, node, right)
  if (node.operator === 'matches')
    return { kind: 'matches', of: left, regex: regexOf(context, node, left, right), ...span }
  const text = textOf(right)
  const part =
    text !== undefined && comparesProtocol(left) ? constant(text.toLowerCase(), 'string', right) : right
  return { kind: 'text', operator: node.operator, of: left, part, ...span }
}

function notText(context: CheckContext, node: TextSyntax, right: ValueNode) {
  const written = quote(context, right)
  const suggestion = right.kind === 'constant' ? JSON.stringify(source(context, right)) : undefined
  const mended = suggestion ? `; write ${short(suggestion)}` : ''
  return fail(right, `${shown(node.operator)} wants text, and ${written} is ${kindOf(right)}${mended}.`, {
    expected: ['text'],
    ...(suggestion ? { suggestion } : {}),
  })
}

function regexOf(context: CheckContext, node: TextSyntax, left: ValueNode, right: ValueNode): Regex {
  const source = textOf(right)
  if (source === undefined) {
    throw fail(right, 'matches wants a regular expression written out between quotes.', {
      expected: ['text'],
    })
  }
  try {
    return context.regex(comparesProtocol(left) ? `(?i)${source}` : source)
  } catch (error) {
    if (!(error instanceof RegexError)) throw error
    if (error instanceof RegexTooLarge) {
      const message = `The regular expressions of the filter are too large at ${quote(context, right)}.`
      const place = { position: node.right.start, length: Math.max(1, node.right.end - node.right.start) }
      const hint = 'Use shorter repetitions and character classes, or contains and startswith.'
      throw new FilterTooLarge(message, place, MAX_REGEX_SIZE, hint)
    }
    throw fail(node.right, `${quote(context, right)} is not a regular expression: ${error.message}.`)
  }
}

function shown(operator: TextOperator): string {
  return operator.toLowerCase()
}
