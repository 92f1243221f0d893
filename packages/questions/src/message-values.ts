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

/** Whether a value is what it is to be. */
type Check<One> = (value: unknown) => value is One
type Fields = Readonly<Record<string, Check<unknown>>>
type Given<Of> = Of extends Check<infer One> ? One : never
type OptionalIn<Of extends Fields> = {
  [Name in keyof Of]: undefined extends Given<Of[Name]> ? Name : never
}[keyof Of]

/** What has these fields; those that may be undefined may be absent. */
export type Fielded<Of extends Fields> = {
  readonly [Name in Exclude<keyof Of, OptionalIn<Of>>]: Given<Of[Name]>
} & { readonly [Name in OptionalIn<Of>]?: Exclude<Given<Of[Name]>, undefined> }

/**
 * Checks rows of answers. There are up to 10,000 in one, so these are plain checks in place: schemas of every field would
 * copy each row and cost several times as much. Other fields are only checked to be data that can be written as JSON.
 */
export function fields<Of extends Fields>(of: Of): Check<Fielded<Of>> {
  const checks = Object.entries(of)
  return (value): value is Fielded<Of> => isObject(value) && checks.every(([name, is]) => is(value[name]))
}

export function row<One>(what: string, isOne: Check<One>): z.ZodType<One> {
  return z.custom<One>((given) => isOne(given) && isWritable(given), `this is not ${what}`)
}

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

export function isText(value: unknown): value is string {
  return typeof value === 'string'
}

export function isFlag(value: unknown): value is boolean {
  return typeof value === 'boolean'
}

export function isOneOf<Text extends string | true>(...texts: readonly Text[]): Check<Text> {
  return (value): value is Text => texts.includes(value as Text)
}

export function optional<One>(isOne: Check<One>): Check<One | undefined> {
  return (value): value is One | undefined => value === undefined || isOne(value)
}

/** What nothing depends on: it is data, and that is all that is checked. */
export function unchecked<One>(_value: unknown): _value is One | undefined {
  return true
}

/** The names of an address. */
export const names = {
  pod: optional(isText),
  ns: optional(isText),
  svc: optional(isText),
  node: optional(isText),
} as const
