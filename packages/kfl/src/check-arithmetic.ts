import { type CheckContext, fail, kindOf, quote } from './check-context.ts'
import { isNumber } from './compare-error.ts'
import { constant, numberOf } from './constant.ts'
import { microseconds } from './duration.ts'
import type { ValueType } from './field.ts'
import { reckon } from './reckon.ts'
import type { ArithmeticOperator, SyntaxNode } from './syntax-node.ts'
import type { ValueNode } from './typed-node.ts'

export function checkArithmetic(
  context: CheckContext,
  node: Extract<SyntaxNode, { kind: 'arithmetic' }>,
): ValueNode {
  const left = context.value(node.left)
  const right = context.value(node.right)
  const { start, end, operator } = node
  if (operator === '+' && left.type === 'string' && right.type === 'string') {
    return { kind: 'concat', type: 'string', left, right, start, end }
  }
  const type = resultType(operator, left, right)
  if (!type) {
    throw fail(
      node,
      `${quote(context, node.left)} (${kindOf(left)}) ${operator} ${quote(context, node.right)} (${kindOf(right)}) has no meaning.`,
      {
        expected: ['number', 'duration'],
      },
    )
  }
  if (type === 'timestamp')
    return fold({
      kind: 'arithmetic',
      type,
      operator,
      left: milliseconds(left),
      right: milliseconds(right),
      start,
      end,
    })
  if (left.type === 'timestamp') {
    // The difference of two times counts milliseconds; a duration microseconds.
    const difference: ValueNode = fold({
      kind: 'arithmetic',
      type: 'duration',
      operator,
      left,
      right,
      start,
      end,
    })
    const factor = constant(1000, 'number', node)
    return fold({ kind: 'arithmetic', type, operator: '*', left: difference, right: factor, start, end })
  }
  return fold({ kind: 'arithmetic', type, operator, left: own(left), right: own(right), start, end })
}

export function checkMinus(context: CheckContext, node: Extract<SyntaxNode, { kind: 'minus' }>): ValueNode {
  const of = context.value(node.of)
  if (!isNumber(of) && of.type !== 'duration' && of.type !== 'json') {
    throw fail(node, `${quote(context, node.of)} is ${kindOf(of)} and has no negative.`, {
      expected: ['number'],
    })
  }
  const type = of.type === 'json' ? 'number' : of.type
  const zero = constant(0, type, node)
  return fold({
    kind: 'arithmetic',
    type,
    operator: '-',
    left: zero,
    right: own(of),
    start: node.start,
    end: node.end,
  })
}

function resultType(operator: ArithmeticOperator, left: ValueNode, right: ValueNode): ValueType | undefined {
  const a = kindFor(left)
  const b = kindFor(right)
  if (a === 'number' && b === 'number') return 'number'
  if (a === 'duration' && b === 'duration') {
    if (operator === '+' || operator === '-' || operator === '%') return 'duration'
    return operator === '/' ? 'number' : undefined
  }
  if (a === 'duration' && b === 'number') return operator === '*' || operator === '/' ? 'duration' : undefined
  if (a === 'number' && b === 'duration') return operator === '*' ? 'duration' : undefined
  if (a === 'timestamp' && b === 'duration')
    return operator === '+' || operator === '-' ? 'timestamp' : undefined
  if (a === 'duration' && b === 'timestamp') return operator === '+' ? 'timestamp' : undefined
  if (a === 'timestamp' && b === 'timestamp') return operator === '-' ? 'duration' : undefined
  return undefined
}

function kindFor(node: ValueNode): 'number' | 'duration' | 'timestamp' | undefined {
  if (isNumber(node) || node.type === 'json' || node.type === 'status') return 'number'
  return node.type === 'duration' || node.type === 'timestamp' ? node.type : undefined
}

function own(node: ValueNode): ValueNode {
  return node.type === 'duration' ? microseconds(node) : node
}

/** Either side of a sum with a time, in milliseconds. */
function milliseconds(node: ValueNode): ValueNode {
  if (node.type !== 'duration') return node
  const { start, end } = node
  return fold({
    kind: 'arithmetic',
    type: 'timestamp',
    operator: '/',
    left: microseconds(node),
    right: constant(1000, 'number', node),
    start,
    end,
  })
}

/** What is known beforehand is reckoned once. */
function fold(node: Extract<ValueNode, { kind: 'arithmetic' }>): ValueNode {
  const left = numberOf(node.left)
  const right = numberOf(node.right)
  if (left === undefined || right === undefined) return node
  const value = reckon(node.operator, left, right)
  return value === undefined ? node : constant(value, node.type, node)
}
