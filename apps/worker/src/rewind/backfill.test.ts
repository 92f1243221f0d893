import { closeSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
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

async function indexed(): Promise<{ path?: string; ts: number; error?: string }[]> {
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
