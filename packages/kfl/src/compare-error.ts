import { type CheckContext, fail, kindOf, quote, short, source } from './check-context.ts'
import { textOf } from './constant.ts'
import type { Span } from './span.ts'
import type { ComparisonOperator } from './syntax-node.ts'
import type { ValueNode } from './typed-node.ts'

/*
 * What is said of two things that cannot be compared, and of those that can but were hardly meant so. A suggestion stands
 * for what is pointed at, and keeps the sense of `!=`.
 */

/** In the filters of old, `== r"…"` was a regular expression; as text it would match nothing. */
export function refuseRawPattern(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
): void {
  const written = source(context, right)
  if (right.kind !== 'constant' || isOrder(operator) || !/^[rR]["'].*[*+^$|]/s.test(written)) return
  const suggestion = `${source(context, left)} ${operator === '!=' ? 'not matches' : 'matches'} ${written}`
  const message = `${operator} compares whole texts; for a regular expression write ${short(suggestion)}.`
  throw covers(span, left)
    ? fail(span, message, { suggestion })
    : fail(right, `A list holds whole texts; ask for ${quote(context, right)} with matches.`)
}

/** `ts > "5m"`, `ts > -5m`: so long ago. */
export function ago(context: CheckContext, node: ValueNode, duration: string) {
  const suggestion = `now() - ${duration.replace(/^-/, '')}`
  return fail(node, `${quote(context, node)} is a duration; write ${suggestion}.`, { suggestion })
}

/** Nothing was captured in early 1970, which is what the seconds of today are as milliseconds. */
export function isSeconds(number: number): boolean {
  return number >= 1e9 && number < 1e10
}

export function seconds(context: CheckContext, node: ValueNode, number: number) {
  const suggestion = String(Math.round(number * 1000))
  const message = `${quote(context, node)} counts seconds; times are Unix milliseconds: write ${suggestion}.`
  return fail(node, message, { suggestion })
}

/** `5xx` is how people write a hundred of statuses. */
export const HUNDRED = /^([1-9])xx$/i

export function hundreds(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  digit: string,
  span: Span,
) {
  const range = `${digit}00..${digit}99`
  const whole = covers(span, left) && !isOrder(operator)
  const bound = `${digit}${operator === '>' || operator === '<=' ? '99' : '00'}`
  const spelled = whole ? `${source(context, left)} ${memberOf(operator)} ${range}` : range
  const suggestion = isOrder(operator) ? bound : spelled
  const message = `${quote(context, right)} is no status; write ${short(suggestion)}.`
  return fail(whole ? span : right, message, { suggestion })
}

export function collection(
  context: CheckContext,
  operator: ComparisonOperator,
  side: ValueNode,
  left: ValueNode,
  right: ValueNode,
  span: Span,
) {
  const name = quote(context, side)
  const other = side === left ? right : left
  if (side.type === 'map') {
    return fail(side, `${name} is a map; compare one of its entries, as in ${name}["name"].`, {
      suggestion: `${source(context, side)}["name"]`,
    })
  }
  if (!covers(span, left)) return fail(side, `${name} is a list; ask of its elements with .exists(x, …).`)
  const suggestion = `${source(context, other)} ${memberOf(operator)} ${source(context, side)}`
  return fail(span, `${name} is a list; write ${short(suggestion)}, or use .exists(x, …).`, { suggestion })
}

export function memberOf(operator: ComparisonOperator): string {
  return operator === '!=' ? 'not in' : 'in'
}

/** Whether what is pointed at is the whole comparison, and not one element of a list. */
function covers(span: Span, left: ValueNode): boolean {
  return span.start <= left.start && left.end <= span.end
}

export function isOrder(operator: ComparisonOperator): boolean {
  return operator !== '==' && operator !== '!='
}

export function mismatch(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
  span: Span,
) {
  // `!a == b` is `(!a) == b` to every C-like language, and never what was meant.
  if (left.kind === 'test' && left.of.kind === 'not' && context.text[left.start] === '!') {
    const suggestion = `!(${context.text.slice(left.start + 1, right.end)})`
    const message = `! binds to ${quote(context, left.of.of)} alone here; write ${short(suggestion)}.`
    return fail(span, message, { suggestion })
  }
  const first = `${quote(context, left)} is ${kindOf(left)}`
  if (right.type === 'boolean') {
    const mended = covers(span, left) ? presence(context, operator, left, right) : undefined
    const ending = mended ? `write ${mended}` : 'they cannot be compared'
    const hints = mended ? { suggestion: mended } : {}
    return fail(span, `${first}, not true or false; ${ending}.`, hints)
  }
  const byName = left.kind === 'field' && textOf(right) !== undefined ? `${left.field.name}_name` : ''
  if (isNumber(left) && context.catalog.find(byName)) {
    const message = `${first}; its words are in ${byName}.`
    return fail(left, message, { suggestion: byName })
  }
  const mended = mend(context, left, right)
  const ending = mended ? `write ${short(mended)}` : 'they cannot be compared'
  const message = `${first} and ${quote(context, right)} is ${kindOf(right)}; ${ending}.`
  // The suggestion replaces the marked text.
  return mended ? fail(right, message, { suggestion: mended }) : fail(span, message)
}

/** `error == true` asks whether it is there. */
function presence(
  context: CheckContext,
  operator: ComparisonOperator,
  left: ValueNode,
  right: ValueNode,
): string | undefined {
  if (left.kind !== 'field' || right.kind !== 'constant' || isOrder(operator)) return undefined
  const name = source(context, left)
  return (right.value === true) === (operator === '==') ? name : `!${name}`
}

/** The literal that was meant: `"80"` for a number is 80, 5 for a text is "5". */
function mend(context: CheckContext, left: ValueNode, right: ValueNode): string | undefined {
  if (right.kind !== 'constant') return undefined
  const text = textOf(right)
  if (isNumber(left) && text !== undefined && /^-?\d+(\.\d+)?$/.test(text)) return text
  if (left.type === 'boolean' && text !== undefined && /^(true|false)$/i.test(text)) return text.toLowerCase()
  if (left.type === 'string' && isNumber(right)) return JSON.stringify(source(context, right))
  if (left.type === 'duration' && isNumber(right) && !isSize(right)) return `${source(context, right)}ms`
  return undefined
}

export function isNumber(node: ValueNode): boolean {
  return node.type === 'integer' || node.type === 'number'
}

export function isSize(node: ValueNode): boolean {
  return node.kind === 'constant' && node.unit === 'bytes'
}
