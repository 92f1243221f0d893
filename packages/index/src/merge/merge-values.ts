import type { ObservedValue } from '../call-index.ts'
import type { AnswerSources, Input, Output } from './answer-sources.ts'
import { topRows } from './top-rows.ts'

/** The most frequent values over several sources. */
export async function mergeValues(sources: AnswerSources, input: Input<'values'>): Promise<Output<'values'>> {
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
