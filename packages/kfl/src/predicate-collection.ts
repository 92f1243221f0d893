import { elementsOf } from './collection.ts'
import type { Predicate, Run } from './run.ts'
import { asText } from './scalar.ts'
import type { TestNode } from './typed-node.ts'
import { valueReader } from './value-reader.ts'

export function elementPredicate(node: Extract<TestNode, { kind: 'element' }>, run: Run): Predicate {
  const list = valueReader(node.list, run)
  const of = valueReader(node.of, run)
  return (call) => {
    const wanted = of(call)
    const elements = elementsOf(list(call))
    if (!elements || wanted === undefined || wanted === null) return false
    const same = (element: unknown) =>
      Array.isArray(wanted) ? wanted.some((one) => equal(element, one)) : equal(element, wanted)
    return elements.some(same)
  }
}

function equal(a: unknown, b: unknown): boolean {
  if (a === b) return a !== undefined && a !== null
  const text = asText('json', a)
  return text !== undefined && text === asText('json', b)
}

export function quantifierPredicate(
  node: Extract<TestNode, { kind: 'quantifier' }>,
  run: Run,
  body: Predicate,
): Predicate {
  const list = valueReader(node.list, run)
  run.looksThroughLists = true
  return (call) => {
    const elements = elementsOf(list(call))
    if (!elements) return false
    let fitting = 0
    for (const element of elements) {
      if (--run.left < 0) return false
      run.variables[node.slot] = element
      const fits = body(call)
      if (fits && node.operator === 'exists') return true
      if (!fits && node.operator === 'all') return false
      if (fits) fitting++
    }
    return node.operator === 'all' || (node.operator === 'one' && fitting === 1)
  }
}
