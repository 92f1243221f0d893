import { expect, test } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import type { CallPage, CallPageQuery } from '../client/hub.ts'
import { HubProblem } from '../client/hub-problem.ts'
import { CallFeed } from './call-feed.ts'
import { fakeFrames } from './testing/frames.ts'

fakeFrames()

const peer = { ip: '10.0.0.1', port: 80 }
const call = (ts: number): CompactCall => ({ id: `n/${ts}/0`, ts, src: peer, dst: peer, proto: 'http' })
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, i) => call(from + i))
const times = (feed: CallFeed) => Array.from({ length: feed.list.length }, (_, row) => feed.list.at(row)!.ts)

/** An index of calls with times 1 to `newest`, paged as the hub does it. */
function index(newest: number) {
  const asked: CallPageQuery[] = []
  return {
    asked,
    grow: (to: number) => {
      newest = to
    },
    fetchPage: async (query: CallPageQuery): Promise<CallPage> => {
      asked.push(query)
      const to = query.cursor ? Number(query.cursor) : newest
      const from = Math.max(1, to - query.limit + 1)
      return {
        calls: range(from, to).reverse() as CallPage['calls'],
        total: newest,
        total_is: 'exact',
        truncated: from > 1,
        next_cursor: from > 1 ? String(from - 1) : null,
      }
    },
  }
}

test('the latest page comes first, older ones by cursor until there is no more', async () => {
  const hub = index(450)
  const feed = new CallFeed({ db: 'shop/all', kfl: 'proto == "http"' }, hub.fetchPage)
  await feed.load()
  expect(times(feed)[0]).toBe(450)
  expect(feed.list.length).toBe(200)
  await feed.loadOlder()
  await feed.loadOlder()
  expect(feed.list.length).toBe(450)
  expect(feed.hasOlder).toBe(false)
  await feed.loadOlder()
  expect(hub.asked).toHaveLength(3)
  expect(hub.asked[2]).toMatchObject({ db: 'shop/all', kfl: 'proto == "http"', cursor: '50' })
})

test('all older calls are loaded to the end, which a failure stops', async () => {
  const hub = index(1050)
  const feed = new CallFeed({ db: 'shop/all', kfl: '' }, hub.fetchPage)
  await feed.load()
  await feed.loadAll()
  expect([feed.list.length, feed.hasOlder]).toEqual([1050, false])
  await feed.loadAll()
  expect(hub.asked).toHaveLength(6)

  const broken = index(1050)
  const failing = new CallFeed({ db: 'shop/all', kfl: '' }, (query) =>
    query.cursor === '650' ? Promise.reject(HubProblem.unreachable()) : broken.fetchPage(query),
  )
  await failing.load()
  await failing.loadAll()
  expect([failing.list.length, failing.phase]).toEqual([400, 'failed'])
})

test('streamed calls and fetched ones join without doubles', async () => {
  const hub = index(10)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  await feed.load()
  feed.accept([call(12)], { skipped: 3, from: 10, to: 11 })
  feed.accept([], { skipped: 1, from: 8, to: 10 })
  hub.grow(12)
  await feed.catchUp()
  expect(times(feed)).toEqual([12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1])
  expect([feed.skipped, feed.skippedTime]).toEqual([4, { start: 8, end: 11 }])
})

test('older rows go on from where a catch-up came to, not from where the first page ended', async () => {
  const hub = index(2000)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  await feed.load()
  await feed.catchUp()
  expect(feed.list.length).toBe(1000)
  await feed.loadOlder()
  expect(feed.list.length).toBe(1200)
  expect(hub.asked.at(-1)).toMatchObject({ cursor: '1000' })
  hub.grow(2010)
  await feed.catchUp()
  await feed.loadOlder()
  expect(times(feed).at(-1)).toBe(601)
})

test('after a break longer than one answer the older rows give way, so that there is no silent hole', async () => {
  const hub = index(100)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  await feed.load()
  feed.breakOff()
  hub.grow(5000)
  feed.accept([call(5001)], { skipped: 0 })
  await feed.catchUp()
  expect([times(feed)[0], times(feed).at(-1)]).toEqual([5001, 4001])
  await feed.loadOlder()
  expect(times(feed).at(-1)).toBe(3801)
})

test('after a short break, and after none, every row stays', async () => {
  const hub = index(100)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  await feed.load()
  feed.breakOff()
  hub.grow(700)
  await feed.catchUp()
  expect(times(feed)).toHaveLength(700)
  hub.grow(5000)
  await feed.catchUp()
  expect(times(feed).at(-1)).toBe(1)
})

test('cleared calls stay away; new ones come', async () => {
  const hub = index(10)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  await feed.load()
  feed.clear()
  hub.grow(11)
  await feed.catchUp()
  expect(times(feed)).toEqual([11])
})

test('a failure is kept until an answer comes', async () => {
  let broken = true
  const hub = index(3)
  const feed = new CallFeed({ db: undefined, kfl: '' }, async (query) => {
    if (broken) throw new HubProblem(503, { detail: 'no worker' })
    return hub.fetchPage(query)
  })
  await feed.load()
  expect([feed.phase, feed.problem?.message]).toEqual(['failed', 'no worker'])
  broken = false
  await feed.catchUp()
  expect([feed.phase, feed.problem, feed.list.length]).toEqual(['ready', undefined, 3])
})

test('an answer that comes after the feed was left is dropped', async () => {
  const hub = index(3)
  const feed = new CallFeed({ db: undefined, kfl: '' }, hub.fetchPage)
  const loading = feed.load()
  feed.dispose()
  await loading
  expect(feed.list.length).toBe(0)
})

test('rows are numbered only where no call can come on top: a window without an end grows', async () => {
  const sources = [
    { db: 'shop/all', kfl: '' },
    { db: undefined, kfl: '', start: 1, end: 450 },
    { db: undefined, kfl: '', start: 1 },
  ]
  const feeds = sources.map((source) => new CallFeed(source, index(450).fetchPage))
  for (const feed of feeds) await feed.load()
  expect(feeds.map(({ pages }) => pages?.length)).toEqual([450, 450, undefined])
})
