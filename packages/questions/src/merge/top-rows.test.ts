import fc from 'fast-check'
import { expect, test } from 'vitest'
import { type Ranking, type TopRows, topRows } from './top-rows.ts'

interface Row {
  readonly name: string
  readonly score: number
}

/** Sources in memory, which also count the rows that they gave. */
function ranking(sources: readonly (readonly Row[])[], combine: 'sum' | 'max') {
  const given = { rows: 0 }
  const made: Ranking<Row> = {
    sources: sources.length,
    combine,
    key: ({ name }) => name,
    score: ({ score }) => score,
    async ask({ limit, atLeast = 0, only }, at = [...sources.keys()]) {
      const wanted = only && new Set(only.map(({ name }) => name))
      return new Map(
        at.map((place) => {
          const rows = sources[place]!.filter(
            ({ name, score }) => score >= atLeast && (wanted?.has(name) ?? true),
          )
            .toSorted((a, b) => b.score - a.score)
            .slice(0, limit)
          given.rows += rows.length
          return [place, rows]
        }),
      )
    },
  }
  return { made, given }
}

function ranked(rows: TopRows<Row>['rows'], combine: 'sum' | 'max', limit: number) {
  return [...rows]
    .map(([name, of]) => {
      const scores = [...of.values()].map(({ score }) => score)
      return { name, score: combine === 'max' ? Math.max(...scores) : scores.reduce((a, b) => a + b, 0) }
    })
    .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
    .slice(0, limit)
}

const anySources = fc.array(
  fc
    .uniqueArray(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 40 })), {
      selector: ([name]) => name,
      maxLength: 200,
    })
    .map((rows) => rows.map(([name, score]) => ({ name: `n${name}`, score }))),
  { minLength: 2, maxLength: 8 },
)

test.each(['sum', 'max'] as const)('the first rows by %s are those of all rows together', async (combine) => {
  await fc.assert(
    fc.asyncProperty(anySources, fc.integer({ min: 1, max: 120 }), async (sources, limit) => {
      const all = new Map<string, Map<number, Row>>()
      for (const [place, rows] of sources.entries())
        for (const row of rows) all.set(row.name, (all.get(row.name) ?? new Map()).set(place, row))
      const { rows, approximate } = await topRows(ranking(sources, combine).made, limit)
      expect(approximate).toBe(false)
      expect(ranked(rows, combine, limit)).toEqual(ranked(all, combine, limit))
    }),
    { seed: 7, numRuns: 60, endOnFailure: true },
  )
})

test('a key that is first at no source is found where its sum is the largest', async () => {
  const sources = [1, 2, 3].map((place) => [
    { name: `own-${place}`, score: 10 },
    { name: 'everywhere', score: 9 },
  ])
  const { rows } = await topRows(ranking(sources, 'sum').made, 1)
  expect(ranked(rows, 'sum', 1)).toEqual([{ name: 'everywhere', score: 27 }])
})

test('few rows are fetched from many sources, and not all of them', async () => {
  const sources = Array.from({ length: 100 }, (_, place) =>
    Array.from({ length: 2000 }, (_, i) => ({ name: `r${i * ((place % 3) + 1)}`, score: 10_000 / (i + 1) })),
  )
  const { made, given } = ranking(sources, 'sum')
  const { approximate } = await topRows(made, 10)
  expect(approximate).toBe(false)
  expect(given.rows).toBeLessThan(20_000)
})

test('an answer that would need too many rows is approximate', async () => {
  const sources = Array.from({ length: 40 }, (_, place) =>
    Array.from({ length: 6000 }, (_, i) => ({ name: `s${place}-${i}`, score: 1 + (i === 0 ? 1 : 0) })),
  )
  const { approximate } = await topRows(ranking(sources, 'sum').made, 41)
  expect(approximate).toBe(true)
})
