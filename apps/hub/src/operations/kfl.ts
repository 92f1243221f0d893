import { type OperationInput, Problem } from '@tapdeck/api'
import { explainFilter } from '@tapdeck/index'
import { compile, complete, format, KflError, textLiteral } from '@tapdeck/kfl'
import { askMerged, type ObservedValue } from '@tapdeck/questions'
import type { CallSource } from '../query/call-source.ts'
import { SourceSet } from '../query/source-set.ts'
import { missingNotes } from './answer-notes.ts'
import { sourcesOf } from './calls.ts'
import type { Handler } from './handler.ts'

const MAX_PREFIX = 200

export const listKflFields: Handler<'list_kfl_fields'> = (_input, { catalog }) => ({
  fields: catalog.fields.map(({ name, type, path, doc, example }) => ({ name, type, path, doc, example })),
})

export const checkKfl: Handler<'check_filter'> = ({ kfl }, { catalog, now }) => {
  try {
    compile(kfl, catalog, now())
    return { valid: true, formatted: format(kfl) }
  } catch (error) {
    if (!(error instanceof KflError)) throw error
    const { message, position, length, expected, suggestion } = error
    return {
      valid: false,
      message,
      position,
      length,
      ...(expected && { expected: [...expected] }),
      ...(suggestion !== undefined && { suggestion }),
    }
  }
}

export const completeKfl: Handler<'complete_kfl'> = async (input, parts, { caller }) => {
  const { kfl, cursor, db } = input
  const { from, to, items, ...wanted } = complete(kfl, Math.min(cursor, kfl.length), parts.catalog)
  const plain = items.map(({ label, kind, doc }) => ({ label, kind, doc }))
  const needed = db === undefined ? 'dissection:live' : 'snapshot:read'
  if (wanted.valuesOf === undefined || !caller.capabilities.includes(needed))
    return { from, to, items: plain }
  try {
    const seen = await seenValues(wanted.valuesOf, wanted, input, sourcesOf(db, parts, caller))
    const values = seen.map(({ value, calls }) => ({
      label: wanted.quoted ? textLiteral(String(value)) : String(value),
      kind: 'value',
      doc: `seen in ${calls} calls`,
      calls,
    }))
    const rest = plain.filter(({ label }) => !values.some((value) => value.label === label))
    return {
      from,
      to,
      items: [...values, ...rest],
      values: values.length > 0 ? 'observed' : 'none',
      ...missingNotes(db, parts, caller, input),
    }
  } catch (error) {
    // An unknown database is the caller's mistake; a node that cannot answer must not block the editor.
    if (error instanceof Problem && error.status < 500 && error.code !== 'unknown_request') throw error
    return { from, to, items: plain, values: 'unavailable' }
  }
}

async function seenValues(
  field: string,
  { key, prefix = '' }: { readonly key?: string; readonly prefix?: string },
  { start, end, limit }: OperationInput<'complete_kfl'>,
  sources: readonly CallSource[],
): Promise<readonly ObservedValue[]> {
  const { values } = await askMerged(new SourceSet(sources), 'values', {
    field,
    ...(key !== undefined && { key }),
    prefix: prefix.slice(0, MAX_PREFIX),
    kfl: '',
    limit,
    ...(start !== undefined && { start }),
    ...(end !== undefined && { end }),
  })
  return values
}

export const explainKfl: Handler<'explain_kfl'> = ({ kfl }, { catalog, now }) => {
  const { where, exact, paths, parts } = explainFilter(compile(kfl, catalog, now()), catalog)
  return {
    formatted: format(kfl),
    exact,
    where,
    reads: [...paths],
    parts: parts.map((part) => ({
      kfl: part.text,
      pushed: part.exact ? 'all' : part.where === 'true' ? 'none' : 'part',
      where: part.where,
      reads: [...part.paths],
    })),
  }
}
