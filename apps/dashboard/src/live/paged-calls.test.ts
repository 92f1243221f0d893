import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import type { CallPage, CallPageQuery } from '../client/hub.ts'
import { PagedCalls } from './paged-calls.ts'

const peer = { ip: '10.0.0.1', port: 80 }

/** An index of calls, paged as the hub does it. Call 0 is the oldest. */
function hub(times: readonly number[]) {
  const calls = times.map(
    (ts, i): CompactCall => ({ id: `n/${i}/0`, ts, src: peer, dst: peer, proto: 'http' }),
  )
  const asked: CallPageQuery[] = []
  const state = { fails: false }
  const fetchPage = async (query: CallPageQuery): Promise<CallPage> => {
    asked.push(query)
    if (state.fails) throw new Error('no answer')
    const { start = Number.NEGATIVE_INFINITY, end = Number.POSITIVE_INFINITY } = query
    const matching = calls.filter(({ ts }) => ts >= start && ts <= end)
    if (query.order !== 'oldest') matching.reverse()
    const from = query.cursor ? matching.findIndex(({ id }) => id === query.cursor) + 1 : 0
    const page = matching.slice(from, from + query.limit)
    const more = from + page.length < matching.length
    return {
      calls: page as unknown as CallPage['calls'],
      total: matching.length,
      total_is: 'exact',
      truncated: more,
      next_cursor: more ? page.at(-1)!.id : null,
    }
  }
  const open = async () => {
    const problems: unknown[] = []
    const source = { db: 'shop/all', kfl: '' }
    const pages = new PagedCalls(source, await fetchPage({ ...source, limit: 200 }), {
      fetchPage,
      signal: new AbortController().signal,
      onChange: () => {},
      onProblem: (problem) => problems.push(problem),
    })
    asked.length = 0
    return { pages, problems }
  }
  return { asked, open, state }
}

const evenly = (count: number) => Array.from({ length: count }, (_, i) => 1_767_268_800_000 + i * 3)
const idAt = (row: number, count: number) => `n/${count - 1 - row}/0`

test('any row is found, in few questions, and only rows near the view are kept', async () => {
  const { asked, open } = hub(evenly(60_000))
  const { pages } = await open()
  expect(pages.length).toBe(60_000)
  for (const row of [45_000, 3, 59_999, 20_123, 50_000]) {
    asked.length = 0
    expect((await pages.load(row))?.id).toBe(idAt(row, 60_000))
    expect(asked.length).toBeLessThan(8)
  }
  for (let row = 0; row < 24_000; row += 400) await pages.load(row)
  await expect.poll(() => pages.kept).toBeLessThanOrEqual(12_000)
  expect(pages.at(23_600)?.id).toBe(idAt(23_600, 60_000))
  expect(pages.at(50_000)).toBeUndefined()
})

test('a view is filled from edge to edge, and scrolling on goes by cursor', async () => {
  const { asked, open } = hub(evenly(5000))
  const { pages } = await open()
  await pages.load(2300)
  pages.show(2300, 2340)
  await expect.poll(() => pages.at(2340)).toBeDefined()
  asked.length = 0
  for (let row = 2341; row < 4000; row += 40) await pages.load(row)
  expect(asked.every(({ cursor }) => cursor !== undefined)).toBe(true)
  for (let row = 2300; row < 3980; row++) expect(pages.at(row)?.id).toBe(idAt(row, 5000))
})

test('thousands of calls in one microsecond are read one page after the other', async () => {
  const { open } = hub([...evenly(3000), ...Array.from({ length: 5000 }, () => 1_767_268_900_000)])
  const { pages } = await open()
  expect((await pages.load(4700))?.id).toBe(idAt(4700, 8000))
  expect((await pages.load(7999))?.id).toBe(idAt(7999, 8000))
  expect((await pages.load(5400))?.id).toBe(idAt(5400, 8000))
})

test('a failure is reported once, and asked again when the view moves', async () => {
  const { asked, open, state } = hub(evenly(5000))
  const { pages, problems } = await open()
  state.fails = true
  pages.show(3000, 3040)
  await expect.poll(() => problems.length).toBe(1)
  pages.show(3000, 3040)
  expect(asked).toHaveLength(1)
  state.fails = false
  expect((await pages.load(3001))?.id).toBe(idAt(3001, 5000))
})

test('whatever the times and the order of visits, every row shows its call', async () => {
  const gaps = fc.array(fc.constantFrom(0, 0.001, 0.02, 5, 9000), { minLength: 1300, maxLength: 1800 })
  const visits = fc.array(fc.nat({ max: 1299 }), { minLength: 1, maxLength: 12 })
  await fc.assert(
    fc.asyncProperty(gaps, visits, async (steps, rows) => {
      let time = 1_767_268_800_000
      const times = steps.map((gap) => (time += gap))
      const { pages } = await hub(times).open()
      for (const row of rows) expect((await pages.load(row))?.id).toBe(idAt(row, times.length))
      expect(pages.length).toBe(times.length)
    }),
    { numRuns: 40 },
  )
})
