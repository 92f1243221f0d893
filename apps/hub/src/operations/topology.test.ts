import { afterAll, beforeAll, expect, it } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { type Exchange, IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000

let hub: TestHub
const workers: IndexWorker[] = []

/** So many calls, spread over the minute of this number. */
function minute(of: number, count: number, exchange: Omit<Exchange, 'at'>): Exchange[] {
  return Array.from({ length: count }, (_, at) => ({
    at: DAWN + of * MINUTE + Math.floor((at * (MINUTE - 1000)) / count) + 1,
    ...exchange,
  }))
}

beforeAll(async () => {
  const [one, two] = [await IndexWorker.open('n1'), await IndexWorker.open('n2')]
  workers.push(one, two)
  await one.add([
    ...minute(0, 40, { client: 'web', service: 'orders' }),
    ...minute(1, 40, { client: 'web', service: 'orders', status: 503 }),
    ...minute(0, 30, { client: 'orders', service: 'stock' }),
    ...minute(1, 30, { client: 'orders', service: 'stock', latency: 90 }),
    ...minute(0, 30, { client: 'web', service: 'gone' }),
  ])
  await two.add([
    ...minute(0, 20, { client: 'web', service: 'orders' }),
    ...minute(1, 30, { client: 'web', service: 'arrived' }),
    ...minute(1, 5, { client: 'secret', service: 'vault', ns: 'bank' }),
  ])
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.narrow.capabilities={dissection:live}',
      'tap.auth.roles.narrow.namespaces={shop}',
    ],
  })
  await hub.worker('n1', one.answers)
  await hub.worker('n2', two.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  for (const worker of workers) await worker.close()
})

const admin = () => giveToken(hub.folder, 'svc-admin').headers

interface Edge {
  src: string
  dst: string
  calls: number
  changes?: { kind: string }[]
}

it('returns nodes and edges with calls, errors, latencies and protocols, of all nodes together', async () => {
  const { status, json } = await hub.get('/api/topology', admin())
  expect(status).toBe(200)
  expect(json.edges.map(({ src, dst, calls }: Edge) => [src, dst, calls])).toEqual([
    ['shop/web', 'shop/orders', 100],
    ['shop/orders', 'shop/stock', 60],
    ['shop/web', 'shop/arrived', 30],
    ['shop/web', 'shop/gone', 30],
    ['bank/secret', 'bank/vault', 5],
  ])
  const [orders, stock] = json.edges
  expect(orders).toMatchObject({ errors: 40, error_rate: 0.4, protocols: { http: 100 }, unanswered: 0 })
  expect(stock.latency_p50_ms).toBeGreaterThan(4)
  expect(stock.latency_p99_ms).toBeGreaterThan(80)
  expect(json.nodes.find(({ id }: { id: string }) => id === 'shop/orders')).toEqual({
    id: 'shop/orders',
    name: 'orders',
    ns: 'shop',
    kind: 'service',
    calls_in: 100,
    errors_in: 40,
    calls_out: 60,
    errors_out: 0,
  })
  const { json: page } = await hub.get(`/api/calls?kfl=${encodeURIComponent(orders.kfl)}&limit=1`, admin())
  expect(page.total).toBe(100)
})

it('marks what is new, gone, slower and failing more than in the baseline, changed edges first', async () => {
  const { json } = await hub.get(
    `/api/topology?start=${DAWN + MINUTE}&baseline_start=${DAWN}&baseline_end=${DAWN + MINUTE}`,
    admin(),
  )
  const kinds = json.edges.map(({ dst, changes }: Edge) => [dst, changes?.map(({ kind }) => kind)])
  expect(Object.fromEntries(kinds)).toEqual({
    'shop/orders': ['failing_more'],
    'shop/stock': ['slower'],
    'shop/arrived': ['new'],
    'shop/gone': ['gone'],
    'bank/vault': undefined,
  })
  expect(json.edges.at(-1).dst).toBe('bank/vault')
})

it('says how many edges it leaves out', async () => {
  const { json } = await hub.get('/api/topology?limit=2', admin())
  expect(json.edges).toHaveLength(2)
  expect(json.omitted).toMatchObject({ edges: 3, calls: 65 })
})

it('shows a caller of one namespace nothing of another, and refuses a window that ends before it begins', async () => {
  const { headers } = giveToken(hub.folder, 'narrow')
  const { text } = await hub.get('/api/topology', headers)
  expect(text).toContain('shop/orders')
  expect(text).not.toMatch(/vault|secret|bank/)
  const wrong = `baseline_start=${DAWN + 1}&baseline_end=${DAWN}`
  expect((await hub.get(`/api/topology?${wrong}`, admin())).status).toBe(400)
})

it('statistics take several dimensions and any column to sort by', async () => {
  const { json } = await hub.get('/api/stats?group_by=src_service,service&sort=errors&limit=2', admin())
  expect(json.groups).toHaveLength(2)
  expect(json.groups[0]).toMatchObject({
    group: 'web, orders',
    parts: [
      { by: 'src_service', group: 'web', ns: 'shop' },
      { by: 'service', group: 'orders', ns: 'shop' },
    ],
    calls: 100,
    errors: 40,
    unanswered: 0,
  })
  const kfl = encodeURIComponent(json.groups[0].kfl)
  expect((await hub.get(`/api/calls?limit=1&kfl=${kfl}`, admin())).json.total).toBe(100)
  const { json: times } = await hub.get('/api/stats?group_by=time,service&limit=1000', admin())
  const order = times.groups.map(({ parts }: { parts: { group: string }[] }) => parts[0]?.group)
  expect(order).toEqual(order.toSorted())
  for (const wrong of ['src,src', 'nothing', 'src,dst,proto,path', ''])
    expect((await hub.get(`/api/stats?group_by=${wrong}`, admin())).status).toBe(400)
})
