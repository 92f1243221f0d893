import type { Filter, ValueNode } from '@tapdeck/kfl'
import { askMerged, type ObservedValue } from '@tapdeck/questions'
import type { CallSource } from './call-source.ts'
import { SourceSet } from './source-set.ts'

const MOST = 5
const LONGEST = 200
/** What has some values that come again and again; measures hardly do. */
const NAMES: ReadonlySet<ValueNode['type']> = new Set(['string', 'ip', 'status', 'integer'])

interface Wanted {
  readonly field: string
  readonly key?: string
  readonly text: string
}

/**
 * Where a part of a filter asks for one value and no call has it: values that calls do have there, those that have the
 * wanted one in them first. `method == "get"` is easy to correct for a user who sees `GET`.
 */
export async function seenInstead(
  { tree }: Filter,
  sources: readonly CallSource[],
  window: { readonly start?: number; readonly end?: number },
): Promise<readonly (string | number | boolean)[]> {
  const wanted = wantedBy(tree)
  if (wanted === undefined) return []
  const alike = await valuesOf(wanted, wanted.text.slice(0, LONGEST), sources, window)
  if (alike.length > 0) return alike.map(({ value }) => value)
  const others = await valuesOf(wanted, '', sources, window)
  // Where each call has a value of its own, some of them say nothing.
  return others.some(({ calls }) => calls > 1) ? others.map(({ value }) => value) : []
}

function wantedBy(tree: Filter['tree']): Wanted | undefined {
  if (tree.kind === 'one-of') return wantedIn(tree.of, tree.values[0])
  if (tree.kind !== 'compare' || tree.operator !== '==' || tree.right.kind !== 'constant') return undefined
  return wantedIn(tree.left, tree.right.value)
}

function wantedIn(of: ValueNode, value: unknown): Wanted | undefined {
  const text = typeof value === 'object' ? undefined : String(value)
  if (text === undefined || text === '') return undefined
  if (of.kind === 'field' && NAMES.has(of.type)) return { field: of.field.name, text }
  if (of.kind !== 'member' || of.of.kind !== 'field' || of.of.type !== 'map') return undefined
  const key = of.key.kind === 'constant' ? of.key.value : undefined
  return typeof key === 'string' ? { field: of.of.field.name, key, text } : undefined
}

async function valuesOf(
  { field, key }: Wanted,
  prefix: string,
  sources: readonly CallSource[],
  window: { readonly start?: number; readonly end?: number },
) {
  const asked = { field, ...(key !== undefined && { key }), prefix, kfl: '', limit: MOST, ...window }
  // An answer that is only a hint may be missing.
  const answer = askMerged(new SourceSet(sources), 'values', asked)
  const { values } = await answer.catch((): { values: readonly ObservedValue[] } => ({ values: [] }))
  return values
}
