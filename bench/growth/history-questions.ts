import type { CallIndex } from '@tapdeck/index'
import { type Catalog, compile } from '@tapdeck/kfl'
import { below } from '../made-calls.ts'

/** Those of a page and of one call should not depend on the size of the history; the others look at all calls or flows. */
export const pageQuestions = [
  'newest 100',
  'newest 100, in full',
  'newest 100, two conditions',
  '100 in the middle, in full',
  'one call by id',
]
export const wholeQuestions = [
  'path that does not occur',
  'percentiles by service',
  'errors over time',
  'first 100 flows',
]

/** How many calls of any time are asked for by id. */
const SAMPLES = 51
const WINDOW_MS = 60_000

export async function historyQuestions(
  index: CallIndex,
  catalog: Catalog,
): Promise<Readonly<Record<string, () => Promise<unknown>>>> {
  const filter = (text: string) => compile(text, catalog)
  const everything = filter('')
  const newest = { limit: 100, order: 'newest' as const, filter: everything }
  const { oldest_ts, newest_ts } = await index.summary()
  if (oldest_ts === null || newest_ts === null) throw new Error('The index is empty.')
  const span = newest_ts - oldest_ts
  const ids: string[] = []
  while (ids.length < SAMPLES) {
    const end = oldest_ts + span * (below(1_000_000) / 1_000_000)
    ids.push(...(await index.calls({ ...newest, limit: 1, end })).calls.map(({ id }) => id))
  }
  const inFull = async (query: Parameters<CallIndex['calls']>[0]) =>
    JSON.stringify((await index.calls({ ...query, flows: true })).calls)
  const middle = oldest_ts + span / 2
  let next = 0
  return {
    'newest 100': () => index.calls(newest),
    'newest 100, in full': () => inFull(newest),
    'newest 100, two conditions': () =>
      index.calls({
        ...newest,
        filter: filter(`dst.svc == "svc-${next++ % 37}" and response.status >= 500`),
      }),
    '100 in the middle, in full': () => inFull({ ...newest, start: middle, end: middle + WINDOW_MS }),
    'one call by id': async () => JSON.stringify(await index.call(ids[next++ % SAMPLES])),
    'path that does not occur': () => index.count(filter(`path contains "/zzz${below(1e9)}"`), {}),
    'percentiles by service': () => index.stats({ filter: everything, group_by: 'service', limit: 100 }),
    'errors over time': () => index.stats({ filter: everything, group_by: 'time', limit: 200 }),
    'first 100 flows': () => index.flows({ limit: 100, order: 'bytes' }),
  }
}
