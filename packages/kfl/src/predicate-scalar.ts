import type { Predicate, Run } from './run.ts'
import { asBoolean, asNumber, asText, compareText } from './scalar.ts'
import type { Scalar, TestNode, ValueNode } from './typed-node.ts'
import { valueReader } from './value-reader.ts'

type CompareNode = Extract<TestNode, { kind: 'compare' }>

/** Whether some text of the value passes; lists inside JSON and maps are asked element by element. */
export function textPredicate(of: ValueNode, run: Run, test: (text: string) => boolean): Predicate {
  const read = valueReader(of, run)
  const type = of.type
  if (type === 'string' || type === 'ip') {
    return (call) => {
      const value = read(call)
      return typeof value === 'string' && test(value)
    }
  }
  const passes = (value: unknown): boolean => {
    const text = asText(type, value)
    return text !== undefined && test(text)
  }
  return someOf(of, read, passes)
}

function numberPredicate(of: ValueNode, run: Run, test: (number: number) => boolean): Predicate {
  const read = valueReader(of, run)
  const type = of.type
  return someOf(of, read, (value) => {
    const number = asNumber(type, value)
    return number !== undefined && test(number)
  })
}

function someOf(
  of: ValueNode,
  read: (call: object) => unknown,
  passes: (value: unknown) => boolean,
): Predicate {
  if (of.type !== 'json') return (call) => passes(read(call))
  return (call) => {
    const value = read(call)
    return Array.isArray(value) ? value.some(passes) : passes(value)
  }
}

export function comparePredicate(node: CompareNode, run: Run): Predicate {
  const { right, operator } = node
  if (right.kind === 'constant' && typeof right.value !== 'object') {
    if (operator === '==') return equalsConstant(node, right.value, run)
    return orderedConstant(node, right.value, run)
  }
  const left = valueReader(node.left, run)
  const other = valueReader(right, run)
  const holds = pairTest(node)
  return (call) => {
    const a = left(call)
    const b = other(call)
    if (Array.isArray(a)) return a.some((x) => (Array.isArray(b) ? b.some((y) => holds(x, y)) : holds(x, b)))
    return Array.isArray(b) ? b.some((y) => holds(a, y)) : holds(a, b)
  }
}

function equalsConstant(node: CompareNode, value: Scalar, run: Run): Predicate {
  const { left, as } = node
  const read = valueReader(left, run)
  if (left.type !== 'json' && left.type !== 'status') return (call) => read(call) === value
  if (left.type === 'status' && as === 'status') {
    const number = asNumber('status', value)
    return (call) => {
      const status = read(call)
      return status === value || (status === number && number !== undefined)
    }
  }
  if (as === 'number') return numberPredicate(left, run, (number) => number === value)
  if (as !== 'boolean') return textPredicate(left, run, (text) => text === value)
  return someOf(left, read, (found) => asBoolean(left.type, found) === value)
}

function orderedConstant(node: CompareNode, value: Scalar, run: Run): Predicate {
  const { left, operator } = node
  if (typeof value === 'string')
    return textPredicate(left, run, (text) => ordered(operator, compareText(text, value), 0))
  const limit = Number(value)
  if (left.type === 'json' || left.type === 'status')
    return numberPredicate(left, run, (number) => ordered(operator, number, limit))
  const read = valueReader(left, run)
  switch (operator) {
    case '<':
      return (call) => {
        const found = read(call)
        return typeof found === 'number' && found < limit
      }
    case '<=':
      return (call) => {
        const found = read(call)
        return typeof found === 'number' && found <= limit
      }
    case '>':
      return (call) => {
        const found = read(call)
        return typeof found === 'number' && found > limit
      }
    default:
      return (call) => {
        const found = read(call)
        return typeof found === 'number' && found >= limit
      }
  }
}

/** The test of two values that are both only known when a call is read. */
function pairTest(node: CompareNode): (a: unknown, b: unknown) => boolean {
  const { operator, as } = node
  const left = node.left.type
  const right = node.right.type
  if (as === 'number') {
    return (a, b) => {
      const x = asNumber(left, a)
      const y = asNumber(right, b)
      return x !== undefined && y !== undefined && ordered(operator, x, y)
    }
  }
  if (as === 'boolean') {
    return (a, b) => {
      const x = asBoolean(left, a)
      return x !== undefined && x === asBoolean(right, b)
    }
  }
  // A status beside a number compares as the number's text.
  const loose = as === 'status'
  return (a, b) => {
    const x = asText(loose ? 'status' : left, a)
    const y = asText(loose ? 'status' : right, b)
    return x !== undefined && y !== undefined && ordered(operator, compareText(x, y), 0)
  }
}

function ordered(operator: CompareNode['operator'], a: number, b: number): boolean {
  switch (operator) {
    case '==':
      return a === b
    case '<':
      return a < b
    case '<=':
      return a <= b
    case '>':
      return a > b
    case '>=':
      return a >= b
  }
}

export function oneOfPredicate(node: Extract<TestNode, { kind: 'one-of' }>, run: Run): Predicate {
  const values = new Set<unknown>(node.values)
  const { of, as } = node
  if (of.type !== 'json' && of.type !== 'status') {
    const read = valueReader(of, run)
    return (call) => values.has(read(call))
  }
  if (as === 'number') return numberPredicate(of, run, (number) => values.has(number))
  if (as !== 'boolean') return textPredicate(of, run, (text) => values.has(text))
  return someOf(of, valueReader(of, run), (found) => values.has(asBoolean(of.type, found)))
}
