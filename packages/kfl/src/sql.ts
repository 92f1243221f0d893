import type { IpBlock } from '@tapdeck/ip'
import type { Filter } from './filter.ts'
import { NUMERIC_STATUS } from './scalar.ts'
import { conjunction, disjunction, exactly, negation, type SqlBounds, UNKNOWN } from './sql-bounds.ts'
import type { SqlColumns } from './sql-columns.ts'
import { sqlLiteral } from './sql-literal.ts'
import { type SqlValue, sqlNumber, sqlText, sqlValue } from './sql-value.ts'
import type { Comparison, TestNode } from './typed-node.ts'

export interface SqlFilter {
  /** A total condition: true or false for every row, never NULL. */
  readonly where: string
  /** False: `where` lets through more than the filter; run `matches` on the candidates. */
  readonly exact: boolean
}

/**
 * The filter as a DuckDB condition over the columns of an index, values embedded as quoted literals. What the columns
 * cannot say is left out, so that the answer never misses a call.
 */
export function toSql(filter: Filter, columns: SqlColumns): SqlFilter {
  const bounds = testSql(filter.tree, columns)
  return { where: bounds.upper, exact: bounds.upper === bounds.lower }
}

function testSql(node: TestNode, columns: SqlColumns): SqlBounds {
  switch (node.kind) {
    case 'always':
      return exactly(String(node.value))
    case 'and':
      return conjunction(node.parts.map((part) => testSql(part, columns)))
    case 'or':
      return disjunction(node.parts.map((part) => testSql(part, columns)))
    case 'not':
      return negation(testSql(node.of, columns))
    case 'present': {
      if (node.of.kind === 'test') return exactly('true')
      const value = sqlValue(node.of, columns)
      if (!value) return UNKNOWN
      return conjunction(
        [...(value.guards ?? []), value.nullable ? `(${value.sql} IS NOT NULL)` : 'true'].map(exactly),
      )
    }
    case 'truth': {
      if (node.of.kind === 'test') return testSql(node.of.of, columns)
      const value = sqlValue(node.of, columns)
      return value?.kind === 'boolean' ? total(value.sql, value) : UNKNOWN
    }
    case 'compare':
      return compareSql(node, columns)
    case 'one-of':
      return oneOfSql(node, columns)
    case 'text':
      return textSql(node, columns)
    case 'matches': {
      const text = textOf(sqlValue(node.of, columns))
      const source = sqlLiteral(node.regex.source)
      if (!text || !source || !node.regex.portable) return UNKNOWN
      return total(`regexp_matches(${text.sql}, ${source})`, text)
    }
    case 'cidr': {
      const text = textOf(sqlValue(node.of, columns))
      return text ? blockSql(node.block, text) : UNKNOWN
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
function readAs(as: Comparison, value: SqlValue | undefined): SqlValue | undefined {
  if (!value) return undefined
  if (as === 'number') return sqlNumber(value)
  if (as === 'boolean') return value.kind === 'boolean' ? value : undefined
  return sqlText(value)
}

function compareSql(node: Extract<TestNode, { kind: 'compare' }>, columns: SqlColumns): SqlBounds {
  const test = node.left.kind === 'test' ? node.left.of : undefined
  if (test && node.right.kind === 'constant') {
    const bounds = testSql(test, columns)
    return node.right.value === true ? bounds : negation(bounds)
  }
  const value = sqlValue(node.left, columns)
  const constant = node.right.kind === 'constant' ? node.right.value : undefined
  if (node.as === 'status' && value?.number && isNumeric(constant))
    return total(`${value.number} = ${constant}`, asNumber(value))
  const left = readAs(node.as, value)
  const right = readAs(node.as, sqlValue(node.right, columns))
  if (!left || !right) return UNKNOWN
  return total(`${left.sql} ${node.operator === '==' ? '=' : node.operator} ${right.sql}`, left, right)
}

function oneOfSql(node: Extract<TestNode, { kind: 'one-of' }>, columns: SqlColumns): SqlBounds {
  const found = sqlValue(node.of, columns)
  if (node.as === 'status' && found?.number && node.values.every(isNumeric)) {
    return total(`${found.number} IN (${node.values.join(', ')})`, asNumber(found))
  }
  const value = readAs(node.as, found)
  const literals = node.values.map(sqlLiteral)
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

const TEXT_FUNCTIONS = { contains: 'contains', startsWith: 'starts_with', endsWith: 'ends_with' } as const

function textSql(node: Extract<TestNode, { kind: 'text' }>, columns: SqlColumns): SqlBounds {
  const of = textOf(sqlValue(node.of, columns))
  const part = sqlValue(node.part, columns)
  if (!of || part?.kind !== 'string') return UNKNOWN
  return total(`${TEXT_FUNCTIONS[node.operator]}(${of.sql}, ${part.sql})`, of, part)
}

/** Addresses are written one way only (RFC 5952), so a block of IPv4 is a matter of leading octets. */
function blockSql(block: IpBlock, text: SqlValue): SqlBounds {
  if (block.bytes.length === 16)
    return { upper: total(`contains(${text.sql}, ':')`, text).upper, lower: 'false' }
  const whole = block.bits >> 3
  const rest = block.bits & 7
  const prefix = Array.from(block.bytes.subarray(0, whole), (byte) => `${byte}.`).join('')
  const conditions = [
    prefix === '' ? `NOT contains(${text.sql}, ':')` : `starts_with(${text.sql}, '${prefix}')`,
  ]
  if (rest > 0) {
    const low = block.bytes[whole] & (0xff << (8 - rest))
    const octet = `TRY_CAST(split_part(${text.sql}, '.', ${whole + 1}) AS INTEGER)`
    conditions.push(`COALESCE(${octet} BETWEEN ${low} AND ${low + (1 << (8 - rest)) - 1}, false)`)
  }
  return total(conditions.join(' AND '), text)
}
