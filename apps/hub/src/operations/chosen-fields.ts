import { Problem } from '@tapdeck/api'
import { nearestNames } from '../nearest-names.ts'

const MAX_FIELDS = 40

/** Which members of a row are wanted: all of it, or some by name. */
type Wanted = true | Map<string, Wanted>

/**
 * The chosen fields of each row. `fields`: names such as `src.pod,path,status`, with dots for what is inside. A name that
 * no row can have is refused with near names, because an absent column would look like absent data.
 */
export function chosenFields<Row extends object>(
  rows: readonly Row[],
  fields: string | undefined,
  known?: Iterable<string>,
): Row[] {
  const names = fieldNames(fields)
  if (names === undefined) return [...rows]
  if (known !== undefined) requireKnown(names, new Set(known))
  const wanted = treeOf(names)
  return rows.map((row) => choose(row, wanted) as Row)
}

/** Undefined: all fields. */
export function fieldNames(fields: string | undefined): readonly string[] | undefined {
  if (fields === undefined) return undefined
  const names = fields
    .split(',')
    .map((name) => name.trim())
    .filter((name) => name !== '')
    // Assistants see each `ts` with the same time as text in `at`, and ask for that.
    .map((name) => (name === 'at' ? 'ts' : name))
  if (names.length > MAX_FIELDS)
    throw new Problem(400, 'invalid_input', `fields has ${names.length} names (max ${MAX_FIELDS})`)
  return names.length === 0 ? undefined : names
}

function requireKnown(names: readonly string[], known: ReadonlySet<string>): void {
  const unknown = names.filter((name) => !known.has(name.split('.')[0] ?? ''))
  if (unknown.length === 0) return
  const [first = ''] = unknown
  throw new Problem(400, 'unknown_field', `No field is named "${first.slice(0, 80)}"`, {
    hint: `Similar: ${nearestNames(first, known).join(', ')}.`,
  })
}

function treeOf(names: readonly string[]): Wanted {
  const tree = new Map<string, Wanted>()
  for (const name of names) {
    let below = tree
    const parts = name.split('.')
    for (const [at, part] of parts.entries()) {
      const there = below.get(part)
      if (there === true) break
      if (at === parts.length - 1) below.set(part, true)
      else {
        const next = there ?? new Map<string, Wanted>()
        below.set(part, next)
        below = next
      }
    }
  }
  return tree
}

function choose(value: unknown, wanted: Wanted): unknown {
  if (wanted === true) return value
  if (Array.isArray(value)) return value.map((one) => choose(one, wanted))
  if (typeof value !== 'object' || value === null) return value
  const chosen: Record<string, unknown> = {}
  for (const [name, below] of wanted)
    if (Object.hasOwn(value, name)) chosen[name] = choose((value as Record<string, unknown>)[name], below)
  return chosen
}
