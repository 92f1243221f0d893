import { type Constant, constant, numberOf } from './constant.ts'
import type { CatalogField } from './field.ts'
import type { ValueNode } from './typed-node.ts'

/** Durations are microseconds everywhere but in a field read as it is, which keeps its path's own unit. */
function pathMicroseconds(field: CatalogField): number {
  return field.path.endsWith('_us') ? 1 : 1000
}

/** The duration in microseconds. */
export function microseconds(node: ValueNode): ValueNode {
  if (node.kind !== 'field' || pathMicroseconds(node.field) === 1) return node
  const factor = constant(pathMicroseconds(node.field), 'number', node)
  const { start, end } = node
  return { kind: 'arithmetic', type: 'duration', operator: '*', left: node, right: factor, start, end }
}

/**
 * A constant as the field counts: `250ms` for a path in milliseconds is 250, for one in microseconds 250000; a plain
 * number takes the field's own unit. Dividing the constant, and not multiplying the field, keeps equality exact.
 */
export function inOwnUnit(left: ValueNode, right: Constant): Constant | undefined {
  const value = numberOf(right)
  if (value === undefined) return undefined
  if (left.kind !== 'field') return right.type === 'duration' ? right : undefined
  const unit = right.type === 'duration' ? 1 : left.field.unit === 'us' ? 1 : 1000
  const own = pathMicroseconds(left.field)
  return constant(unit === own ? value : (value * unit) / own, 'duration', right)
}
