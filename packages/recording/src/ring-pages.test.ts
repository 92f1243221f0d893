import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, truncateSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { Pages } from './pages.ts'
import { Ring } from './ring.ts'
import { readIndex } from './segment-index/index-file.ts'
import { SegmentIndexer } from './segment-index/segment-indexer.ts'
import { packetBlock } from './testing/packet-block.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20
const FRONT = 72
const options = { maxBytes: 64 * MIB, node: 'n1', application: 'tapdeck test' }

let folder: string
let ring: Ring
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  ring = Ring.open(folder, options)
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** So many pages with one packet, in memory that begins `off` bytes behind the beginning of a page. */
function pages(time: number, count: number, off = 0): Pages {
  const memory = new WebAssembly.Memory({ initial: ((count * 4096 + off) >> 16) + 1 }).buffer
  const bytes = new Uint8Array(memory, off, count * 4096)
  bytes.set(packetBlock(time, bytes.length - FRONT - 32), FRONT)
  return { bytes, front: FRONT, packets: 1, first: time, last: time }
}

function small(time: number): void {
  const block = packetBlock(time, 100)
  ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
}

function write(part: Pages, drops = 0): Promise<void> {
  return new Promise((resolve) => {
    if (!ring.appendPages([part], drops, true, resolve)) resolve()
  })
}

/** All files that a capture program would open, in their order. */
function recorded(): { times: number[]; loss: Loss } {
  const times: number[] = []
  const loss: Loss = {}
  for (const file of readdirSync(folder).sort()) {
    if (file.endsWith('.idx')) continue
    const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => times.push(time - T0) }, loss)
    reader.push(readFileSync(join(folder, file)))
    reader.end()
  }
  return { times, loss }
}

function diskBytes(): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

test('pages and blocks of any length follow each other in one segment, with what was lost in between', async () => {
  for (let at = 0; at < 40; at++) {
    if (at % 3 === 0) small(T0 + at)
    else await write(pages(T0 + at, 1 + (at % 7)), at % 5)
  }
  const lost = Array.from({ length: 40 }, (_, at) => (at % 3 === 0 ? 0 : at % 5)).reduce((a, b) => a + b)
  expect(ring.boundaries()).toMatchObject({
    packet_count: 40,
    dropped_packets: lost,
    size_bytes: diskBytes(),
  })
  ring.close()
  expect(readdirSync(folder)).toHaveLength(2)
  expect(recorded()).toEqual({
    times: Array.from({ length: 40 }, (_, at) => at),
    loss: { kernel_drops: lost },
  })
  expect(ring.boundaries().size_bytes).toBe(diskBytes())
  const again = Ring.open(folder, options).boundaries()
  expect(again).toMatchObject({ packet_count: 40, dropped_packets: lost, size_bytes: diskBytes() })
})

test('the open segment is read up to the last write that has ended', async () => {
  await write(pages(T0, 4))
  const under = write(pages(T0 + 1, 4))
  expect(ring.isWriting).toBe(true)
  const [part] = ring.hold(0, T0)
  expect(part).toMatchObject({ open: true, packets: 1 })
  const reader = ring.window(0, T0)
  for await (const _ of reader);
  expect(reader.result).toMatchObject({ packet_count: 1, partial: true })
  await under
  await ring.settled()
  expect(ring.hold(0, T0)[0]).toMatchObject({ packets: 2 })
})

test('a write that is late is left alone: what comes meanwhile goes to another segment, and nothing gets lost', async () => {
  small(T0)
  const late = write(pages(T0 + 1, 200), 3)
  ring.leave()
  small(T0 + 2)
  ring.addInterface({ name: 'eth1', link: 1, snaplen: 262_144 })
  expect(ring.boundaries().packet_count).toBe(2)
  expect(ring.boundaries().size_bytes).toBeGreaterThanOrEqual(diskBytes())
  await late
  expect(ring.boundaries()).toMatchObject({ packet_count: 3, dropped_packets: 3, size_bytes: diskBytes() })
  // The page cache takes what follows for a while.
  expect(ring.appendPages([pages(T0 + 3, 2)], 0, true, () => {})).toBe(false)
  ring.close()
  expect(recorded()).toEqual({ times: [0, 1, 2, 3], loss: { kernel_drops: 3 } })
  expect(readdirSync(folder).filter((file) => file.endsWith('.pcapng'))).toHaveLength(2)
})

test('closed while a write is under way, a ring has all of it when that has ended', async () => {
  const under = write(pages(T0, 100))
  ring.close()
  await under
  expect(recorded().times).toEqual([0])
  expect(ring.boundaries()).toMatchObject({ packet_count: 1, size_bytes: diskBytes() })
})

test('what cannot be written directly goes through the page cache', async () => {
  await write(pages(T0, 3, 16), 2)
  expect(ring.boundaries()).toMatchObject({ packet_count: 1, dropped_packets: 2, size_bytes: diskBytes() })
  expect(ring.appendPages([pages(T0 + 1, 3)], 0, true, () => {})).toBe(false)
  ring.close()
  expect(recorded()).toEqual({ times: [0, 1], loss: { kernel_drops: 2 } })
})

test('after a crash the pages that were written are there, and what was torn is cut off', async () => {
  for (let at = 0; at < 3; at++) await write(pages(T0 + at, 10))
  const [file] = readdirSync(folder)
  truncateSync(join(folder, file!), 25 * 4096 + 700)
  const again = Ring.open(folder, options)
  expect(again.boundaries()).toMatchObject({ packet_count: 2, size_bytes: diskBytes() })
  expect(recorded()).toEqual({ times: [0, 1], loss: {} })
})

test('segments of pages end where others do, and the oldest leave first', async () => {
  for (let at = 0; at < 90; at++) await write(pages(T0 + at, 256))
  expect(ring.boundaries().size_bytes).toBe(diskBytes())
  expect(diskBytes()).toBeLessThanOrEqual(options.maxBytes)
  ring.close()
  const { times } = recorded()
  expect(times).toEqual(Array.from({ length: times.length }, (_, at) => 90 - times.length + at))
  expect(times.length).toBeGreaterThan(50)
})

test('what a direct write left behind is indexed as it lies in the segment', async () => {
  await write(pages(T0, 2))
  // No disk takes this around the page cache; the page cache does.
  await write(pages(T0 + 1, 3, 8))
  await write(pages(T0 + 2, 2))
  ring.close()
  const again = Ring.open(folder, options)
  while (again.maintain());
  const [segment] = readdirSync(folder).filter((file) => file.endsWith('.pcapng'))
  const path = join(folder, segment!)
  const read = new SegmentIndexer(path, statSync(path).size).finish()
  expect(readIndex(path, statSync(path).size)).toEqual(read)
  expect(recorded().times).toEqual([0, 1, 2])
})
