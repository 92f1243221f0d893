import { type ChildProcess, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** The usage sequence of an assistant, step by step, against a real shop: what happened while indexing was off is found later. */

const questions = [
  'dst.svc == "inventory" and response.status == 500',
  'src.pod contains "frontend" and request.path contains "/products"',
  'http && status_code >= 400',
  'dns and response.status == "NXDOMAIN"',
] as const

const products = 'http and request.path contains "/products"'

interface Row {
  readonly id: string
  readonly src: { readonly pod?: string; readonly svc?: string }
  readonly dst: { readonly pod?: string; readonly svc?: string }
  readonly path?: string
  readonly status?: number | string
}

let tapdeck: RunningTapdeck
let shop: ChildProcess
/** From here on the names of the shop are known everywhere. */
let named: number
/** The shop is closed; what others on this machine say later is not in the snapshot. */
let closed: number | undefined

beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.capture.dissection.stopAfter=0'])
  const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
  const broken = ['demo', '--url', tapdeck.url, '--rate', '20', '--healthy-for', '0']
  shop = spawn(process.execPath, [command, ...broken], { stdio: 'ignore' })
  await until(async () => (await live(questions[0])).length > 0)
  // A call that ended before its names were known has none in the live index; a dissection names it.
  await until(async () => {
    named = Date.now()
    await until(async () => (await live(products)).length >= 40)
    return (await live(products)).every(({ src, dst }) => src.pod !== undefined && dst.svc !== undefined)
  })
  for (const kfl of questions) await until(async () => (await live(kfl)).length > 0)
})

afterAll(async () => {
  shop?.kill('SIGTERM')
  await tapdeck?.stop()
})

const live = (kfl: string) => search(kfl)
const dissected = (kfl: string) => search(kfl, 'incident-1/all')

async function search(kfl: string, db?: string): Promise<Row[]> {
  const query = new URLSearchParams({
    kfl,
    limit: '1000',
    start: String(named ?? 0),
    ...(closed === undefined ? {} : { end: String(closed) }),
    ...(db === undefined ? {} : { db }),
  })
  return ((await tapdeck.get(`/mcp/calls?${query}`)) as { calls?: Row[] }).calls ?? []
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await holds()) return
    await sleep(250)
  }
  throw new Error('it did not come to that in a minute')
}

async function statusOf(path: string): Promise<string> {
  return ((await tapdeck.get(path)) as { status: string }).status
}

test('a window of the past becomes a snapshot, is dissected, and has the same calls as the live index', async () => {
  const boundaries = (await tapdeck.get('/mcp/data-boundaries')) as {
    nodes: { oldest_ts: number; newest_ts: number; dropped_packets: number }[]
  }
  expect(boundaries.nodes).toHaveLength(1)
  expect(boundaries.nodes[0]!.oldest_ts).toBeLessThan(boundaries.nodes[0]!.newest_ts)
  expect(boundaries.nodes[0]!.dropped_packets).toBe(0)

  shop.kill('SIGTERM')
  closed = Date.now() + 500
  await sleep(2000)
  expect(await tapdeck.post('/mcp/snapshots', { name: 'incident-1', duration: '1h' })).toMatchObject({
    success: true,
    name: 'incident-1',
    status: 'in_progress',
  })
  await until(async () => (await statusOf('/mcp/snapshots/incident-1')) === 'completed')
  expect(await tapdeck.get('/mcp/snapshots/incident-1')).toMatchObject({ node_count: 1, partial: true })

  await until(
    async () => ((await tapdeck.get('/mcp/snapshots/incident-1')) as { verified: boolean }).verified,
  )

  const start = '/delayed_dissection.DelayedDissection/Start'
  expect(await tapdeck.post(start, { snapshot_name: 'incident-1', dissection_name: 'all' })).toMatchObject({
    success: true,
  })
  await until(async () => (await statusOf('/delayed_dissection.DelayedDissection/GetStatus')) === 'completed')

  for (const kfl of questions) {
    const then = await live(kfl)
    const later = await dissected(kfl)
    expect(later.length, kfl).toBeGreaterThan(0)
    expect(new Set(later.map((call) => call.id)), kfl).toEqual(new Set(then.map((call) => call.id)))
  }
})

test('names are those of the pods and services, on both sides', async () => {
  const [call] = await dissected(questions[0])
  expect(call?.src.pod).toMatch(/^checkout/)
  expect(call?.dst.svc).toBe('inventory')
  expect(call?.dst.pod).toMatch(/^inventory/)
})
