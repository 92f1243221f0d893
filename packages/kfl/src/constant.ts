import type { ValueType } from './field.ts'
import type { Span } from './span.ts'
import type { Scalar, ValueNode } from './typed-node.ts'

export type Constant = Extract<ValueNode, { kind: 'constant' }>

export function constant(value: Scalar, type: ValueType, span: Span): Constant {
  return { kind: 'constant', type, value, start: span.start, end: span.end }
}

export function numberOf(node: ValueNode): number | undefined {
  return node.kind === 'constant' && typeof node.value === 'number' ? node.value : undefined
}

export function textOf(node: ValueNode): string | undefined {
  if (node.kind !== 'constant') return undefined
  return typeof node.value === 'string' ? node.value : undefined
}

const TIME = /^(\d{4})-(\d\d)-(\d\d)(?:[Tt ](\d\d:\d\d(?::\d\d)?)(\.\d{1,9})?([Zz]|[+-]\d\d:\d\d)?)?$/

/** Unix milliseconds of an RFC 3339 time; a missing zone is UTC, a missing time midnight. */
export function parseTime(text: string): number | undefined {
  const found = TIME.exec(text)
  if (!found) return undefined
  const [, year, month, date, time = '00:00', fraction = '0', zone = 'Z'] = found
  const day = new Date(Date.UTC(Number(year), Number(month) - 1, Number(date)))
  if (day.getUTCDate() !== Number(date) || day.getUTCMonth() !== Number(month) - 1) return undefined
  const whole = Date.parse(`${year}-${month}-${date}T${time}${zone.toUpperCase()}`)
  // Calls are timed in microseconds, finer than Date.
  return Number.isNaN(whole) ? undefined : whole + Number(fraction) * 1000
}
