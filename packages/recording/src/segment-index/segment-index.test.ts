import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { addressKey, CaptureReader, PcapngWriter, portKey } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Ring } from '../ring.ts'
import { readIndex } from './index-file.ts'
import { SegmentIndexer } from './segment-indexer.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20
const END = T0 / 1000 + 3_600_000

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-index-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

function open(maxBytes = 16 * MIB): Ring {
  const ring = Ring.open(folder, { maxBytes, node: 'n1', application: 'test' })
  if (ring.preamble.count === 0) ring.addInterface({ name: 'eth0', link: 1 })
  return ring
}

/** A packet a millisecond; every thousandth is the rare host's. */
function record(ring: Ring, count: number, from = 0): void {
  const writer = new PcapngWriter()
  for (let i = from; i < from + count; i++) {
    const rare = i % 1000 === 500
    const data = udpFrame({
      src: rare ? '10.9.9.9' : `10.0.0.${i % 200}`,
      dst: '10.1.0.1',
      sport: rare ? 7777 : 4000,
      dport: 53,
      payload: new Uint8Array(1600),
    })
    const time = T0 + i * 1000
    writer.packet(0, time, data, 0, data.length, data.length)
    const block = writer.take()
    ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
  }
}

async function read(ring: Ring, parties: readonly (readonly number[])[], start = 0, end = END) {
  const reader = ring.window(start, end, parties)
  const times: number[] = []
  const loss = {}
  const capture = new CaptureReader({ packet: (_d, _s, _e, _l, time) => void times.push(time) }, loss)
  for await (const chunk of reader) capture.push(new Uint8Array(chunk))
  capture.end()
  expect(loss).toEqual({})
  return { times, read: reader.readBytes }
}

const rareTimes = (count: number) =>
  Array.from({ length: count }, (_, i) => i)
    .filter((i) => i % 1000 === 500)
    .map((i) => T0 + i * 1000)

function settle(ring: Ring): void {
  while (ring.maintain());
}

test('the packets of one host are found with little reading', async () => {
  const ring = open()
  record(ring, 6000)
  const all = await read(ring, [])
  const few = await read(ring, [[addressKey('10.9.9.9')]])
  expect(few.times).toEqual(rareTimes(6000))
  expect(few.times.length).toBe(6)
  expect(few.read).toBeLessThan(all.read * 0.5)
})

test('the index made while recording says the same as one that is made of the file', () => {
  const ring = open()
  record(ring, 6000)
  ring.addInterface({ name: 'tun0', link: 101 })
  record(ring, 500, 6000)
  ring.close()
  const files = readdirSync(folder).filter((one) => one.endsWith('.pcapng'))
  expect(files.length).toBeGreaterThan(2)
  for (const name of files) {
    const path = join(folder, name)
    const { size } = statSync(path)
    const made = readIndex(path, size)
    const again = new SegmentIndexer(path, size).finish()
    expect(made?.regions).toEqual(again?.regions)
    expect(made?.parties).toEqual(again?.parties)
  }
})

test('parties of several lists must all take part', async () => {
  const ring = open()
  record(ring, 4000)
  settle(ring)
  const both = await read(ring, [[addressKey('10.9.9.9')], [portKey(7777), portKey(1)]])
  expect(both.times).toEqual(rareTimes(4000))
  expect((await read(ring, [[addressKey('10.9.9.9')], [portKey(4000)]])).times).toEqual([])
  expect((await read(ring, [[addressKey('10.250.0.1')]])).read).toBeLessThan(3 * MIB)
})

test('a window and a host together', async () => {
  const ring = open()
  record(ring, 6000)
  settle(ring)
  const from = T0 / 1000 + 2000
  const { times } = await read(ring, [[addressKey('10.9.9.9')]], from, from + 2000)
  expect(times).toEqual([T0 + 2_500_000, T0 + 3_500_000])
})

test('an interface that appeared inside a segment is described to who skips the place', async () => {
  const ring = open()
  record(ring, 1000)
  ring.addInterface({ name: 'eth1', link: 1 })
  record(ring, 3000, 1000)
  ring.close()
  const again = open()
  settle(again)
  expect((await read(again, [[addressKey('10.9.9.9')]])).times).toEqual(rareTimes(4000))
})

test('an index that is damaged is not believed', async () => {
  const ring = open()
  record(ring, 4000)
  settle(ring)
  for (const name of readdirSync(folder).filter((one) => one.endsWith('.idx'))) {
    const bytes = readFileSync(join(folder, name))
    bytes[60]! ^= 0xff
    writeFileSync(join(folder, name), bytes)
  }
  expect((await read(ring, [[addressKey('10.9.9.9')]])).times).toEqual(rareTimes(4000))
})

test('indexes count to the size of the ring and leave with their segments', () => {
  const maxBytes = 4 * MIB
  const ring = open(maxBytes)
  for (let round = 0; round < 8; round++) {
    record(ring, 1000, round * 1000)
    settle(ring)
    const onDisk = readdirSync(folder).reduce((sum, name) => sum + statSync(join(folder, name)).size, 0)
    expect(onDisk).toBeLessThanOrEqual(maxBytes)
    expect(ring.boundaries().size_bytes).toBe(onDisk)
  }
  const names = new Set(readdirSync(folder))
  for (const name of names) if (name.endsWith('.idx')) expect(names).toContain(name.slice(0, -4))
  expect([...names].some((name) => name.endsWith('.idx'))).toBe(true)
})

test('a ring that is opened again keeps its indexes and drops those without a segment', () => {
  const ring = open()
  record(ring, 6000)
  ring.close()
  const lonely = '00000001-20200101T000000000Z-20200101T000001000Z.pcapng.idx'
  writeFileSync(join(folder, lonely), 'x')
  const again = open()
  settle(again)
  const { size_bytes } = again.boundaries()
  again.close()
  expect(open().boundaries().size_bytes).toBe(size_bytes)
  expect(readdirSync(folder)).not.toContain(lonely)
})
