import { type OperationInput, type OperationOutput, Problem } from '@tapdeck/api'
import { type CatalogField, textLiteral } from '@tapdeck/kfl'
import { askMerged } from '@tapdeck/questions'
import type { CallSource } from '../query/call-source.ts'
import { SourceSet } from '../query/source-set.ts'
import { missingNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'
import { requireValidWindow } from './require-valid-window.ts'

type Output = OperationOutput<'search_fields'>
type Value = Output['values'][number]

/** Fields whose values are looked through: what people name. None of them reads a payload. */
const NAMED = [
  'dst.svc',
  'src.svc',
  'dst.pod',
  'src.pod',
  'dst.ns',
  'proto',
  'method',
  'path',
  'status',
  'error',
]
const MAX_WORDS = 8
/** Of how many values each field is asked for. */
const OF_EACH = 10

export const searchFields: Handler<'search_fields'> = async (input, services, { caller }) => {
  const { query, db, limit } = input
  requireValidWindow(input)
  const found = matching(services.catalog.fields, query)
  const fields = found.slice(0, limit).map(({ name, type, doc, example }) => ({ name, type, doc, example }))
  const needed = db === undefined ? 'dissection:live' : 'snapshot:read'
  const without = { fields, total: found.length, values: [], values_are: 'unavailable' as const }
  if (!caller.capabilities.includes(needed)) return without
  try {
    const values = await seenValues(input, sourcesOf(db, services, caller))
    return {
      ...without,
      values: values.slice(0, limit),
      values_are: 'observed',
      ...missingNotes(db, services, caller, input),
    }
  } catch (error) {
    // An unknown database is the caller's mistake; without a worker, fields can be searched all the same.
    if (error instanceof Problem && error.status < 500 && error.code !== 'unknown_request') throw error
    return without
  }
}

/** Names that match come before meanings that do, and short names before long ones. */
function matching(fields: readonly CatalogField[], query: string): CatalogField[] {
  const words = query
    .toLowerCase()
    .split(/[\s,]+/)
    .filter(Boolean)
    .slice(0, MAX_WORDS)
  const scored = fields.flatMap((field) => {
    const name = `${field.name} ${field.path}`.toLowerCase()
    const doc = field.doc.toLowerCase()
    if (!words.every((word) => name.includes(word) || doc.includes(word))) return []
    const inName = words.filter((word) => name.includes(word)).length
    const isName = words.includes(field.name.toLowerCase()) ? 1 : 0
    return [{ field, score: 100 * isName + 10 * inName - field.name.length / 100 }]
  })
  return scored.toSorted((a, b) => b.score - a.score).map(({ field }) => field)
}

async function seenValues(
  { query, start, end }: OperationInput<'search_fields'>,
  sources: readonly CallSource[],
): Promise<Value[]> {
  const text = query.trim()
  const found: Value[] = []
  if (text === '') return found
  for (const field of NAMED) {
    const { values } = await askMerged(new SourceSet(sources), 'values', {
      field,
      prefix: text,
      kfl: '',
      limit: OF_EACH,
      ...(start !== undefined && { start }),
      ...(end !== undefined && { end }),
    })
    for (const { value, calls } of values) found.push({ field, value, calls, kfl: selecting(field, value) })
  }
  // A redacted value must not say that what it hides matches.
  const shown = found.filter(({ value }) => String(value).toLowerCase().includes(text.toLowerCase()))
  return shown.toSorted((a, b) => b.calls - a.calls)
}

function selecting(field: string, value: string | number | boolean): string {
  return `${field} == ${typeof value === 'string' ? textLiteral(value) : value}`
}
