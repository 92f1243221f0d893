import type { IpBlock } from '@tapdeck/ip'
import { duckdbDialect } from './duckdb-dialect.ts'
import type { Filter } from './filter.ts'
import { NUMERIC_STATUS } from './scalar.ts'
import { conjunction, disjunction, exactly, negation, type SqlBounds, UNKNOWN } from './sql-bounds.ts'
import type { SqlColumns } from './sql-columns.ts'
import type { SqlDialect } from './sql-dialect.ts'
import { type SqlTarget, type SqlValue, sqlNumber, sqlText, sqlValue } from './sql-value.ts'
import type { Comparison, TestNode } from './typed-node.ts'

export interface SqlFilter {
  /** A total condition: true or false for every row, never NULL. */
  readonly where: string
  /** False: `where` lets through more than the filter; run `matches` on the candidates. */
  readonly exact: boolean
}

/**
 * The filter as a condition over the columns of an index, values embedded as quoted literals. What the columns cannot say
 * is left out, so that the answer never misses a call.
 */
export function toSql(filter: Filter, columns: SqlColumns, dialect: SqlDialect = duckdbDialect): SqlFilter {
  const bounds = testSql(filter.tree, { columns, dialect })
  return { where: bounds.upper, exact: bounds.upper === bounds.lower }
}

function testSql(node: TestNode, target: SqlTarget): SqlBounds {
  switch (node.kind) {
    case 'always':
      return exactly(String(node.value))
    case 'and':
      return conjunction(node.parts.map((part) => testSql(part, target)))
    case 'or':
      return disjunction(node.parts.map((part) => testSql(part, target)))
    case 'not':
      return negation(testSql(node.of, target))
    case 'present': {
      if (node.of.kind === 'test') return exactly('true')
      const value = sqlValue(node.of, target)
      if (!value) return UNKNOWN
      return conjunction(
        [...(value.guards ?? []), value.nullable ? `(${value.sql} IS NOT NULL)` : 'true'].map(exactly),
      )
    }
    case 'truth': {
      if (node.of.kind === 'test') return testSql(node.of.of, target)
      const value = sqlValue(node.of, target)
      return value?.kind === 'boolean' ? total(value.sql, value) : UNKNOWN
    }
    case 'compare':
      return compareSql(node, target)
    case 'one-of':
      return oneOfSql(node, target)
    case 'text':
      return textSql(node, target)
    case 'matches': {
      const text = textOf(sqlValue(node.of, target))
      const { dialect } = target
      const source = dialect.literal(node.regex.source)
      if (!text || !source || !node.regex.portable) return UNKNOWN
      return total(dialect.matches(text.sql, source), text)
    }
    case 'cidr': {
      const text = textOf(sqlValue(node.of, target))
      return text ? blockSql(node.block, text, target.dialect) : UNKNOWN
    }
    default:
      return UNKNOWN
  }
}

/** A condition made total: no row answers NULL, so that NOT means not. The form keeps index pruning possible. */
function total(sql: string, ...values: readonly SqlValue[]): SqlBounds {
  const guards = values.flatMap((value) => value.guards ?? [])
  const nullable = values.filter((value) => value.nullable)
  const condition = nullable.some((value) => value.computed) ? `COALESCE(${sql}, false)` : sql
  const checks = condition === sql ? nullable.map((value) => `${value.sql} IS NOT NULL`) : []
  return exactly(`(${[...new Set([...guards, ...checks, condition])].join(' AND ')})`)
}

function textOf(value: SqlValue | undefined): SqlValue | undefined {
  return value && sqlText(value)
}

/** The value read as the comparison reads it. */
function readAs(as: Comparison, value: SqlValue | undefined, { dialect }: SqlTarget): SqlValue | undefined {
  if (!value) return undefined
  if (as === 'number') return sqlNumber(value, dialect)
  if (as === 'boolean') return value.kind === 'boolean' ? value : undefined
  return sqlText(value)
}

function compareSql(node: Extract<TestNode, { kind: 'compare' }>, target: SqlTarget): SqlBounds {
  const test = node.left.kind === 'test' ? node.left.of : undefined
  if (test && node.right.kind === 'constant') {
    const bounds = testSql(test, target)
    return node.right.value === true ? bounds : negation(bounds)
  }
  const value = sqlValue(node.left, target)
  const constant = node.right.kind === 'constant' ? node.right.value : undefined
  if (node.as === 'status' && value?.number && isNumeric(constant))
    return total(`${value.number} = ${constant}`, asNumber(value))
  const left = readAs(node.as, value, target)
  const right = readAs(node.as, sqlValue(node.right, target), target)
  if (!left || !right) return UNKNOWN
  return total(`${left.sql} ${node.operator === '==' ? '=' : node.operator} ${right.sql}`, left, right)
}

function oneOfSql(node: Extract<TestNode, { kind: 'one-of' }>, target: SqlTarget): SqlBounds {
  const found = sqlValue(node.of, target)
  if (node.as === 'status' && found?.number && node.values.every(isNumeric)) {
    return total(`${found.number} IN (${node.values.join(', ')})`, asNumber(found))
  }
  const value = readAs(node.as, found, target)
  const literals = node.values.map((one) => target.dialect.literal(one))
  if (!value || literals.includes(undefined)) return UNKNOWN
  return total(`${value.sql} IN (${literals.join(', ')})`, value)
}

/** A status with a column for its number: digits are compared there. */
function isNumeric(value: unknown): boolean {
  return typeof value === 'string' && new RegExp(`^(?:${NUMERIC_STATUS})$`).test(value)
}

function asNumber(value: SqlValue): SqlValue {
  return { sql: value.number ?? value.sql, kind: 'number', nullable: true, guards: value.guards ?? [] }
}

function textSql(node: Extract<TestNode, { kind: 'text' }>, target: SqlTarget): SqlBounds {
  const of = textOf(sqlValue(node.of, target))
  const part = sqlValue(node.part, target)
  if (!of || part?.kind !== 'string') return UNKNOWN
  return total(target.dialect[node.operator](of.sql, part.sql), of, part)
}

/** Addresses are written one way only (RFC 5952), so a block of IPv4 is a matter of leading octets. */
function blockSql(block: IpBlock, text: SqlValue, dialect: SqlDialect): SqlBounds {
  const hasColon = dialect.contains(text.sql, "':'")
  if (block.bytes.length === 16) return { upper: total(hasColon, text).upper, lower: 'false' }
  const whole = block.bits >> 3
  const rest = block.bits & 7
  const prefix = Array.from(block.bytes.subarray(0, whole), (byte) => `${byte}.`).join('')
  const conditions = [prefix === '' ? `NOT ${hasColon}` : dialect.startsWith(text.sql, `'${prefix}'`)]
  if (rest > 0) {
    const low = block.bytes[whole] & (0xff << (8 - rest))
    const octet = dialect.octet(text.sql, whole + 1)
    conditions.push(`COALESCE(${octet} BETWEEN ${low} AND ${low + (1 << (8 - rest)) - 1}, false)`)
  }
  return total(conditions.join(' AND '), text)
}
