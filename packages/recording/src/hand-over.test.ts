import {
  appendFileSync,
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statSync,
  utimesSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Damaged } from './damaged.ts'
import { type HandOverWindow, handOver, NotLinkable } from './hand-over.ts'
import { OutOfSpace } from './out-of-space.ts'
import { Ring } from './ring.ts'
import { SnapshotStore } from './snapshot-store.ts'
import { packetBlock } from './testing/packet-block.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20

let folder: string
let ring: Ring
let recorded: number
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  ring = Ring.open(join(folder, 'ring'), { maxBytes: 4 * MIB, node: 'n1', application: 'test' })
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
  recorded = 0
})
afterEach(() => {
  ring.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A packet of 1000 bytes each millisecond. */
function record(count: number): void {
  for (let at = 0; at < count; at++, recorded++) {
    const time = T0 + recorded * 1000
    const block = packetBlock(time, 1000)
    ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
  }
}

function openStore(maxBytes = 64 * MIB): Promise<SnapshotStore> {
  return SnapshotStore.open(join(folder, 'snapshots'), { maxBytes })
}

async function begin(store: SnapshotStore, name: string): Promise<void> {
  const created_at = new Date(0).toISOString()
  await store.create(name, { duration: '1s', start_ts: 0, end_ts: 1, created_at, nodes: ['n1'] })
}

function window(from: number, to: number, maxBytes = 64 * MIB): HandOverWindow {
  return { start: T0 / 1000 + from, end: T0 / 1000 + to, oldest: ring.boundaries().oldest_ts, maxBytes }
}

/** The window in milliseconds from the beginning of the recording, as a snapshot. */
async function take(store: SnapshotStore, name: string, from: number, to: number) {
  const wanted = window(from, to)
  const parts = ring.hold(wanted.start, wanted.end)
  await begin(store, name)
  const lent = await store.lend()
  const handed = await handOver(parts, wanted, join(store.folder, lent))
  await store.adopt(name, 'n1', lent, handed)
  await store.setStatus(name, 'completed')
  return handed
}

async function timesIn(store: SnapshotStore, name: string): Promise<number[]> {
  const times: number[] = []
  const loss: Loss = {}
  const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => times.push((time - T0) / 1000) }, loss)
  for await (const chunk of store.readNode(name, 'n1')) reader.push(chunk)
  reader.end()
  expect(loss).toEqual({})
  return times
}

const upTo = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, at) => from + at)

test('whole segments are linked with their index, and only the edges of the window are copied', async () => {
  record(3500)
  while (ring.maintain());
  const store = await openStore()
  const handed = await take(store, 's', 100, 3400)
  const inodes = new Set(readdirSync(ring.folder).map((name) => statSync(join(ring.folder, name)).ino))
  const paths = store.files('s').map(({ path }) => path)
  const linked = paths.filter((path) => inodes.has(statSync(path).ino))
  expect(linked.length).toBeGreaterThan(1)
  expect(linked.length).toBe(paths.length - 2)
  for (const path of linked) expect(inodes.has(statSync(`${path}.idx`).ino)).toBe(true)
  for (const path of paths) expect(statSync(path).mode & 0o227).toBe(0)
  expect(handed).toMatchObject({ packet_count: 3301, partial: false, dropped_packets: 0 })
  expect(await timesIn(store, 's')).toEqual(upTo(100, 3400))
  const size = paths.reduce((sum, path) => sum + statSync(path).size, 0)
  const indexes = linked.reduce((sum, path) => sum + statSync(`${path}.idx`).size, 0)
  expect(store.get('s')).toMatchObject({ size_bytes: size, packet_count: 3301, verified: false })
  expect(store.room.used).toBe(size + indexes)
})

test('it is whole after the ring went round, after a restart, and has its checksums once it is sealed', async () => {
  record(2500)
  const store = await openStore()
  await take(store, 's', 100, 2400)
  record(6000)
  expect(ring.boundaries().oldest_ts).toBeGreaterThan(T0 / 1000 + 2500)
  expect(await timesIn(store, 's')).toEqual(upTo(100, 2400))

  const again = await openStore()
  expect(again.get('s')).toMatchObject({ status: 'completed', verified: false })
  await again.seal('s')
  expect(again.get('s')).toMatchObject({ status: 'completed', verified: true, partial: false })
  await again.verify('s')
  const sealed = await openStore()
  expect(sealed.get('s')).toEqual(again.get('s'))
  expect(sealed.captures('s')).toEqual(store.captures('s'))
  const used = sealed.room.used
  expect(used).toBeGreaterThan(2_000_000)
  await sealed.remove('s')
  expect(sealed.room.used).toBe(0)
  expect(readdirSync(store.folder)).toEqual([])
})

test('segments that the ring deletes before they are linked are copied out of their open files', async () => {
  record(2500)
  const wanted = window(0, 2499)
  const parts = ring.hold(wanted.start, wanted.end)
  record(6000)
  const store = await openStore()
  await begin(store, 's')
  const lent = await store.lend()
  const handed = await handOver(parts, wanted, join(store.folder, lent))
  await store.adopt('s', 'n1', lent, handed)
  expect(handed).toMatchObject({ packet_count: 2500, partial: false })
  expect(await timesIn(store, 's')).toEqual(upTo(0, 2499))
})

test('a window without packets is an empty capture, and one before the recording is partial', async () => {
  record(100)
  const store = await openStore()
  expect(await take(store, 'none', 5000, 6000)).toMatchObject({
    packet_count: 0,
    start_ts: null,
    partial: false,
  })
  expect(await timesIn(store, 'none')).toEqual([])
  expect(await take(store, 'early', -500, 50)).toMatchObject({ packet_count: 51, partial: true })
})

test('segments that do not fit are refused, and a failed link is a different error', async () => {
  record(2500)
  const store = await openStore(MIB)
  const small = window(0, 2499, MIB)
  const lent = await store.lend()
  const refused = handOver(ring.hold(small.start, small.end), small, join(store.folder, lent))
  await expect(refused).rejects.toThrow(OutOfSpace)
  await store.takeBack(lent)

  const wanted = window(0, 2499)
  const nowhere = handOver(ring.hold(wanted.start, wanted.end), wanted, join(folder, 'nowhere'))
  await expect(nowhere).rejects.toThrow(NotLinkable)

  await begin(store, 's')
  const more = await store.lend()
  const handed = await handOver(ring.hold(wanted.start, wanted.end), wanted, join(store.folder, more))
  await expect(store.adopt('s', 'n1', more, handed)).rejects.toThrow(OutOfSpace)
  expect(store.room.used).toBe(0)
  const [first, ...others] = handed.files
  const lies = { ...handed, files: [{ ...first!, name: '../../ring/x.pcapng' }, ...others] }
  await expect(store.adopt('s', 'n1', more, lies)).rejects.toThrow(Damaged)
  await store.takeBack(more)
  expect(readdirSync(store.folder)).toEqual(['s'])
})

test('a segment that is changed or lost later is reported, and the others stay usable', async () => {
  record(2500)
  const store = await openStore()
  await take(store, 's', 0, 2499)
  await take(store, 'old', 0, 2499)
  await store.seal('old')
  const [, gone, touched] = store.files('s')
  rmSync(gone!.path)
  utimesSync(touched!.path, 1, 1)
  const [hurt] = store.files('old')
  chmodSync(hurt!.path, 0o644)
  appendFileSync(hurt!.path, 'x')
  const again = await openStore()
  const packets = again.get('s')!.packet_count
  expect(again.get('s')).toMatchObject({ status: 'completed', partial: true, verified: false })
  expect(again.get('s')!.nodes[0]).toMatchObject({
    status: 'completed',
    error: expect.stringContaining('changed'),
  })
  expect(packets).toBeLessThan(2500)
  expect(await timesIn(again, 's')).toHaveLength(packets)
  expect(again.get('old')!.nodes[0]!.error).toMatch(/bytes, not/)
})

test('a folder that was handed over when the process ended is no left-over', async () => {
  record(500)
  const store = await openStore()
  await begin(store, 's')
  await store.lend()
  mkdirSync(join(store.path('s'), 'n1.segments'))
  const again = await openStore()
  expect(again.get('s')).toMatchObject({ status: 'in_progress' })
  expect(readdirSync(again.folder)).toEqual(['s'])
  expect(readdirSync(again.path('s'))).toEqual(['snapshot.json'])
})
