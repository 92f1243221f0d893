import { expect, it } from 'vitest'
import { z } from 'zod'
import { filterText, keptFilter, textsIn } from './filter-text.ts'
import { type OperationName, operations } from './operations/index.ts'

/** Names that a filter has in an answer. A filter under another name is found by the planted ones of the attack matrix. */
const NAMES = /^(kfl|formatted|filter|query|where_kfl)$|_(kfl|filter)$/

const texts = (Object.keys(operations) as OperationName[]).flatMap((name) =>
  textsIn(operations[name].output).map(({ path, origin }) => ({
    at: [name, ...path].join('.'),
    isNamedSo: NAMES.test(path.at(-1) ?? ''),
    origin,
  })),
)

it('every filter in an answer of an operation says whose it is', () => {
  expect(texts.length).toBeGreaterThan(300)
  expect(texts.filter(({ isNamedSo, origin }) => isNamedSo !== (origin !== undefined))).toEqual([])
})

it('a filter is found wherever it is in a shape', () => {
  const shape = z.object({
    list: z.array(z.object(keptFilter)).optional(),
    map: z.record(z.string(), z.union([z.number(), filterText('made').nullable()])),
    choice: z.discriminatedUnion('kind', [
      z.looseObject({ kind: z.literal('a'), kfl: filterText('given').describe('x') }),
      z.object({ kind: z.literal('b') }),
    ]),
  })
  const found = textsIn(shape).filter(({ origin }) => origin !== undefined)
  expect(found).toEqual([
    { path: ['list', '*', 'kfl'], origin: 'kept' },
    { path: ['map', '*'], origin: 'made' },
    { path: ['choice', 'kfl'], origin: 'given' },
  ])
})
