import { SAME_PATH } from './base-fields.ts'
import type { CatalogField } from './field.ts'
import { gateOf } from './read-field.ts'
import { NUMERIC_STATUS } from './scalar.ts'
import type { SqlColumn, SqlColumns } from './sql-columns.ts'
import type { SqlDialect } from './sql-dialect.ts'
import type { ValueNode } from './typed-node.ts'

/** What a filter is translated to. */
export interface SqlTarget {
  readonly columns: SqlColumns
  readonly dialect: SqlDialect
}

/** A value in SQL; NULL where it is absent, which `nullable` says can be. */
export interface SqlValue {
  readonly sql: string
  readonly kind: SqlColumn['kind']
  readonly nullable: boolean
  readonly number?: string
  /** More than a column: not worth writing twice. */
  readonly computed?: boolean
  /** Total conditions without which the value is absent, whatever the column holds. */
  readonly guards?: readonly string[]
}

/** With at most sixteen operands, none above 2^63, no product leaves the range of a DOUBLE (which would be an error). */
const MAX_ARITHMETIC = 4
const MAX_CONSTANT = 1e15

/** The value as an expression over the columns; undefined where the columns do not hold it. */
export function sqlValue(node: ValueNode, target: SqlTarget): SqlValue | undefined {
  switch (node.kind) {
    case 'constant': {
      const sql = typeof node.value === 'object' ? undefined : target.dialect.literal(node.value)
      return sql === undefined ? undefined : { sql, kind: kindFor(node.type) ?? 'string', nullable: false }
    }
    case 'field':
      return fieldValue(node, target)
    case 'size': {
      const of = sqlValue(node.of, target)
      if (!of || of.kind === 'number' || of.kind === 'boolean') return undefined
      return computed(target.dialect.length(of.sql), 'number', of)
    }
    case 'concat': {
      const left = sqlValue(node.left, target)
      const right = sqlValue(node.right, target)
      return left && right && computed(`(${left.sql} || ${right.sql})`, 'string', left, right)
    }
    case 'arithmetic':
      return arithmetic(node, target, 1)
    default:
      return undefined
  }
}

function computed(sql: string, kind: SqlColumn['kind'], ...of: readonly SqlValue[]): SqlValue {
  const guards = of.flatMap((value) => value.guards ?? [])
  return { sql, kind, nullable: of.some((value) => value.nullable), computed: true, guards }
}

function fieldValue(node: Extract<ValueNode, { kind: 'field' }>, target: SqlTarget): SqlValue | undefined {
  const { field } = node
  const kind = kindFor(field.type)
  if (field.derive || field.members || field.entries || !kind) return undefined
  const found = [field.path, ...(field.fallbacks ?? [])].map((path) => columnAt(path, target))
  const values: SqlColumn[] = []
  for (const column of found) {
    if (!column || !(column.kind === kind || (kind === 'status' && column.kind === 'string')))
      return undefined
    values.push(column)
  }
  const guards = guardsOf(field, target)
  if (!guards) return undefined
  if (values.length === 1) {
    const { sql, nullable, number } = values[0]
    return { sql, kind, nullable: nullable ?? true, guards, ...(number === undefined ? {} : { number }) }
  }
  const sql = `COALESCE(${values.map((value) => value.sql).join(', ')})`
  return { sql, kind, nullable: values.every((value) => value.nullable ?? true), guards, computed: true }
}

/** The condition that the call is of the field's protocols, if the column does not imply it; undefined: not known. */
function guardsOf(field: CatalogField, target: SqlTarget): readonly string[] | undefined {
  const protocols = gateOf(field)
  if (!protocols) return []
  const proto = columnAt('proto', target)
  if (!proto) return undefined
  const words = protocols.map((protocol) => target.dialect.literal(protocol)).join(', ')
  const present = (proto.nullable ?? true) ? `${proto.sql} IS NOT NULL AND ` : ''
  return [`(${present}${proto.sql} IN (${words}))`]
}

const OTHER_PATHS = new Map(Object.entries(SAME_PATH).map(([other, path]) => [path, other]))

function columnAt(path: string, { columns }: SqlTarget): SqlColumn | undefined {
  if (Object.hasOwn(columns, path)) return columns[path]
  const other = OTHER_PATHS.get(path)
  return other !== undefined && Object.hasOwn(columns, other) ? columns[other] : undefined
}

function kindFor(type: ValueNode['type']): SqlColumn['kind'] | undefined {
  switch (type) {
    case 'string':
    case 'ip':
      return 'string'
    case 'integer':
    case 'number':
    case 'duration':
    case 'timestamp':
      return 'number'
    case 'boolean':
    case 'status':
      return type
    default:
      return undefined
  }
}

/** The value as a number: of a status, its digits, and NULL where it is a word. */
export function sqlNumber(value: SqlValue, dialect: SqlDialect): SqlValue | undefined {
  if (value.kind === 'number') return value
  if (value.kind !== 'status') return undefined
  const digits = `CASE WHEN ${dialect.matchesAll(value.sql, NUMERIC_STATUS)} THEN ${dialect.integer(value.sql)} END`
  const guards = value.guards ?? []
  if (value.number !== undefined) return { sql: value.number, kind: 'number', nullable: true, guards }
  return { sql: digits, kind: 'number', nullable: true, computed: true, guards }
}

/** The value as text; of a status, its number's digits too. */
export function sqlText(value: SqlValue): SqlValue | undefined {
  return value.kind === 'string' || value.kind === 'status' ? value : undefined
}

function arithmetic(
  node: Extract<ValueNode, { kind: 'arithmetic' }>,
  target: SqlTarget,
  depth: number,
): SqlValue | undefined {
  if (depth > MAX_ARITHMETIC) return undefined
  const operand = (of: ValueNode): SqlValue | undefined => {
    if (of.kind === 'constant' && Math.abs(Number(of.value)) > MAX_CONSTANT) return undefined
    const value = of.kind === 'arithmetic' ? arithmetic(of, target, depth + 1) : sqlValue(of, target)
    return value && sqlNumber(value, target.dialect)
  }
  const left = operand(node.left)
  const right = operand(node.right)
  if (!left || !right) return undefined
  const { operator } = node
  const double = (value: SqlValue) => target.dialect.double(value.sql)
  const divides = operator === '/' || operator === '%'
  const second = divides ? `NULLIF(${double(right)}, 0)` : double(right)
  return { ...computed(`(${double(left)} ${operator} ${second})`, 'number', left, right), nullable: true }
}
