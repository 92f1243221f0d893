import { type EventQuery, findEvents } from '@tapdeck/recording'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { type Exchange, IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const NODES = 3

/** Of a minute, so many calls to a service: every node sees some of them. */
function minute(
  of: number,
  service: string,
  count: number,
  make: (at: number) => Partial<Exchange> = () => ({}),
) {
  return Array.from(
    { length: count },
    (_, at): Exchange => ({
      at: DAWN + of * MINUTE + Math.floor((at * 59_000) / count) + 1,
      service,
      ...make(at),
    }),
  )
}

const exchanges = [
  ...minute(0, 'steady', 60, (at) => ({ latency: 5 + (at % 10) })),
  ...minute(1, 'steady', 60, (at) => ({ latency: 5 + (at % 10) })),
  ...minute(0, 'slow', 60, (at) => ({ latency: 5 + (at % 10) })),
  ...minute(1, 'slow', 60, (at) => ({ latency: 50 + (at % 10) })),
  ...minute(0, 'broken', 60),
  ...minute(1, 'broken', 60, (at) => ({ status: at % 2 === 0 ? 503 : 200 })),
  ...minute(0, 'vanished', 30),
  ...minute(1, 'arrived', 30),
  ...minute(1, 'rare', 3),
]

/** Some at the same time, also of different nodes. */
const events = Array.from({ length: 100 }, (_, at) => ({
  ts: DAWN + Math.floor(at / 4) * 1000,
  kind: 'os',
  type: at % 3 === 0 ? 'exec' : 'exit',
  pid: at,
  name: `process-${at % 7}`,
}))

/** The events of a node as its log answers for them. */
function eventsOf(some: typeof events): NonNullable<Answers['events']> {
  const log = Buffer.from(some.map((event) => `${JSON.stringify(event)}\n`).join(''))
  return async (query) => {
    const { events: found, total, more } = await findEvents([log], query as EventQuery, (line) => line)
    return { events: [...found], total, more }
  }
}

const workers: IndexWorker[] = []
let one: TestHub
let several: TestHub

async function addNode(hub: TestHub, node: string, part: (at: number) => boolean): Promise<void> {
  const worker = await IndexWorker.open(node)
  workers.push(worker)
  await worker.add(exchanges.filter((_, at) => part(at)))
  await hub.worker(node, { ...worker.answers, events: eventsOf(events.filter((_, at) => part(at))) })
}

beforeAll(async () => {
  one = await startHub()
  several = await startHub()
  await addNode(one, 'n0', () => true)
  for (let node = 0; node < NODES; node++)
    await addNode(several, `n${node}`, (at) => (at * 7) % NODES === node)
}, 120_000)

afterAll(async () => {
  await one?.stop()
  await several?.stop()
  for (const worker of workers) await worker.close()
})

type Json = Record<string, unknown>

/** Without what names a node. */
const withoutNodes = (events: readonly Json[]) => events.map(({ node: _, ...event }) => event)

describe('N nodes equal one', () => {
  const a = `a_start=${DAWN}&a_end=${DAWN + MINUTE}`
  const b = `b_start=${DAWN + MINUTE}&b_end=${DAWN + 2 * MINUTE}`

  it.each(['service', 'path', 'status', 'workload'])('diff by %s', async (by) => {
    const ask = async (hub: TestHub) => {
      const { json } = await hub.get(`/mcp/diff?${a}&${b}&group_by=${by}`)
      expect(json.missing_nodes).toBeUndefined()
      return JSON.parse(
        JSON.stringify(json, (key, value) => {
          // Other calls may be shown; there are as many of them.
          if (key === 'evidence') return value.length
          return typeof value === 'number' && !Number.isInteger(value) ? Number(value.toPrecision(9)) : value
        }),
      )
    }
    const answer = await ask(several)
    expect(answer).toEqual(await ask(one))
    if (by === 'service') expect(answer.counts).toMatchObject({ new: 1, gone: 1, slower: 1, failing_more: 1 })
  })

  it.each([
    '',
    '&order=oldest',
    '&type=exec',
    '&name=process-3&order=oldest',
    `&start=${DAWN + 5000}&end=${DAWN + 15_000}`,
  ])('events, page by page%s', async (query) => {
    const pages = async (hub: TestHub, limit: number) => {
      const all: Json[] = []
      const totals = new Set<number>()
      for (let cursor = ''; ; ) {
        const { json } = await hub.get(`/mcp/events?kind=os&limit=${limit}${query}${cursor}`)
        all.push(...withoutNodes(json.events))
        totals.add(json.total)
        if (json.next_cursor === null) return { all, totals: [...totals] }
        cursor = `&cursor=${encodeURIComponent(json.next_cursor)}`
      }
    }
    const whole = await pages(one, 1000)
    expect(whole.all.length).toBeGreaterThan(0)
    // Events of the same time come in the order of their nodes.
    const inOrder = ({ all, totals }: typeof whole) => ({
      totals,
      times: all.map(({ ts }) => ts),
      events: all.map((event) => JSON.stringify(event)).toSorted(),
    })
    for (const limit of [1, 7, 1000]) expect(inOrder(await pages(several, limit))).toEqual(inOrder(whole))
  })
})

it('a node that answers long after the others is named, and its part is missing', async () => {
  let answer = () => {}
  const late = new Promise<void>((resolve) => (answer = resolve))
  const nothing = { events: [], total: 0, more: false }
  await several.worker('stuck', { events: () => late.then(() => nothing) })
  const { json } = await several.get('/mcp/events?kind=os&limit=1000')
  expect(json.unavailable).toEqual([
    { node: 'stuck', reason: expect.stringContaining('did not answer when most') },
  ])
  expect(json.events).toHaveLength(events.length)
  answer()
})
