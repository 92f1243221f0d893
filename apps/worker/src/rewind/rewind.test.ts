import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerRequests } from '@tapdeck/api'
import type { Ring } from '@tapdeck/recording'
import { type BuiltPacket, Conversation, FLAG } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { Rewind } from './rewind.ts'
import type { HeldWindow } from './rewind-message.ts'
import { RECORDING_START, recorded, shopPackets } from './testing/recorded-shop.ts'

type Query = WorkerRequests['rewind']['input']
type Page = WorkerRequests['rewind']['output']
type Row = { readonly id: string; readonly ts: number; readonly path: string; readonly latency_ms?: number }

const KIB = 1024
const SMALL = { first: 256 * KIB, named: 256 * KIB, largest: 1024 * KIB }
const PLENTY = { time: 60_000, bytes: 1 << 30 }
const ALL: Query = {
  kfl: '',
  limit: 1000,
  order: 'newest',
  format: 'compact',
  start: RECORDING_START,
  end: RECORDING_START + 120_000,
}
const names = {
  pods: [
    { name: 'rare-1', namespace: 'odd', ips: ['10.9.9.9'] },
    { name: 'web-1', namespace: 'shop', ips: ['10.1.0.1'] },
  ],
  services: [],
}

let folder: string
let ring: Ring

function record(packets: readonly BuiltPacket[], indexed = true): void {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-rewind-'))
  ring = recorded(folder, packets, indexed)
}

function forget(): void {
  ring.close()
  rmSync(folder, { recursive: true })
}

function rewind(budget = PLENTY, slices = SMALL, now = () => 0): Rewind {
  const made = new Rewind({ node: 'n1', bodyBytes: 1024, budget }, now, slices)
  made.setInventory(names)
  return made
}

async function holding<Answer>(use: (held: HeldWindow) => Promise<Answer>): Promise<Answer> {
  const held = { parts: ring.hold(0, RECORDING_START * 2), oldest: ring.boundaries().oldest_ts }
  try {
    return await use(held)
  } finally {
    for (const { fd } of held.parts) closeSync(fd)
  }
}

const ask = (query: Partial<Query> = {}, made = rewind()): Promise<Page> =>
  holding((held) => made.calls(held, { ...ALL, ...query }))
const rows = ({ calls }: Page) => calls as Row[]
const paths = (page: Page) => rows(page).map(({ path }) => path)

async function pages(query: Partial<Query>, made = rewind()): Promise<Page[]> {
  const all = [await ask(query, made)]
  for (let page = all[0]!; page.next_cursor !== undefined && all.length < 500; all.push(page))
    page = await ask({ ...query, cursor: page.next_cursor }, made)
  return all
}

describe('of a minute of traffic', () => {
  beforeAll(() => record(shopPackets()))
  afterAll(forget)

  test('all calls are found, newest first, with any slice size', async () => {
    const whole = await ask({}, rewind(PLENTY, { first: 1 << 30, named: 1 << 30, largest: 1 << 30 }))
    const sliced = await ask()
    expect(rows(whole).length).toBe(252)
    expect(rows(sliced).map(({ ts, path, latency_ms }) => [ts, path, latency_ms])).toEqual(
      rows(whole).map(({ ts, path, latency_ms }) => [ts, path, latency_ms]),
    )
    const times = rows(sliced).map(({ ts }) => ts)
    expect(times).toEqual(times.toSorted((a, b) => b - a))
    expect(sliced).toMatchObject({ total: 252, total_is: 'exact', spent: false })
    expect(sliced.next_cursor).toBeUndefined()
    expect(rows(sliced).every(({ latency_ms = 0 }) => latency_ms > 0)).toBe(true)
  })

  test('finding the calls of one host reads little', async () => {
    const page = await ask({ kfl: 'src.ip == 10.9.9.9' })
    expect(paths(page)).toEqual(Array.from({ length: 12 }, (_, at) => `/rare/${11 - at}`))
    expect(page.rewind.restricted).toBe(true)
    expect(page.rewind.calls).toBe(12)
    expect(page.rewind.packets).toBeLessThan(200)
    const all = await ask({ kfl: 'path startsWith "/rare"' })
    expect(paths(all)).toEqual(paths(page))
    expect(all.rewind.restricted).toBe(false)
    expect(page.rewind.read_bytes).toBeLessThan(all.rewind.read_bytes)
  })

  test('a pod is found by its name; an unknown name reads nothing', async () => {
    expect(paths(await ask({ kfl: 'src.pod contains "rare"' })).length).toBe(12)
    const none = await ask({ kfl: 'src.pod == "unknown"' })
    expect(none).toMatchObject({ calls: [], total_is: 'exact', rewind: { read_bytes: 0, restricted: true } })
    expect(none.rewind.window_bytes).toBeGreaterThan(1_000_000)
  })

  test.each(['newest', 'oldest'] as const)('pages in order %s give each call once', async (order) => {
    const whole = await ask({ order })
    const all = await pages({ order, limit: 17 })
    expect(all.length).toBeGreaterThan(10)
    expect(all.flatMap(paths)).toEqual(paths(whole))
    expect(all[0]!.total_is).toBe('at_least')
  })

  test('the cursor of any call continues after it', async () => {
    const whole = await ask()
    const page = await ask({ limit: 60 })
    const rest = await ask({ cursor: page.cursors[9]! })
    expect(paths(rest)).toEqual(paths(whole).slice(10))
  })

  test('a byte budget ends an answer, and its cursor continues', async () => {
    const poor = rewind({ time: 60_000, bytes: 2000 * KIB })
    const first = await ask({}, poor)
    expect(first.spent).toBe(true)
    expect(first.rewind.searched_from).toBeGreaterThan(RECORDING_START)
    expect((await pages({}, poor)).flatMap(paths)).toEqual(paths(await ask()))
  })

  test('a time budget ends an answer after its first slice', async () => {
    let clock = 0
    const slow = rewind({ time: 1000, bytes: 1 << 30 }, SMALL, () => {
      clock += 600
      return clock
    })
    const first = await ask({}, slow)
    expect(first.spent).toBe(true)
    expect(first.calls.length).toBeGreaterThan(0)
    expect((await pages({}, slow)).flatMap(paths)).toEqual(paths(await ask()))
  })

  test('only calls that begin in the window are returned, with responses from after it', async () => {
    const page = await ask({
      kfl: 'src.ip == 10.9.9.9',
      start: RECORDING_START + 4000,
      end: RECORDING_START + 10_500,
    })
    const whole = rows(await ask({ kfl: 'src.ip == 10.9.9.9' })).filter(
      ({ ts }) => ts >= RECORDING_START + 4000 && ts <= RECORDING_START + 10_500,
    )
    expect(paths(page)).toEqual(whole.map(({ path }) => path))
    const cut = Math.ceil(rows(page)[0]!.ts)
    const last = await ask({ kfl: 'src.ip == 10.9.9.9', end: cut })
    expect(rows(last)[0]).toMatchObject({ path: paths(page)[0], latency_ms: expect.any(Number) })
  })

  test('a call is found by its id, also late in a long connection', async () => {
    for (const order of ['newest', 'oldest'] as const)
      for (const { id, path, ts } of rows(await ask({ order, limit: 30 }))) {
        const { call, complete } = await holding((held) => rewind().call(held, { id }))
        expect(call).toMatchObject({ id, path, ts, response: { status: 200 } })
        expect(complete).toBe(true)
      }
    for (const id of ['n1/12345/0', 'n1/x/y', 'nonsense', ''])
      expect(await holding((held) => rewind().call(held, { id }))).toEqual({ call: null, complete: true })
  })

  test('full calls have payloads, compact calls do not', async () => {
    const [full] = (await ask({ kfl: 'path == "/rare/3"', format: 'full' })).calls as { response: object }[]
    expect(full!.response).toMatchObject({ status: 200, body: 'x'.repeat(20) })
    const [compact] = rows(await ask({ kfl: 'path == "/rare/3"' }))
    expect(compact).not.toHaveProperty('response')
  })

  test.each(['', 'x', Buffer.from('1,2,3,4').toString('base64url')])(
    'a cursor that is none is refused: %j',
    async (cursor) => {
      await expect(ask({ cursor })).rejects.toMatchObject({ status: 400, code: 'bad_cursor' })
    },
  )

  test('a cursor of another query is refused', async () => {
    const { next_cursor } = await ask({ limit: 5 })
    const [sum] = Buffer.from(next_cursor!, 'base64url').toString().split(',')
    const beyond = Buffer.from(`${sum},0,1e300,1e300`).toString('base64url')
    await expect(ask({ limit: 5, cursor: beyond })).rejects.toMatchObject({ code: 'bad_cursor' })
    await expect(ask({ limit: 5, kfl: 'http', cursor: next_cursor! })).rejects.toMatchObject({
      code: 'bad_cursor',
    })
  })
})

test('segments without an index are searched completely', async () => {
  record(shopPackets(), false)
  expect(paths(await ask({ kfl: 'src.ip == 10.9.9.9' })).length).toBe(12)
  forget()
})

test('an empty recording gives an empty answer', async () => {
  record([])
  expect(await ask()).toMatchObject({ calls: [], total: 0, total_is: 'exact', rewind: { window_bytes: 0 } })
  forget()
})

test('calls learn what became known after them, also as lines of a list', async () => {
  const talk = new Conversation({ start: RECORDING_START * 1000, step: 1000, firstId: 1 }).handshake()
  const response = 'HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok'
  talk.send(0, 'GET /lost HTTP/1.1\r\nhost: shop\r\n\r\n').segment(1, FLAG.ack, response)
  talk.wait(250_000).segment(1, FLAG.ack, response, 5001)
  record(talk.packets)
  for (const format of ['compact', 'full'] as const)
    expect((await ask({ format })).calls).toMatchObject([
      { path: '/lost', status: 200, delivery: 'unacknowledged' },
    ])
  forget()
})
