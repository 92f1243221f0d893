import type { ValueType } from '@tapdeck/kfl'
import type { KflField } from '../client/hub.ts'
import { tokens } from './tokens.ts'

type FieldName = Pick<KflField, 'name' | 'path' | 'type'>

const mapType: ValueType = 'map'

/**
 * The comparison that a value on the page stands for, such as `src.pod == "cart"`. `path` leads to the value in the
 * full call. Nothing where no field of the catalog reads it, or where the value is no literal.
 */
export function clauseFor(
  path: readonly string[],
  value: unknown,
  fields: readonly FieldName[],
  operator: '==' | '!=' = '==',
): string | undefined {
  const literal = literalOf(value)
  if (literal === undefined) return undefined
  const whole = fieldAt(path.join('.'), fields)
  if (whole) return `${whole.name} ${operator} ${literal}`
  const key = path.at(-1)
  const map = path.length > 1 ? fieldAt(path.slice(0, -1).join('.'), fields) : undefined
  if (key === undefined || map?.type !== mapType) return undefined
  return `${map.name}[${quote(key)}] ${operator} ${literal}`
}

/** Joins a comparison to a filter with `and`, in brackets where an `or` would tear it apart; once is enough. */
export function withClause(filter: string, clause: string): string {
  const before = filter.trim()
  if (before === '') return clause
  if (conjuncts(before).includes(clause)) return before
  return `${hasLooseOr(before) ? `(${before})` : before} and ${clause}`
}

/** Joins a comparison to a filter with `or`: calls that match either. */
export function withAlternative(filter: string, clause: string): string {
  const before = filter.trim()
  if (before === '') return clause
  if (parts(before, isOr).includes(clause)) return before
  return `${conjuncts(before).length > 1 ? `(${before})` : before} or ${clause}`
}

export function quote(text: string): string {
  return `"${text
    .replaceAll('\\', '\\\\')
    .replaceAll('"', '\\"')
    .replaceAll('\n', '\\n')
    .replaceAll('\r', '\\r')
    .replaceAll('\t', '\\t')}"`
}

function literalOf(value: unknown): string | undefined {
  if (typeof value === 'string') return value.length <= 1024 ? quote(value) : undefined
  if (typeof value === 'number' && Number.isFinite(value)) return String(value)
  if (typeof value === 'boolean') return String(value)
  return undefined
}

/** The name spelled like the way to the value is the plainest; several others may read the same. */
function fieldAt(path: string, fields: readonly FieldName[]): FieldName | undefined {
  return fields.find((field) => field.name === path) ?? fields.find((field) => field.path === path)
}

function hasLooseOr(filter: string): boolean {
  return parts(filter, isOr).length > 1
}

function conjuncts(filter: string): readonly string[] {
  return parts(filter, isAnd)
}

const isOr = (text: string) => text === '||' || text.toLowerCase() === 'or'
const isAnd = (text: string) => text === '&&' || text.toLowerCase() === 'and'

/** The pieces between separators that stand outside all brackets. */
function parts(filter: string, isSeparator: (text: string) => boolean): readonly string[] {
  const found: string[] = []
  let depth = 0
  let start = 0
  for (const token of tokens(filter)) {
    if (token.kind === 'bracket' && '([{'.includes(token.text)) depth++
    if (token.kind === 'bracket' && ')]}'.includes(token.text)) depth--
    if (depth > 0 || token.kind === 'string' || !isSeparator(token.text)) continue
    found.push(filter.slice(start, token.position).trim())
    start = token.position + token.text.length
  }
  found.push(filter.slice(start).trim())
  return found
}
