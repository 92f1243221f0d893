import { closeSync, cpSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Ring } from '@tapdeck/recording'
import { PcapngWriter } from '@tapdeck/wire'
import type { BuiltPacket } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Live } from '../live/live.ts'
import { RECORDING_START, recorded, shopPackets } from './testing/recorded-shop.ts'

/** A kill is simulated by a copy of the folder, made while the index is being written. */

let folder: string
let ring: Ring
let lives: Live[]
const packets = shopPackets(240, 2000)
const at = (ms: number) => (RECORDING_START + ms) * 1000
const between = (from: number, to: number) => packets.filter(({ time }) => time >= at(from) && time < at(to))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-kills-'))
  ring = recorded(join(folder, 'ring'), packets)
  lives = []
})
afterEach(async () => {
  for (const live of lives) await live.close()
  ring.close()
  rmSync(folder, { recursive: true })
})

function opened(name: string): Live {
  const targets = { regex: '.*', namespaces: [], excludedNamespaces: [] }
  const live = new Live(
    { node: 'n1', folder: join(folder, name), maxBytes: 0, bodyBytes: 1024, targets },
    () => {},
  )
  lives.push(live)
  return live
}

function killed(from: string, to: string): Live {
  cpSync(join(folder, from), join(folder, to), { recursive: true })
  return opened(to)
}

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

/** In blocks, as the capture thread sends them. */
function push(live: Live, some: readonly BuiltPacket[]): void {
  for (let from = 0; from < some.length; from += 16) {
    const writer = new PcapngWriter()
    for (const { data, time } of some.slice(from, from + 16))
      writer.packet(0, time, data, 0, data.length, data.length)
    live.push(writer.take())
  }
}

async function backfill(
  live: Live,
  since = RECORDING_START,
  unrecorded: { from: number; to: number }[] = [],
) {
  const held = { parts: ring.hold(0, RECORDING_START * 2), oldest: RECORDING_START }
  try {
    return await live.backfill({ held, since, unrecorded })
  } finally {
    for (const { fd } of held.parts) closeSync(fd)
  }
}

async function paths(live: Live): Promise<string[]> {
  const answer = await live.query('calls', { kfl: 'http', limit: 1000, order: 'oldest', format: 'compact' })
  const { calls } = JSON.parse(answer) as { calls: { path?: string }[] }
  return calls.flatMap(({ path }) => path ?? []).sort()
}

const all = packets
  .flatMap(({ data }) => / (\/[a-z]+\/\d+) HTTP/.exec(Buffer.from(data).toString('latin1'))?.[1] ?? [])
  .sort()
const known = (live: Live) => live.status.coverage!.gaps

test('after kills during the backfill no call is missing and none is indexed twice', {
  timeout: 60_000,
}, async () => {
  let live = opened('live-0')
  await live.begin(preamble())
  push(live, between(30_000, 35_000))
  for (let kill = 1; kill <= 3; kill++) {
    live.plan(RECORDING_START)
    const left = () =>
      known(live)
        .filter(({ pending }) => pending)
        .reduce((sum, { from, to }) => sum + to - from, 0)
    const whole = left()
    const reading = backfill(live)
    // A part of it is durable and recorded in the coverage.
    await expect.poll(left, { timeout: 30_000, interval: 5 }).toBeLessThan(whole)
    const next = killed(`live-${kill - 1}`, `live-${kill}`)
    await reading
    live = next
    await live.begin(preamble())
    push(live, between(35_000 + kill * 5000, 40_000 + kill * 5000))
  }
  // Only the last gap is that recent: the others were planned before the kills.
  await backfill(live, RECORDING_START + 48_000)
  push(live, between(55_000, 80_000))
  await live.end()
  expect(await paths(live)).toEqual(all)
  expect(known(live)).toEqual([{ from: 0, to: RECORDING_START, reason: 'not_started' }])
})

test('a call that was open at a kill is indexed once, with request and response', async () => {
  const live = opened('live-0')
  const asked = packets.findIndex(({ data }) => Buffer.from(data).includes('GET /late/100 '))
  await live.begin(preamble())
  push(live, packets.slice(0, asked + 1))
  await expect.poll(() => paths(live), { timeout: 30_000 }).toContain('/orders/100')
  const next = killed('live-0', 'live-1')
  await next.begin(preamble())
  push(next, between(60_000, 80_000))
  await backfill(next)
  await next.end()
  expect(await paths(next)).toEqual(all)
})

test('times that were never recorded stay gaps and are not planned again', async () => {
  const live = opened('live-0')
  await live.begin(preamble())
  push(live, between(30_000, 80_000))
  const hole = { from: RECORDING_START + 10_000, to: RECORDING_START + 12_000 }
  await backfill(live, RECORDING_START, [{ from: 0, to: RECORDING_START + 1 }, hole])
  await live.end()
  expect(known(live)).toEqual([
    { from: 0, to: RECORDING_START, reason: 'not_started' },
    { from: RECORDING_START, to: RECORDING_START + 1, reason: 'not_started' },
    { ...hole, reason: 'not_started' },
  ])
})

test('switching off and on leaves a gap with its reason, except for the part that is filled', async () => {
  const live = opened('live-0')
  await live.begin(preamble())
  push(live, between(0, 10_000))
  await live.end()
  expect(live.status.coverage).toMatchObject({ off: { reason: 'switch_off' } })
  await live.begin(preamble())
  push(live, between(30_000, 80_000))
  const [, gap] = known(live)
  expect(gap).toMatchObject({ reason: 'switch_off', to: Math.ceil(between(30_000, 80_000)[0]!.time / 1000) })
  expect(gap!.from).toBeGreaterThan(RECORDING_START + 9000)
  await backfill(live, RECORDING_START + 20_000)
  expect(known(live).slice(1)).toEqual([{ ...gap, to: RECORDING_START + 20_000 }])
})
