import { blockContains } from '@tapdeck/ip'
import { hasKey } from './collection.ts'
import { MAX_REGEX_STEPS } from './limits.ts'
import { elementPredicate, quantifierPredicate } from './predicate-collection.ts'
import { comparePredicate, oneOfPredicate, textPredicate } from './predicate-scalar.ts'
import type { Predicate, Run } from './run.ts'
import { asText } from './scalar.ts'
import type { TestNode } from './typed-node.ts'
import { valueReader } from './value-reader.ts'

/** A checked filter as a composition of closures. */
export function predicate(node: TestNode, run: Run): Predicate {
  switch (node.kind) {
    case 'always':
      return node.value ? () => true : () => false
    case 'and':
      return conjunction(node.parts.map((part) => predicate(part, run)))
    case 'or':
      return disjunction(node.parts.map((part) => predicate(part, run)))
    case 'not': {
      const of = predicate(node.of, run)
      return (call) => !of(call)
    }
    case 'present': {
      const read = valueReader(node.of, run)
      return (call) => (read(call) ?? undefined) !== undefined
    }
    case 'truth': {
      const read = valueReader(node.of, run)
      if (node.of.type === 'boolean') return (call) => read(call) === true
      return (call) => (read(call) ?? false) !== false
    }
    case 'compare':
      return comparePredicate(node, run)
    case 'one-of':
      return oneOfPredicate(node, run)
    case 'text':
      return partPredicate(node, run)
    case 'matches':
      return textPredicate(node.of, run, (text) => node.regex.test(text, MAX_REGEX_STEPS))
    case 'cidr':
      return textPredicate(node.of, run, (text) => blockContains(node.block, text))
    case 'element':
      return elementPredicate(node, run)
    case 'key': {
      const map = valueReader(node.map, run)
      const key = valueReader(node.of, run)
      return (call) => hasKey(map(call), key(call), node.ignoreCase)
    }
    case 'quantifier':
      return quantifierPredicate(node, run, predicate(node.body, run))
  }
}

function conjunction(parts: readonly Predicate[]): Predicate {
  const [a, b, c] = parts
  if (parts.length === 1) return a
  if (parts.length === 2) return (call) => a(call) && b(call)
  if (parts.length === 3) return (call) => a(call) && b(call) && c(call)
  return (call) => {
    for (const part of parts) if (!part(call)) return false
    return true
  }
}

function disjunction(parts: readonly Predicate[]): Predicate {
  const [a, b, c] = parts
  if (parts.length === 1) return a
  if (parts.length === 2) return (call) => a(call) || b(call)
  if (parts.length === 3) return (call) => a(call) || b(call) || c(call)
  return (call) => {
    for (const part of parts) if (part(call)) return true
    return false
  }
}

function partPredicate(node: Extract<TestNode, { kind: 'text' }>, run: Run): Predicate {
  const { operator, of, part } = node
  if (part.kind === 'constant') return textPredicate(of, run, textCheck(operator, String(part.value)))
  const read = valueReader(part, run)
  let wanted = ''
  const test = textPredicate(of, run, (text) => textCheck(operator, wanted)(text))
  return (call) => {
    const text = asText(part.type, read(call))
    if (text === undefined) return false
    wanted = text
    return test(call)
  }
}

function textCheck(
  operator: 'contains' | 'startsWith' | 'endsWith',
  part: string,
): (text: string) => boolean {
  if (operator === 'contains') return (text) => text.includes(part)
  return operator === 'startsWith' ? (text) => text.startsWith(part) : (text) => text.endsWith(part)
}
