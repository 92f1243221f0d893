import type { CatalogField } from '@tapdeck/kfl'
import { z } from 'zod'
import { topRows } from './merge/top-rows.ts'
import { count, list } from './message-values.ts'
import type { AnswerSources, Compiled, Input, Output, Question } from './question.ts'
import { approximate, kfl, limit, MAX_ROWS, MIB, owners, times } from './terms.ts'

const input = z.object({
  field: z.string(),
  /** Of a map, which of its entries. */
  key: z.string().exactOptional(),
  /** Only values with this in them, in any case. */
  prefix: z.string(),
  /** Only in calls that match. */
  kfl,
  limit,
  ...times,
  /** Only values of at least so many calls; only these values, as text. */
  at_least: count.exactOptional(),
  only: list(z.string(), MAX_ROWS).exactOptional(),
  owners,
})
const value = z.object({ value: z.union([z.string(), z.number(), z.boolean()]), calls: count })
const output = z.object({ values: list(value, MAX_ROWS), approximate })

export type ObservedValue = Readonly<z.output<typeof value>>

/** The values that a field has had: suggestions for a filter. */
export interface ValuesQuery extends Omit<Compiled<z.output<typeof input>>, 'field'> {
  readonly field: CatalogField
}

declare module './question.ts' {
  interface Questions {
    values: Asked<typeof input, typeof output>
  }
  interface CallReader {
    /** The most frequent values of a field among the newest calls, as far as a bound allows. */
    values(query: ValuesQuery): Promise<readonly ObservedValue[]>
  }
}

export const values: Question<'values'> = {
  input,
  output,
  largest: 16 * MIB,
  inTurn: true,
  isOwned: true,

  async answer(index, { kfl, owners, field: name, ...query }, { filter, catalog }) {
    const field = catalog.find(name)
    if (field === undefined) return { values: [] }
    return { values: await index.values({ ...query, field, filter: filter(kfl, owners) }) }
  },

  merge: mergeValues,

  narrow: (input, { ask, filter }) => ask('values', { ...input, kfl: filter(input.kfl, input.field) }),

  async redact(input, { ask, allow, allowField, names }) {
    allow(input.kfl)
    allowField(input.field)
    const only = input.only?.flatMap((value) => names.originals(value))
    const { values, ...page } = await ask('values', { ...input, ...(only && { only }) })
    const part = input.prefix.toLowerCase()
    return {
      ...page,
      values: values
        .map(({ value, calls }) => ({
          value: typeof value === 'string' ? names.redact(value) : value,
          calls,
        }))
        // A value that only matches by what is hidden would confirm a guess.
        .filter(({ value }) => String(value).toLowerCase().includes(part)),
    }
  },
}

/** The most frequent values over several sources. */
async function mergeValues(sources: AnswerSources, input: Input<'values'>): Promise<Output<'values'>> {
  const { rows, approximate } = await topRows<ObservedValue>(
    {
      sources: sources.count,
      combine: 'sum',
      key: ({ value }) => `${typeof value} ${value}`,
      score: ({ calls }) => calls,
      async ask({ limit, atLeast, only }, at) {
        const asked = {
          ...input,
          limit,
          ...(atLeast !== undefined && { at_least: Math.ceil(atLeast) }),
          ...(only && { only: only.map(({ value }) => String(value)) }),
        }
        const answers = await sources.ask('values', asked, at)
        return new Map([...answers].map(([source, { values }]) => [source, values]))
      },
    },
    input.limit,
  )
  const values = [...rows.values()].map((of) => {
    const all = [...of.values()]
    return { value: all[0]!.value, calls: all.reduce((sum, { calls }) => sum + calls, 0) }
  })
  values.sort((a, b) => b.calls - a.calls || (String(a.value) < String(b.value) ? -1 : 1))
  return { values: values.slice(0, input.limit), ...(approximate && { approximate: true as const }) }
}
