import { visiblePlainText } from '@tapdeck/api/visible-text'

/** One value of a call with the way to it, as the filter language knows it. */
export interface Fact {
  readonly label: string
  readonly path: readonly string[]
  readonly value: unknown
}

const deepest = 3
const longestList = 200

/** The values inside an object, nested ones with their way as the label. Absent is absent. */
export function factsOf(
  object: unknown,
  path: readonly string[],
  without: readonly string[] = [],
): readonly Fact[] {
  const found: Fact[] = []
  collect(object, path, path.length, without, found)
  return found
}

function collect(
  value: unknown,
  path: readonly string[],
  rootLength: number,
  without: readonly string[],
  found: Fact[],
): void {
  if (value === undefined || value === null || found.length >= longestList) return
  if (Array.isArray(value) && value.length === 0) return
  const depth = path.length - rootLength
  if (isRecord(value) && depth < deepest) {
    for (const [key, inner] of Object.entries(value))
      if (depth > 0 || !without.includes(key)) collect(inner, [...path, key], rootLength, without, found)
    return
  }
  found.push({ label: path.slice(rootLength).join('.'), path, value })
}

/** How a value reads. Lists of plain values are joined; anything deeper is JSON. Captured text cannot hide or reorder what follows. */
export function factText(value: unknown): string {
  return visiblePlainText(textOf(value))
}

function textOf(value: unknown): string {
  if (typeof value === 'string') return value
  if (Array.isArray(value) && value.every((item) => typeof item !== 'object')) return value.join(', ')
  return typeof value === 'object' ? JSON.stringify(value, undefined, 2) : String(value)
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
