import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Live } from '../live/live.ts'
import { DAWN, recorded, shopPackets } from './testing/recorded-shop.ts'

let folder: string
let ring: Ring
let live: Live
const packets = shopPackets(24, 2000)
/** Indexing is turned on in the middle of the minute. */
const NOON = (DAWN + 30_000) * 1000
const before = packets.filter(({ time }) => time < NOON)
const after = packets.filter(({ time }) => time >= NOON)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-backfill-'))
  ring = recorded(join(folder, 'ring'), packets)
  const targets = { regex: '.*', namespaces: [], excludedNamespaces: [] }
  live = new Live(
    { node: 'n1', folder: join(folder, 'live'), maxBytes: 0, bodyBytes: 1024, targets },
    () => {},
  )
})
afterEach(async () => {
  await live.close()
  ring.close()
  rmSync(folder, { recursive: true })
})

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

function push(some: readonly BuiltPacket[]): void {
  const writer = new PcapngWriter()
  for (const { data, time } of some) writer.packet(0, time, data, 0, data.length, data.length)
  live.push(writer.take())
}

async function backfill(since = DAWN) {
  const held = { parts: ring.hold(0, DAWN * 2), oldest: DAWN }
  try {
    return await live.backfill(held, since)
  } finally {
    for (const { fd } of held.parts) closeSync(fd)
  }
}

/** In the middle of an exchange, between its request and its answer. */
const UNDER_WAY = packets.find(({ data }) => Buffer.from(data).includes('GET /late/10 '))!.time + 10_000
const sinceThen = packets.filter(({ time }) => time >= UNDER_WAY)
const isAnswer = ({ data }: BuiltPacket) => Buffer.from(data).includes('HTTP/1.1 200')

interface Indexed {
  readonly path?: string
  readonly status?: number
  readonly ts: number
  readonly error?: string
}

async function indexed(): Promise<Indexed[]> {
  const answer = await live.query('calls', { kfl: 'http', limit: 1000, order: 'oldest', format: 'compact' })
  return JSON.parse(answer).calls
}

test('what was recorded before indexing began is indexed behind it, each call once', async () => {
  await live.begin(preamble())
  push(after)
  const done = await backfill()
  await live.end()
  const calls = await indexed()
  const whole = calls.filter(({ error }) => error === undefined).map(({ path }) => path)
  expect(new Set(whole).size).toBe(whole.length)
  expect(whole.length).toBe(60)
  expect(calls.filter(({ ts }) => ts * 1000 < NOON).length).toBe(done!.calls)
  expect(done).toMatchObject({ running: false, from_ts: DAWN, to_ts: Math.ceil(after[0]!.time / 1000) })
})

test('an exchange under way when indexing began is told once, and whole', async () => {
  await live.begin(preamble())
  push(sinceThen)
  const done = await backfill()
  await live.end()
  const calls = await indexed()
  expect(calls.find(({ path }) => path === '/late/10')).toMatchObject({ status: 200 })
  expect(new Set(calls.map(({ path }) => path)).size).toBe(60)
  expect(calls.length).toBe(60)
  expect(calls.filter(({ error }) => error !== undefined)).toEqual([])
  expect(live.status.calls + done!.calls).toBe(60)
})

test('so is one whose answer the recording has by half, and live indexing tells late', async () => {
  const talk = new Conversation({ client: '10.8.8.8', clientPort: 8888, start: DAWN * 1000 }).handshake()
  talk.send(0, 'GET /slow HTTP/1.1\r\nhost: shop\r\n\r\n').wait(1_000_000)
  const asked = talk.packets.length
  talk.send(1, 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab').wait(1_000_000)
  const half = talk.packets.length
  talk.send(1, 'cd').wait(1_000_000).send(0, 'GET /next HTTP/1.1\r\nhost: shop\r\n\r\n')
  talk.send(1, 'HTTP/1.1 204 No Content\r\n\r\n')
  ring.close()
  ring = recorded(join(folder, 'half'), talk.packets.slice(0, half))
  await live.begin(preamble())
  push(talk.packets.slice(asked, half))
  await backfill()
  push(talk.packets.slice(half))
  await live.end()
  const calls = (await indexed()).map(({ path, status, error }) => [path, status, error])
  expect(calls).toEqual([
    ['/slow', 200, undefined],
    ['/next', 204, undefined],
  ])
})

test('where the recording does not have its request, the answer is told by itself', async () => {
  await live.begin(preamble())
  push(sinceThen)
  await backfill(UNDER_WAY / 1000 - 5)
  await expect.poll(indexed, { timeout: 30_000 }).toHaveLength(sinceThen.filter(isAnswer).length)
  const [answer] = await indexed()
  expect(answer).toMatchObject({ status: 200, error: 'midstream' })
  expect(answer).not.toHaveProperty('path')
})

test('where nobody reads the recording, the answer is told by itself soon', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await live.begin(preamble())
    push(sinceThen.slice(0, 10))
    vi.advanceTimersByTime(4000)
    expect(await indexed()).toEqual([])
    vi.advanceTimersByTime(2000)
    await expect.poll(indexed, { timeout: 30_000 }).toMatchObject([{ status: 200, error: 'midstream' }])
  } finally {
    vi.useRealTimers()
  }
})

test('what was indexed before is not indexed again', async () => {
  await live.begin(preamble())
  push(before)
  await live.end()
  const first = await indexed()
  await live.begin(preamble())
  push(after)
  expect((await backfill())!.calls).toBeLessThan(5)
  await live.end()
  const paths = (await indexed()).filter(({ error }) => error === undefined).map(({ path }) => path)
  expect(new Set(paths).size).toBe(paths.length)
  expect(paths.length).toBeGreaterThan(first.length)
})

test('once a period', async () => {
  await live.begin(preamble())
  push(after)
  const [first, second] = await Promise.all([backfill(), backfill()])
  expect(first!.calls).toBeGreaterThan(20)
  expect(second).toBeUndefined()
})

test('a period that ends while the recording is read leaves the rest, and the next one is told as soon as any', async () => {
  await live.begin(preamble())
  push(sinceThen)
  const reading = backfill()
  await live.end()
  expect(await reading).toMatchObject({ running: false, calls: 0 })
  expect(await indexed()).toHaveLength(sinceThen.filter(isAnswer).length)
  // Longer than changes wait to be written.
  await sleep(400)

  await live.begin(preamble())
  const talk = new Conversation({ client: '10.8.8.8', clientPort: 8888, start: (DAWN + 120_000) * 1000 })
  talk.handshake().send(0, 'GET /again HTTP/1.1\r\n\r\n').send(1, 'HTTP/1.1 204 No Content\r\n\r\n')
  push(talk.packets)
  const paths = async () => (await indexed()).map(({ path }) => path)
  await expect.poll(paths, { timeout: 30_000 }).toContain('/again')
})

test('only as far back as asked', async () => {
  await live.begin(preamble())
  push(after)
  await backfill(DAWN + 20_000)
  await live.end()
  expect(Math.min(...(await indexed()).map(({ ts }) => ts))).toBeGreaterThanOrEqual(DAWN + 20_000)
})

test('without indexing there is nothing to fill', async () => {
  expect(await backfill()).toBeUndefined()
})
