import { visibleJson } from './visible-json.ts'

/** The argument of every tool that bounds its answer, and its bounds. */
export const MAX_CHARS = 'max_chars'
export const MIN_MAX_CHARS = 1000
export const MAX_CHARS_LIMIT = 400_000

/** Excerpts of long texts, tried in this order while an answer is too long. */
const EXCERPT_LENGTHS = [4000, 1000, 250, 60]
/** The excerpt that is tried before rows are dropped. */
const [FIRST_EXCERPT = 4000] = EXCERPT_LENGTHS
/** For the report of what was left out. */
const REPORT_CHARS = 700
const MAX_REPORTED = 8

type Json = string | number | boolean | null | readonly Json[] | { readonly [key: string]: Json | undefined }
type JsonObject = { readonly [key: string]: Json | undefined }

/** A part that is not in the answer, or only in part. */
interface LeftOut {
  readonly field: string
  readonly kept: number
  readonly of: number
  readonly unit: 'rows' | 'items' | 'characters' | 'bytes'
}

/**
 * The same answer in at most `maxChars` characters of JSON. Nothing appears twice, and binary bodies and lists of ciphers
 * are left out unless `fields` names them. If that is too long, long texts become excerpts; then rows at the end of lists are
 * dropped, the longest list first; then members of whatever is largest. `left_out` lists what is missing and how to get it.
 */
export function fitAnswer(answer: JsonObject, maxChars: number, fields: readonly string[] = []): JsonObject {
  const leftOut: LeftOut[] = []
  let fitted = withoutRepeats(answer, '', { leftOut, fields }) as JsonObject
  if (leftOut.length === 0 && lengthOf(fitted) <= maxChars) return fitted
  const bound = maxChars - REPORT_CHARS
  for (const excerpt of EXCERPT_LENGTHS) {
    if (lengthOf(fitted) <= bound) break
    fitted = excerpted(fitted, '', excerpt, leftOut) as JsonObject
    // Rows are dropped before texts become very short.
    if (excerpt < FIRST_EXCERPT || hasRows(fitted)) fitted = withFewerRows(fitted, bound, leftOut)
  }
  if (lengthOf(fitted) > bound) fitted = withFewerMembers(fitted, bound, leftOut)
  return { ...fitted, ...report(fitted, leftOut, maxChars) }
}

interface Wanted {
  readonly leftOut: LeftOut[]
  readonly fields: readonly string[]
}

/** Full calls have headers and bodies at two places; assistants get one of them. */
function withoutRepeats(value: Json, path: string, wanted: Wanted): Json {
  if (isList(value)) return value.map((one, at) => withoutRepeats(one, `${path}[${at}]`, wanted))
  if (!isObject(value)) return value
  const kept: Record<string, Json> = {}
  const isCall = isObject(value.request) || isObject(value.response)
  for (const [key, member] of Object.entries(value)) {
    if (member === undefined || (isCall && REPEATS.has(key))) continue
    const at = path === '' ? key : `${path}.${key}`
    const isAsked = wanted.fields.some((field) => at.endsWith(field))
    if (key === 'body' && value.body_encoding === 'base64' && typeof member === 'string' && !isAsked) {
      wanted.leftOut.push({ field: at, kept: 0, of: Math.floor((member.length * 3) / 4), unit: 'bytes' })
      continue
    }
    if (ON_REQUEST.has(key) && isList(member) && member.length > 0 && !isAsked) {
      wanted.leftOut.push({ field: at, kept: 0, of: member.length, unit: 'items' })
      continue
    }
    kept[key] = withoutRepeats(member, at, wanted)
  }
  return kept
}

/** Long lists that hardly any question is about. */
const ON_REQUEST: ReadonlySet<string> = new Set([
  'cipher_suites',
  'extensions',
  'signature_algorithms',
  'groups_offered',
  'key_shares',
  'chain',
])
const REPEATS: ReadonlySet<string> = new Set(['req_headers', 'resp_headers', 'req_body', 'resp_body'])

function excerpted(value: Json, path: string, length: number, leftOut: LeftOut[]): Json {
  if (typeof value === 'string') {
    if (value.length <= length) return value
    note(leftOut, { field: path, kept: length, of: value.length, unit: 'characters' })
    return value.slice(0, length)
  }
  if (isList(value)) return value.map((one, at) => excerpted(one, `${path}[${at}]`, length, leftOut))
  if (!isObject(value)) return value
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => {
      // A shortened cursor or id would be a wrong one.
      const isName = /(^|_)(id|cursor)$/.test(key) || member === undefined
      return [key, isName ? member : excerpted(member, path === '' ? key : `${path}.${key}`, length, leftOut)]
    }),
  )
}

/** Drops rows at the end of the longest list until the answer fits, or no list has a second row. */
function withFewerRows(answer: JsonObject, bound: number, leftOut: LeftOut[]): JsonObject {
  let fitted = answer
  for (;;) {
    const surplus = lengthOf(fitted) - bound
    if (surplus <= 0) return fitted
    const longest = longestList(fitted)
    if (longest === undefined) return fitted
    const { key, rows } = longest
    let kept = rows.length
    let saved = 0
    while (kept > 1 && saved < surplus) saved += lengthOf(rows[--kept] ?? null) + 1
    note(leftOut, { field: key, kept, of: rows.length, unit: 'rows' })
    fitted = { ...fitted, [key]: rows.slice(0, kept) }
  }
}

function longestList(answer: JsonObject): { key: string; rows: readonly Json[] } | undefined {
  let longest: { key: string; rows: readonly Json[]; length: number } | undefined
  for (const [key, rows] of Object.entries(answer)) {
    if (!isList(rows) || rows.length < 2) continue
    const length = lengthOf(rows)
    if (longest === undefined || length > longest.length) longest = { key, rows, length }
  }
  return longest
}

/** Halves whatever list or object is largest, at any depth, until the answer fits. Ends at single members. */
function withFewerMembers(answer: JsonObject, bound: number, leftOut: LeftOut[]): JsonObject {
  let fitted = answer
  for (;;) {
    if (lengthOf(fitted) <= bound) return fitted
    const path = largestPath(fitted)
    if (path.length === 0) return fitted
    fitted = halvedAt(fitted, path, '', leftOut) as JsonObject
  }
}

/** Down to the innermost list or object that has most of the characters and more than one member. */
function largestPath(value: Json): string[] {
  const members = isList(value)
    ? value.map((one, at) => [String(at), one] as const)
    : isObject(value)
      ? Object.entries(value)
      : []
  let best: { key: string; member: Json; length: number } | undefined
  for (const [key, member] of members) {
    if (member === undefined || (!isList(member) && !isObject(member))) continue
    const length = lengthOf(member)
    if (best === undefined || length > best.length) best = { key, member, length }
  }
  if (best === undefined) return []
  const inner = largestPath(best.member)
  const innerLength = inner.length === 0 ? 0 : lengthOf(at(best.member, inner))
  const count = isList(best.member) ? best.member.length : Object.keys(best.member as object).length
  // Many small members are dropped here; one large member is looked into.
  if (inner.length > 0 && (count < 2 || innerLength > best.length / 2)) return [best.key, ...inner]
  return count < 2 ? [] : [best.key]
}

function at(value: Json, path: readonly string[]): Json {
  return path.reduce<Json>((found, key) => (found as Record<string, Json>)[key] ?? null, value)
}

function halvedAt(
  value: Json,
  [key = '', ...rest]: readonly string[],
  name: string,
  leftOut: LeftOut[],
): Json {
  const member = (value as Record<string, Json>)[key] ?? null
  const path = isList(value) ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`
  const shorter = rest.length > 0 ? halvedAt(member, rest, path, leftOut) : halved(member, path, leftOut)
  if (isList(value)) return value.map((one, index) => (String(index) === key ? shorter : one))
  return { ...(value as JsonObject), [key]: shorter }
}

function halved(member: Json, path: string, leftOut: LeftOut[]): Json {
  const entries = isList(member) ? [...member] : Object.entries(member as JsonObject)
  const kept = Math.floor(entries.length / 2)
  note(leftOut, { field: path, kept, of: entries.length, unit: 'items' })
  return isList(member)
    ? member.slice(0, kept)
    : Object.fromEntries((entries as [string, Json][]).slice(0, kept))
}

function hasRows(answer: JsonObject): boolean {
  return longestList(answer) !== undefined
}

/** The same part may be shortened several times: the first size and the last excerpt count. */
function note(leftOut: LeftOut[], part: LeftOut): void {
  const at = leftOut.findIndex(({ field, unit }) => field === part.field && unit === part.unit)
  const known = leftOut[at]
  if (known === undefined) leftOut.push(part)
  else leftOut[at] = { ...part, of: known.of }
}

function report(answer: JsonObject, leftOut: readonly LeftOut[], maxChars: number): JsonObject {
  if (leftOut.length === 0) return {}
  const rows = leftOut.find(({ unit }) => unit === 'rows')
  const parts = leftOut.filter(({ field }) => !isInDroppedRow(field, leftOut))
  const shown = parts
    .slice(0, MAX_REPORTED)
    .map(({ field, kept, of, unit }) => `${field}: ${kept} of ${of} ${unit}`)
  if (parts.length > shown.length) shown.push(`and ${parts.length - shown.length} more parts`)
  const ways = [
    ...(rows === undefined
      ? []
      : [`limit=${rows.kept} and the cursor of that page, a narrower kfl or window`]),
    ...waysToMore(parts),
    `max_chars up to ${MAX_CHARS_LIMIT} (now ${maxChars})`,
  ]
  const next = `To get more: ${ways.join(', or ')}.`
  return {
    // The cursor of this page continues behind the rows that were dropped.
    ...(rows !== undefined && 'next_cursor' in answer ? { next_cursor: null } : {}),
    ...(rows !== undefined && 'truncated' in answer ? { truncated: true } : {}),
    left_out: { parts: shown, next },
  }
}

/** `fields` gets a part alone; a body is read on from an offset. */
function waysToMore(parts: readonly LeftOut[]): string[] {
  const body = parts.find(
    ({ field, unit }) => unit === 'characters' && /(request|response)\.body$/.test(field),
  )
  const part = parts.find(({ unit }) => unit === 'items' || unit === 'bytes')
  return [
    ...(body ? [`get_api_call with fields=${withoutRow(body.field)} and body_offset=${body.kept}`] : []),
    ...(part ? [`fields=${withoutRow(part.field)}`] : []),
  ]
}

function withoutRow(field: string): string {
  return field.replace(/^\w+\[\d+\]\./, '')
}

function isInDroppedRow(field: string, leftOut: readonly LeftOut[]): boolean {
  const [, list, at] = /^(\w+)\[(\d+)\]/.exec(field) ?? []
  return leftOut.some((part) => part.unit === 'rows' && part.field === list && Number(at) >= part.kept)
}

function lengthOf(value: Json): number {
  return visibleJson(value).length
}

function isList(value: Json | undefined): value is readonly Json[] {
  return Array.isArray(value)
}

function isObject(value: Json | undefined): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
