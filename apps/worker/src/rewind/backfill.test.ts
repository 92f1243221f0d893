import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Live } from '../live/live.ts'
import { RECORDING_START, recorded, shopPackets } from './testing/recorded-shop.ts'

let folder: string
let ring: Ring
let live: Live
const packets = shopPackets(24, 2000)
/** Indexing begins in the middle of the minute. */
const INDEXING_START = (RECORDING_START + 30_000) * 1000
const before = packets.filter(({ time }) => time < INDEXING_START)
const after = packets.filter(({ time }) => time >= INDEXING_START)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-backfill-'))
  ring = recorded(join(folder, 'ring'), packets)
  live = open()
})
afterEach(async () => {
  await live.close()
  ring.close()
  rmSync(folder, { recursive: true })
})

function open(): Live {
  const targets = { regex: '.*', namespaces: [], excludedNamespaces: [] }
  return new Live(
    { node: 'n1', folder: join(folder, 'live'), maxBytes: 0, bodyBytes: 1024, targets },
    () => {},
  )
}

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

async function backfill(since = RECORDING_START) {
  const held = { parts: ring.hold(0, RECORDING_START * 2), oldest: RECORDING_START }
  try {
    return await live.backfill({ held, since, unrecorded: [] })
  } finally {
    for (const { fd } of held.parts) closeSync(fd)
  }
}

/** Between a request and its response. */
const OPEN_CALL = packets.find(({ data }) => Buffer.from(data).includes('GET /late/10 '))!.time + 10_000
const sinceThen = packets.filter(({ time }) => time >= OPEN_CALL)
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

test('calls that were recorded before indexing began are indexed once each', async () => {
  await live.begin(preamble())
  push(after)
  const done = await backfill()
  await live.end()
  const calls = await indexed()
  const whole = calls.filter(({ error }) => error === undefined).map(({ path }) => path)
  expect(new Set(whole).size).toBe(whole.length)
  expect(whole.length).toBe(60)
  expect(calls.filter(({ ts }) => ts * 1000 < INDEXING_START).length).toBe(done!.calls)
  expect(done).toMatchObject({
    running: false,
    from_ts: RECORDING_START,
    to_ts: Math.ceil(after[0]!.time / 1000),
  })
})

test('a call that was open when indexing began is indexed once, with request and response', async () => {
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

test('so is a call whose response is cut in the recording and completed live', async () => {
  const talk = new Conversation({
    client: '10.8.8.8',
    clientPort: 8888,
    start: RECORDING_START * 1000,
  }).handshake()
  talk.send(0, 'GET /slow HTTP/1.1\r\nhost: shop\r\n\r\n').wait(1_000_000)
  const asked = talk.packets.length
  talk.send(1, 'HTTP/1.1 200 OK\r\ncontent-length: 4\r\n\r\nab').wait(1_000_000)
  const partial = talk.packets.length
  talk.send(1, 'cd').wait(1_000_000).send(0, 'GET /next HTTP/1.1\r\nhost: shop\r\n\r\n')
  talk.send(1, 'HTTP/1.1 204 No Content\r\n\r\n')
  ring.close()
  ring = recorded(join(folder, 'partial'), talk.packets.slice(0, partial))
  await live.begin(preamble())
  push(talk.packets.slice(asked, partial))
  await backfill()
  push(talk.packets.slice(partial))
  await live.end()
  const calls = (await indexed()).map(({ path, status, error }) => [path, status, error])
  expect(calls).toEqual([
    ['/slow', 200, undefined],
    ['/next', 204, undefined],
  ])
})

test('a response whose request was not recorded is indexed as a partial call', async () => {
  await live.begin(preamble())
  push(sinceThen)
  await backfill(OPEN_CALL / 1000 - 5)
  await expect.poll(indexed, { timeout: 30_000 }).toHaveLength(sinceThen.filter(isAnswer).length)
  const [answer] = await indexed()
  expect(answer).toMatchObject({ status: 200, error: 'midstream' })
  expect(answer).not.toHaveProperty('path')
})

test('without a backfill, the response is indexed as a partial call after a few seconds', async () => {
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

test('calls of an earlier period are not indexed again', async () => {
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

test('a period has one backfill', async () => {
  await live.begin(preamble())
  push(after)
  const [first, second] = await Promise.all([backfill(), backfill()])
  expect(first!.calls).toBeGreaterThan(20)
  expect(second).toBeUndefined()
})

test('a period that ends during its backfill aborts it, and calls of the next period are visible at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  try {
    await live.begin(preamble())
    push(sinceThen)
    const reading = backfill()
    await live.end()
    expect(await reading).toMatchObject({ running: false, calls: 0 })
    expect(await indexed()).toHaveLength(sinceThen.filter(isAnswer).length)
    // Flushes that the first period has left scheduled.
    await vi.runOnlyPendingTimersAsync()
  } finally {
    vi.useRealTimers()
  }

  await live.begin(preamble())
  const talk = new Conversation({
    client: '10.8.8.8',
    clientPort: 8888,
    start: (RECORDING_START + 120_000) * 1000,
  })
  talk.handshake().send(0, 'GET /again HTTP/1.1\r\n\r\n').send(1, 'HTTP/1.1 204 No Content\r\n\r\n')
  push(talk.packets)
  const paths = async () => (await indexed()).map(({ path }) => path)
  await expect.poll(paths, { timeout: 30_000 }).toContain('/again')
})

test('the backfill does not go back further than requested', async () => {
  await live.begin(preamble())
  push(after)
  await backfill(RECORDING_START + 20_000)
  await live.end()
  expect(Math.min(...(await indexed()).map(({ ts }) => ts))).toBeGreaterThanOrEqual(RECORDING_START + 20_000)
})

/** The errors of the group of all HTTP calls, and the calls of `/late/10`. */
async function lateCall() {
  const stats = JSON.parse(await live.query('stats', { kfl: 'http', group_by: 'proto', limit: 1 }))
  const [{ errors }] = stats.groups
  return { errors, rows: (await indexed()).filter(({ path }) => path === '/late/10') }
}

test('a call that was open at a pause is no error, and the backfill after the resume indexes it whole', async () => {
  await live.begin(preamble())
  push(packets.filter(({ time }) => time < OPEN_CALL))
  await live.end()
  expect(await lateCall()).toEqual({ errors: 0, rows: [] })
  await live.begin(preamble())
  push(packets.filter(({ time }) => time >= OPEN_CALL + 10_000_000))
  await backfill()
  await live.end()
  const calls = await indexed()
  expect(calls.map(({ path }) => path).toSorted()).toEqual(
    [...new Set(calls.map(({ path }) => path))].toSorted(),
  )
  expect(await lateCall()).toMatchObject({ errors: 0, rows: [{ path: '/late/10', status: 200 }] })
  expect(calls.length).toBe(60)
})

test.each(['without a backfill', 'at the end of the worker'])(
  'a call that was open at a pause is indexed as unfinished %s, and is no error',
  async (when) => {
    await live.begin(preamble())
    push(packets.filter(({ time }) => time < OPEN_CALL))
    await live.end()
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    try {
      if (when === 'without a backfill') {
        await live.begin(preamble())
        vi.advanceTimersByTime(6000)
      } else {
        await live.close()
        live = open()
      }
    } finally {
      vi.useRealTimers()
    }
    const row = { path: '/late/10', error: 'unfinished' }
    await expect.poll(lateCall, { timeout: 30_000 }).toMatchObject({ errors: 0, rows: [row] })
  },
)

test('without indexing there is no backfill', async () => {
  expect(await backfill()).toBeUndefined()
})
