import { type IpBlock, parseIpBlock } from '@tapdeck/ip'
import { absentText, differenceNeeds, isTotal } from './absence.ts'
import { refuseBareWord } from './bare-word.ts'
import { compare, literalText, pair } from './check-compare.ts'
import { type CheckContext, fail, kindOf, quote, short, source } from './check-context.ts'
import { isNumber } from './compare-error.ts'
import { textOf } from './constant.ts'
import { memberFields } from './member-fields.ts'
import type { SyntaxNode } from './syntax-node.ts'
import type { Comparison, Scalar, TestNode, ValueNode } from './typed-node.ts'

type InSyntax = Extract<SyntaxNode, { kind: 'in' }>

export function checkIn(context: CheckContext, node: InSyntax): TestNode {
  const left = context.value(node.left)
  const span = { start: node.start, end: node.end }
  const { test, list } = within(context, left, node)
  if (!node.negated) return { ...test, ...span }
  const as =
    isNumber(left) || left.type === 'status' || left.type === 'duration' || left.type === 'timestamp'
      ? 'number'
      : 'text'
  const needs = [
    differenceNeeds(left, as),
    list && !isTotal(list) ? differenceNeeds(list, 'text') : undefined,
  ]
  const not: TestNode = { kind: 'not', of: test, ...span }
  return { kind: 'and', parts: [...needs.filter((need) => need !== undefined), not], ...span }
}

function within(
  context: CheckContext,
  left: ValueNode,
  { right, negated }: InSyntax,
): { test: TestNode; list?: ValueNode } {
  const span = { start: left.start, end: right.end }
  if (right.kind === 'list') return { test: anyOf(context, left, right) }
  if (right.kind === 'range') return { test: range(context, left, right) }
  const list = context.value(right)
  const block = blockOf(list)
  if (list.kind === 'constant') {
    if (block && (left.type === 'ip' || left.type === 'json')) return { test: inBlock(left, block) }
    if (left.type === 'ip') throw notBlock(context, list)
    if (list.type === 'ip') throw notAddress(context, left, list)
    throw oneValue(context, left, list, right, negated)
  }
  if (list.type === 'json') return { test: { kind: 'element', of: left, list, ...span }, list }
  if (list.type === 'list') {
    const members = memberFields(list)
    if (!members) return { test: { kind: 'element', of: left, list, ...span }, list }
    return {
      test: {
        kind: 'or',
        parts: members.map((member) => compare(context, '==', member, left, span)),
        ...span,
      },
    }
  }
  if (list.type === 'map') {
    if (left.type !== 'string' && left.type !== 'json') {
      throw fail(
        left,
        `The keys of ${quote(context, list)} are text; ${quote(context, left)} is ${kindOf(left)}.`,
      )
    }
    const ignoreCase = list.kind === 'field' && list.field.ignoreCase === true
    return { test: { kind: 'key', of: left, map: list, ignoreCase, ...span }, list }
  }
  throw notCollection(context, left, list, negated)
}

function notCollection(context: CheckContext, left: ValueNode, list: ValueNode, negated: boolean) {
  const written = quote(context, list)
  if (list.type === 'string' && left.type === 'string') {
    const contains = negated ? 'not contains' : 'contains'
    const suggestion = `${source(context, list)} ${contains} ${source(context, left)}`
    const place = { start: left.start, end: list.end }
    return fail(place, `in wants a list, a range or a CIDR block; write ${short(suggestion)}.`, {
      suggestion,
    })
  }
  const expected = ['[…]', 'range', 'CIDR block']
  return fail(list, `in wants a list, a range or a CIDR block, and ${written} is ${kindOf(list)}.`, {
    expected,
  })
}

/** `in 500-599` was meant as a range, `in 500` as an equality. */
function oneValue(
  context: CheckContext,
  left: ValueNode,
  value: ValueNode,
  right: SyntaxNode,
  negated: boolean,
) {
  const isDifference = right.kind === 'arithmetic' && right.operator === '-'
  const suggestion = isDifference
    ? `${source(context, left)} ${negated ? 'not in' : 'in'} ${source(context, right.left)}..${source(context, right.right)}`
    : `${source(context, left)} ${negated ? '!=' : '=='} ${source(context, value)}`
  const place = { start: left.start, end: right.end }
  return fail(place, `in wants a list, a range or a CIDR block; write ${short(suggestion)}.`, { suggestion })
}

function notAddress(context: CheckContext, left: ValueNode, block: ValueNode) {
  const message = `${quote(context, left)} is ${kindOf(left)}; only an address can be in ${quote(context, block)}.`
  return fail(left, message, { expected: ['src.ip', 'dst.ip'] })
}

function anyOf(
  context: CheckContext,
  left: ValueNode,
  list: Extract<SyntaxNode, { kind: 'list' }>,
): TestNode {
  const span = { start: left.start, end: list.end }
  if (list.items.length === 0)
    throw fail(list, 'The list is empty: nothing is in it.', { expected: ['value'] })
  const parts: TestNode[] = []
  const constants = new Map<Comparison, { of: ValueNode; values: Scalar[] }>()
  for (const item of list.items) {
    if (item.kind === 'range') {
      parts.push(range(context, left, item))
      continue
    }
    if (item.kind === 'null')
      throw fail(item, 'null is in no list; write == null.', { expected: ['== null'] })
    refuseBareWord(context, item, left)
    const value = context.value(item)
    const block = blockOf(value)
    if (block && (left.type === 'ip' || (left.type === 'json' && value.type === 'ip'))) {
      parts.push(inBlock(left, block))
      continue
    }
    if (left.kind === 'constant') {
      parts.push(compare(context, '==', value, left, item))
      continue
    }
    const made = pair(context, '==', left, value, item)
    if (made.right.kind !== 'constant' || typeof made.right.value === 'object') {
      parts.push(compare(context, '==', left, value, item))
      continue
    }
    const known = constants.get(made.as)
    if (known) known.values.push(made.right.value)
    else constants.set(made.as, { of: made.left, values: [made.right.value] })
  }
  for (const [as, { of, values }] of constants) {
    parts.push({ kind: 'one-of', as, of, values, ...span })
    if (as === 'text' && values.includes('')) parts.push(absentText(of))
  }
  return parts.length === 1 ? parts[0] : { kind: 'or', parts, ...span }
}

function range(
  context: CheckContext,
  left: ValueNode,
  node: Extract<SyntaxNode, { kind: 'range' }>,
): TestNode {
  const from = context.value(node.from)
  const to = context.value(node.to)
  const span = { start: left.start, end: node.end }
  if (left.type === 'string') {
    throw fail(node, `${quote(context, left)} is text; a range wants a number, a duration or a time.`, {
      expected: ['[…]'],
    })
  }
  const parts = [compare(context, '>=', left, from, span), compare(context, '<=', left, to, span)]
  const low = bound(parts[0])
  const high = bound(parts[1])
  if (low !== undefined && high !== undefined && low > high) {
    const suggestion = `${source(context, to)}..${source(context, from)}`
    throw fail(node, `The range runs backwards; write ${short(suggestion)}.`, { suggestion })
  }
  return { kind: 'and', parts, ...span }
}

function bound(test: TestNode): number | undefined {
  if (test.kind !== 'compare' || test.right.kind !== 'constant') return undefined
  return typeof test.right.value === 'number' ? test.right.value : undefined
}

function blockOf(value: ValueNode): IpBlock | undefined {
  if (value.kind !== 'constant') return undefined
  if (typeof value.value === 'object') return value.value
  const text = textOf(value)
  return text === undefined ? undefined : parseIpBlock(text)
}

/** A single address is compared as text, which an index does faster. */
function inBlock(of: ValueNode, block: IpBlock): TestNode {
  const span = { start: of.start, end: of.end }
  if (block.bits < block.bytes.length * 8) return { kind: 'cidr', of, block, ...span }
  return { kind: 'one-of', as: 'text', of, values: [block.text], ...span }
}

function notBlock(context: CheckContext, value: ValueNode) {
  const written = quote(context, literalText(context, value))
  return fail(value, `${written} is not an IP address or CIDR block such as 10.0.0.0/8.`, {
    expected: ['CIDR block'],
  })
}
