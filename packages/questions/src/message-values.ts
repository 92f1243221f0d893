import { z } from 'zod'

/** Sums of counts of many nodes stay finite, and are written as JSON without loss. */
export const count = z.number().min(0).max(Number.MAX_SAFE_INTEGER)

/** The range of `Date`: every time can be written as an instant. Unix milliseconds. */
const LATEST = 8.64e15
export const time = z.number().min(-LATEST).max(LATEST)
export const timeOrNull = time.nullable()

/** Why something is as it is, in words. */
export const reason = z.string().max(2000)

/** A node's name is the first part of call ids (`<node>/<flow>/<ordinal>`), so it has no slash. */
export const nodeName = z.string().regex(/^[^/\s\p{Cc}]{1,253}$/u)

/** A list of at most so many. */
export function list<One extends z.ZodType>(one: One, most: number): z.ZodType<readonly z.output<One>[]> {
  return z.array(one).max(most)
}

export function isCount(value: unknown): value is number {
  return typeof value === 'number' && value >= 0 && value <= Number.MAX_SAFE_INTEGER
}

export function isTime(value: unknown): value is number {
  return typeof value === 'number' && value >= -LATEST && value <= LATEST
}

/** Data nested deeper than this would overflow the stack of `JSON.stringify`, or of code that walks it. */
const DEEPEST = 200

/** Whether data can be written as JSON as it is: finite numbers, and not nested too deeply. */
export function isWritable(value: unknown, depth = 0): boolean {
  if (typeof value === 'number') return Number.isFinite(value)
  if (typeof value !== 'object' || value === null) return true
  if (depth >= DEEPEST) return false
  for (const key in value)
    if (!isWritable((value as Readonly<Record<string, unknown>>)[key], depth + 1)) return false
  return true
}

export type Row = Readonly<Record<string, unknown>>

/**
 * A row of an answer. There are up to 10,000 in one, so these are plain checks in place: schemas of every field would
 * copy each row and cost several times as much. Fields that no code of the hub reads are only checked to be data that
 * can be written as JSON.
 */
export function row<One>(what: string, isOne: (row: unknown) => boolean): z.ZodType<One> {
  return z.custom<One>(isOne, `this is not ${what}`)
}

export function isObject(value: unknown): value is Row {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isOptional(value: unknown, type: 'string' | 'boolean'): boolean {
  return value === undefined || typeof value === type
}

export function isOptionalCount(value: unknown): boolean {
  return value === undefined || isCount(value)
}

/** The names of an address. */
export function isNamed(end: Row): boolean {
  return (
    isOptional(end.pod, 'string') &&
    isOptional(end.ns, 'string') &&
    isOptional(end.svc, 'string') &&
    isOptional(end.node, 'string')
  )
}
