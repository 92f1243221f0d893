import { parseIpBlock } from '@tapdeck/ip'
import { absentText, differencesNeed } from './absence.ts'
import { refuseBareWord } from './bare-word.ts'
import { type CheckContext, fail, quote, short, source } from './check-context.ts'
import {
  ago,
  collection,
  HUNDRED,
  hundreds,
  isNumber,
  isOrder,
  isSeconds,
  isSize,
  memberOf,
  mismatch,
  refuseRawPattern,
  seconds,
} from './compare-error.ts'
import { constant, numberOf, parseTime, textOf } from './constant.ts'
import { inOwnUnit, microseconds } from './duration.ts'
import { normalProtocol } from './protocol-word.ts'
import type { Span } from './span.ts'
import type { ComparisonOperator, SyntaxNode } from './syntax-node.ts'
import type { Comparison, TestNode, ValueNode } from './typed-node.ts'
import { parseDuration } from './unit.ts'

const FLIPPED: Readonly<Record<ComparisonOperator, ComparisonOperator>> = {
  '==': '==',
  '!=': '!=',
  '<': '>',
  '<=': '>=',
  '>': '<',
  '>=': '<=',
}

/** Two values made comparable. */
interface Pair {
  readonly as: Comparison
  readonly left: ValueNode
  readonly right: ValueNode
}

export function checkCompare(
  context: CheckContext,
  node: Extract<SyntaxNode, { kind: 'compare' }>,
): TestNode {
  if (node.left.kind === 'null' || node.right.kind === 'null') return checkNull(context, node)
  const left = context.value(node.left)
  refuseBareWord(context, node.right, left)
  const right = context.value(node.right)
  const swap = left.kind === 'constant' && right.kind !== 'constant'
  const operator = swap ? FLIPPED[node.operator] : node.operator
  return swap ? compare(context, operator, right, left, node) : compare(context, operator, left, right, node)
}

function checkNull(context: CheckContext, node: Extract<SyntaxNode, { kind: 'compare' }>): TestNode {
  const span = { start: node.start, end: node.end }
  if (node.operator !== '==' && node.operator !== '!=')
    throw fail(span, 'null has no order; use == null or != null.')
  const other = node.left.kind === 'null' ? node.right : node.left
  if (other.kind === 'null') return { kind: 'always', value: node.operator === '==', ...span }
  const present: TestNode = { kind: 'present', of: context.value(other), ...span }
  return node.operator === '!=' ? present : { kind: 'not', of: present, ...span }
}

/** The test for one comparison of checked values, with what `!=` and `== ""` say of absent ones. */
export function compare(
  context: CheckContext,
  operator: ComparisonOperator,
  first: ValueNode,
  second: ValueNode,
  place: Span,
): TestNode {
  const span = { start: place.start, end: place.end }
  const { as, left, right } = pair(context, operator, first, second, span)
  const plain = operator === '!=' ? '==' : operator
  const equal: TestNode = { kind: 'compare', operator: plain, as, left, right, ...span }
  const orEmpty: TestNode =
    plain === '==' && as === 'text' && textOf(right) === ''
      ? { kind: 'or', parts: [equal, absentText(left)], ...span }
      : equal
  if (operator !== '!=') return orEmpty
  const differs: TestNode = { kind: 'not', of: orEmpty, ...span }
  const needs = differencesNeed(left, right, as)
  return needs.length === 0 ? differs : { kind: 'and', parts: [...needs, differs], ...span }
}

/** How the two are compared, or an error where they never can be. `right` is the constant, if one of them is. */
export function pair(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  const ordered = isOrder(operator)
  for (const side of [left, right])
    if (side.type === 'list' || side.type === 'map')
      throw collection(context, operator, side, left, right, span)
  const types = new Set([left.type, right.type])
  if (types.has('duration')) return durations(context, operator, left, right, span)
  if (types.has('timestamp')) return times(context, operator, left, right, span)
  if (types.has('status')) return statuses(context, operator, left, right, span)
  if (types.has('ip') && left.type !== 'string') return addresses(context, operator, left, right, span)
  if (types.has('json')) return dynamic(context, operator, left, right, span)
  if (isNumber(left) && isNumber(right)) return { as: 'number', left, right }
  if (left.type === 'boolean' && right.type === 'boolean') {
    if (ordered) throw fail(span, 'true and false have no order; use == or !=.', { expected: ['==', '!='] })
    return { as: 'boolean', left, right }
  }
  if (left.type === 'string' && (right.type === 'string' || right.type === 'ip')) {
    refuseRawPattern(context, operator, left, right, span)
    return { as: 'text', left, right: normalProtocol(context, left, literalText(context, right)) }
  }
  throw mismatch(context, operator, left, right, span)
}

function dynamic(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  const ordered = isOrder(operator)
  const other = left.type === 'json' ? right : left
  if (other.type === 'json') return { as: ordered ? 'number' : 'text', left, right }
  if (other.type === 'boolean' && ordered) throw mismatch(context, operator, left, right, span)
  if (other.type === 'boolean') return { as: 'boolean', left, right }
  const digits = isNumber(other) && !ordered ? longDigits(context, other) : undefined
  if (digits !== undefined) return { as: 'text', left, right: constant(digits, 'string', right) }
  if (isNumber(other)) return { as: 'number', left, right }
  return { as: 'text', left, right: literalText(context, right) }
}

/** A whole number that a double cannot hold: what is equal to it is what is written like it. */
function longDigits(context: CheckContext, node: ValueNode): string | undefined {
  const number = numberOf(node)
  const written = source(context, node)
  return number !== undefined && !Number.isSafeInteger(number) && /^-?\d+$/.test(written)
    ? written
    : undefined
}

function statuses(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  const ordered = isOrder(operator)
  const number = numberOf(right)
  if (right.kind === 'constant' && right.unit === 'bytes')
    throw mismatch(context, operator, left, right, span)
  if (number !== undefined && !ordered) {
    if (!Number.isSafeInteger(number)) throw fail(right, 'A status is a whole number or a word.')
    return { as: 'status', left, right: constant(String(number), 'string', right) }
  }
  const text = textOf(right)
  const hundred = text === undefined ? undefined : HUNDRED.exec(text)
  if (hundred) throw hundreds(context, operator, left, right, hundred[1], span)
  if (text !== undefined && ordered) {
    if (!/^\d{1,15}$/.test(text)) {
      throw fail(right, `Only numeric statuses have an order; ${quote(context, right)} is a word.`, {
        expected: ['number', '=='],
      })
    }
    return { as: 'number', left, right: constant(Number(text), 'integer', right) }
  }
  const fits = (node: ValueNode) =>
    node.type === 'status' || node.type === 'json' || isNumber(node) || (node.type === 'string' && !ordered)
  if (!fits(left) || !fits(right)) throw mismatch(context, operator, left, right, span)
  return { as: ordered ? 'number' : 'status', left, right }
}

function addresses(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  const ordered = isOrder(operator)
  if (ordered)
    throw fail(span, 'Addresses have no order; use in with a CIDR block such as 10.0.0.0/8.', {
      expected: ['==', '!=', 'in'],
    })
  const fits = (node: ValueNode) => node.type === 'ip' || node.type === 'string' || node.type === 'json'
  if (!fits(left) || !fits(right)) throw mismatch(context, operator, left, right, span)
  if (right.kind !== 'constant') return { as: 'text', left, right }
  const block = typeof right.value === 'object' ? right.value : parseIpBlock(String(right.value))
  if (!block) {
    throw fail(right, `${quote(context, right)} is not an IP address.`, { expected: ['address'] })
  }
  if (quote(context, right).includes('/')) {
    const suggestion = `${source(context, left)} ${memberOf(operator)} ${source(context, right)}`
    const message = `${quote(context, right)} is a block of addresses; write ${short(suggestion)}.`
    throw fail(span, message, { suggestion })
  }
  return { as: 'text', left, right: constant(block.text, 'string', right) }
}

function times(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  const time = (node: ValueNode): ValueNode => {
    if (node.type === 'timestamp' || node.type === 'json') return node
    const number = numberOf(node)
    if (isNumber(node) && number !== undefined && !isSize(node)) {
      if (isSeconds(number)) throw seconds(context, node, number)
      return constant(number, 'timestamp', node)
    }
    const text = textOf(node)
    if (text === undefined) throw mismatch(context, operator, left, right, span)
    const parsed = parseTime(text)
    if (parsed === undefined && parseDuration(text) !== undefined) throw ago(context, node, text)
    if (parsed === undefined) {
      throw fail(node, `${quote(context, node)} is not a time such as "2026-01-31T12:00:00Z".`, {
        expected: ['RFC 3339 time'],
      })
    }
    return constant(parsed, 'timestamp', node)
  }
  return { as: 'number', left: time(left), right: time(right) }
}

function durations(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): Pair {
  if (right.kind === 'constant' && left.type === 'timestamp')
    throw ago(context, right, source(context, right))
  if (right.kind !== 'constant' || left.type !== 'duration') {
    if (left.type !== 'duration' || right.type !== 'duration')
      throw mismatch(context, operator, left, right, span)
    return { as: 'number', left: microseconds(left), right: microseconds(right) }
  }
  const text = textOf(right)
  const parsed = text === undefined ? undefined : parseDuration(text)
  if (text !== undefined && parsed === undefined) {
    throw fail(right, `${quote(context, right)} is not a duration such as 250ms or 1h30m.`, {
      expected: ['duration'],
    })
  }
  const written = parsed === undefined ? right : constant(parsed, 'duration', right)
  const own = inOwnUnit(left, written)
  if (!own || isSize(right)) throw mismatch(context, operator, left, right, span)
  return { as: 'number', left, right: own }
}

/** An address or block written without quotes, as the text it is. */
export function literalText(context: CheckContext, node: ValueNode): ValueNode {
  if (node.kind !== 'constant' || typeof node.value !== 'object') return node
  return constant(source(context, node), 'string', node)
}
