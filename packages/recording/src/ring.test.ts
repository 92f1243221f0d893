import {
  appendFileSync,
  closeSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureNotes, CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Ring } from './ring.ts'
import { closedName } from './segment-name.ts'
import { packetBlock } from './testing/packet-block.ts'

const T0 = Date.parse('2026-01-01T00:00:00Z') * 1000
const MIB = 1 << 20
const options = { maxBytes: 8 * MIB, node: 'n1', application: 'tapdeck test' }

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** Appends one packet a block, `step` microseconds apart. */
function record(ring: Ring, from: number, count: number, size = 1000, step = 1000): void {
  for (let at = 0; at < count; at++) {
    const time = from + at * step
    const block = packetBlock(time, size)
    ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
  }
}

function opened(more: Partial<typeof options> = {}): Ring {
  const ring = Ring.open(folder, { ...options, ...more })
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 262_144 })
  return ring
}

function times(capture: Uint8Array): { times: number[]; loss: Loss } {
  const found: number[] = []
  const loss: Loss = {}
  const reader = new CaptureReader({ packet: (_d, _s, _e, _l, time) => found.push(time) }, loss)
  reader.push(capture)
  reader.end()
  return { times: found, loss }
}

async function readWindow(ring: Ring, start: number, end: number) {
  const reader = ring.window(start, end)
  const parts: Uint8Array[] = []
  for await (const chunk of reader) parts.push(chunk)
  const bytes = Buffer.concat(parts)
  return { bytes, chunks: parts, result: reader.result }
}

function segments(): string[] {
  return readdirSync(folder)
    .filter((file) => !file.endsWith('.idx'))
    .sort()
}

function diskBytes(): number {
  return readdirSync(folder).reduce((sum, file) => sum + statSync(join(folder, file)).size, 0)
}

test('what is recorded can be read back, also from the open segment', async () => {
  const ring = opened()
  record(ring, T0, 10)
  const { bytes, result } = await readWindow(ring, T0 / 1000, T0 / 1000 + 1000)
  expect(times(bytes)).toEqual({ times: Array.from({ length: 10 }, (_, at) => T0 + at * 1000), loss: {} })
  expect(result).toEqual({
    packet_count: 10,
    size_bytes: bytes.length,
    dropped_packets: 0,
    drops: { kernel: 0, queue: 0, disk: 0 },
    start_ts: T0 / 1000,
    end_ts: T0 / 1000 + 9,
    partial: false,
  })
})

test('boundaries tell range, size, packets and drops, and nothing before any packet', () => {
  const ring = opened()
  expect(ring.boundaries()).toMatchObject({
    oldest_ts: null,
    newest_ts: null,
    packet_count: 0,
    size_bytes: 0,
  })
  record(ring, T0, 3)
  const block = packetBlock(T0 + 5500, 10)
  ring.append(block, block.length, { packets: 1, first: T0 + 5500, last: T0 + 5500, drops: 7 })
  expect(ring.boundaries()).toEqual({
    oldest_ts: T0 / 1000,
    newest_ts: T0 / 1000 + 6,
    size_bytes: diskBytes(),
    packet_count: 4,
    dropped_packets: 7,
    drops: { kernel: 7, queue: 0, disk: 0 },
  })
})

test('the size holds at every moment while the oldest segments go', async () => {
  const ring = opened({ maxBytes: 2 * MIB })
  for (let at = 0; at < 200; at++) {
    record(ring, T0 + at * 1e6, 1, 50_000)
    expect(diskBytes()).toBeLessThanOrEqual(2 * MIB)
    expect(ring.boundaries().size_bytes).toBe(diskBytes())
  }
  const { oldest_ts, newest_ts, packet_count } = ring.boundaries()
  expect(newest_ts).toBe(T0 / 1000 + 199_000)
  expect(packet_count).toBeGreaterThan(15)
  const { bytes, result } = await readWindow(ring, 0, Number.MAX_SAFE_INTEGER)
  expect(result.packet_count).toBe(packet_count)
  expect(result.partial).toBe(true)
  expect(times(bytes).times[0]).toBe(oldest_ts! * 1000)
})

test('segments rotate by time, are named by their range, and each reads alone', () => {
  const ring = opened()
  record(ring, T0, 4, 100, 31e6)
  ring.close()
  const files = segments()
  expect(files).toEqual([
    '00000001-20260101T000000000Z-20260101T000031000Z.pcapng',
    '00000002-20260101T000102000Z-20260101T000133000Z.pcapng',
  ])
  for (const file of files) {
    const { times: found, loss } = times(readFileSync(join(folder, file)))
    expect(found).toHaveLength(2)
    expect(loss).toEqual({})
  }
})

test('a window cuts segments at both ends and passes whole ones on', async () => {
  const ring = opened()
  record(ring, T0, 300, 100, 1e6)
  const from = T0 / 1000 + 10_000
  const { bytes, chunks, result } = await readWindow(ring, from, from + 200_000)
  const found = times(bytes)
  expect(found.loss).toEqual({})
  expect(found.times).toEqual(Array.from({ length: 201 }, (_, at) => T0 + 10e6 + at * 1e6))
  expect(result).toMatchObject({ packet_count: 201, start_ts: from, end_ts: from + 200_000, partial: false })
  for (const chunk of chunks) expect(chunk.length).toBeLessThanOrEqual(MIB)
})

test('a window with nothing in it is an empty capture, and partial only before the recording began', async () => {
  const ring = opened()
  record(ring, T0, 3)
  expect((await readWindow(ring, T0 / 1000 + 60_000, T0 / 1000 + 61_000)).result).toMatchObject({
    packet_count: 0,
    start_ts: null,
    partial: false,
  })
  const before = await readWindow(ring, 0, 1000)
  expect(times(before.bytes)).toEqual({ times: [], loss: {} })
  expect(before.result.partial).toBe(true)
})

test('drops are found in the window in which they happened', async () => {
  const ring = opened()
  for (let at = 0; at < 10; at++) {
    const time = T0 + at * 1e6
    const block = packetBlock(time, 60)
    ring.append(block, block.length, {
      packets: 1,
      first: time,
      last: time,
      drops: at === 2 ? 5 : at === 7 ? 9 : 0,
    })
  }
  const drops = async (from: number, to: number) =>
    (await readWindow(ring, T0 / 1000 + from, T0 / 1000 + to)).result.dropped_packets
  expect(await drops(0, 20_000)).toBe(14)
  expect(await drops(0, 3000)).toBe(5)
  expect(await drops(3000, 20_000)).toBe(9)
  expect(await drops(3000, 4000)).toBe(0)
  const { bytes } = await readWindow(ring, T0 / 1000 + 3000, T0 / 1000 + 20_000)
  expect(times(bytes).loss).toEqual({ kernel_drops: 9 })
})

test('packets lost by the disk are counted apart from packets dropped by the kernel', async () => {
  const ring = opened({ maxBytes: 20_000 })
  const append = (time: number, size: number, drops: number) => {
    const block = packetBlock(time, size)
    return ring.append(block, block.length, { packets: 1, first: time, last: time, drops })
  }
  expect(append(T0, 60, 5)).toBe(true)
  expect(append(T0 + 1, 30_000, 2)).toBe(false)
  vi.useFakeTimers({ now: Date.now() + 1500, toFake: ['Date'] })
  expect(append(T0 + 2e6, 60, 3)).toBe(true)
  vi.useRealTimers()
  const told = { dropped_packets: 11, drops: { kernel: 10, queue: 0, disk: 1 } }
  expect(ring.boundaries()).toMatchObject({ packet_count: 2, ...told })
  expect((await readWindow(ring, T0 / 1000, T0 / 1000 + 5000)).result).toMatchObject(told)
  expect((await readWindow(ring, T0 / 1000 + 1000, T0 / 1000 + 5000)).result.drops).toEqual({
    kernel: 5,
    queue: 0,
    disk: 1,
  })
  ring.close()
  expect(opened({ maxBytes: 20_000 }).boundaries()).toMatchObject(told)
})

test('a reader finishes although the ring deletes the segments under it', async () => {
  const ring = opened({ maxBytes: 2 * MIB })
  record(ring, T0, 30, 50_000)
  const reader = ring.window(T0 / 1000, T0 / 1000 + 1000)
  record(ring, T0 + 3600e6, 100, 50_000)
  const parts: Uint8Array[] = []
  for await (const chunk of reader) parts.push(chunk)
  expect(times(Buffer.concat(parts)).times).toHaveLength(30)
  expect(diskBytes()).toBeLessThanOrEqual(2 * MIB)
})

test('a ring opens again with what it held, and goes on', async () => {
  const first = opened()
  record(first, T0, 100, 100, 2e6)
  first.close()
  const before = first.boundaries()
  const second = opened()
  expect(second.boundaries()).toEqual(before)
  record(second, T0 + 400e6, 5)
  const { bytes } = await readWindow(second, 0, Number.MAX_SAFE_INTEGER)
  expect(times(bytes).times).toHaveLength(105)
})

test('after a crash the torn tail is cut, wherever it tore, and nothing before it is lost', () => {
  const whole = opened()
  record(whole, T0, 20)
  const [name] = segments()
  const bytes = readFileSync(join(folder, name!))
  const lastBlock = packetBlock(T0, 1000).length
  for (let cut = 1; cut <= lastBlock; cut += 97) {
    rmSync(folder, { recursive: true })
    const ring = opened()
    writeFileSync(join(folder, name!), bytes.subarray(0, bytes.length - cut))
    const again = Ring.open(folder, options)
    expect(again.boundaries()).toMatchObject({ packet_count: 19, size_bytes: diskBytes() })
    const [file] = segments()
    expect(file).toMatch(/Z\.pcapng$/)
    expect(times(readFileSync(join(folder, file!)))).toMatchObject({ loss: {} })
    ring.close()
  }
})

test('a segment that tore before its first packet is removed, other files are left alone', () => {
  writeFileSync(join(folder, '00000009.pcapng.open'), 'xx')
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  expect(Ring.open(folder, options).boundaries().packet_count).toBe(0)
  expect(readdirSync(folder)).toEqual(['notes.txt'])
})

test('garbage inside a segment ends that segment only', async () => {
  const ring = opened()
  record(ring, T0, 50, 100, 2e6)
  ring.close()
  const [first] = segments()
  const bytes = readFileSync(join(folder, first!))
  bytes.fill(0xee, 1000, 1400)
  writeFileSync(join(folder, first!), bytes)
  const again = opened()
  const { bytes: got, result } = await readWindow(again, T0 / 1000 + 1, Number.MAX_SAFE_INTEGER)
  expect(result.partial).toBe(true)
  expect(times(got).times.at(-1)).toBe(T0 + 98e6)
})

test('interfaces that come later are described in the open segment and in those after it', () => {
  const ring = opened()
  record(ring, T0, 2)
  expect(ring.addInterface({ name: 'veth1', link: 101, snaplen: 1000 })).toBe(1)
  for (const time of [T0 + 1e6, T0 + 100e6]) {
    const block = packetBlock(time, 40, 1)
    ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
  }
  ring.resetInterfaces()
  expect(ring.addInterface({ name: 'eth9', link: 1, snaplen: 1000 })).toBe(0)
  record(ring, T0 + 101e6, 1)
  ring.close()
  const found = segments().map((file) => times(readFileSync(join(folder, file))))
  expect(found.map((one) => one.times.length)).toEqual([3, 1, 1])
  for (const one of found) expect(one.loss).toEqual({})
})

test('a deleted segment does not affect the others', async () => {
  const ring = opened()
  record(ring, T0, 3, 100, 61e6)
  rmSync(join(folder, segments()[0]!))
  expect((await readWindow(ring, 0, Number.MAX_SAFE_INTEGER)).result.packet_count).toBe(2)
})

test('an interface that only fits a new segment is described there once', () => {
  const ring = opened({ maxBytes: 100_000 })
  record(ring, T0, 1, 99_000)
  expect(ring.addInterface({ name: 'x'.repeat(900), link: 1, snaplen: 1000 })).toBe(1)
  const block = packetBlock(T0 + 1, 60, 1)
  ring.append(block, block.length, { packets: 1, first: T0 + 1, last: T0 + 1, drops: 0 })
  ring.close()
  const notes = new CaptureNotes()
  const reader = new CaptureReader({ packet: () => {} }, {}, notes)
  for (const file of segments()) reader.push(readFileSync(join(folder, file)))
  expect(notes.interfaces).toHaveLength(2)
})

test('a folder that is taken away stops nothing: the ring counts the loss and goes on', () => {
  const ring = opened()
  record(ring, T0, 5)
  rmSync(folder, { recursive: true })
  record(ring, T0 + 100e6, 5)
  expect(ring.state).toEqual({ recording: true })
  expect(ring.boundaries()).toMatchObject({ packet_count: 5, dropped_packets: 5 })
  expect(ring.lost).toBe(5)
})

test('a block that can never fit is counted as lost and told, not stored', () => {
  const ring = opened({ maxBytes: 100_000 })
  record(ring, T0, 1, 200_000)
  expect(ring.state).toMatchObject({ recording: false })
  expect(ring.lost).toBe(1)
  expect(ring.boundaries()).toMatchObject({ packet_count: 0, dropped_packets: 1 })
})

test('a closed segment without its counts is read instead', () => {
  const ring = opened()
  record(ring, T0, 7)
  ring.close()
  const path = join(folder, segments()[0]!)
  truncateSync(path, statSync(path).size - 4)
  expect(opened().boundaries().packet_count).toBe(7)
})

test('segments keep their order when the clock jumps back', async () => {
  const ring = opened()
  record(ring, T0 + 100e6, 2)
  ring.resetInterfaces()
  ring.addInterface({ name: 'eth0', link: 1, snaplen: 1000 })
  record(ring, T0, 2)
  ring.close()
  const { bytes } = await readWindow(opened(), T0 / 1000, T0 / 1000 + 200_000)
  expect(times(bytes).times).toHaveLength(4)
})

test('held parts are the files as they were, whatever is appended or renamed later', () => {
  const ring = opened()
  record(ring, T0, 1)
  const parts = ring.hold(0, Number.MAX_SAFE_INTEGER)
  const [file] = segments()
  appendFileSync(join(folder, file!), 'x')
  renameSync(join(folder, file!), join(folder, 'other'))
  expect(parts).toHaveLength(1)
  expect(parts[0]).toMatchObject({ packets: 1, open: true })
  for (const part of parts) closeSync(part.fd)
})

test('100 GiB open again by their tails alone', () => {
  const made = opened()
  record(made, T0, 1)
  made.close()
  const [first] = segments()
  const bytes = readFileSync(join(folder, first!))
  rmSync(folder, { recursive: true })
  mkdirSync(folder)
  // Only the tail exists: reading more would find no segment.
  const tail = bytes.subarray(-bytes.readUInt32LE(bytes.length - 4))
  const count = 1600
  for (let at = 0; at < count; at++) {
    const [start, end] = [T0 + at * 60e6, T0 + (at + 1) * 60e6 - 1000]
    const fd = openSync(join(folder, closedName(at + 1, start, end)), 'w')
    writeSync(fd, tail, 0, tail.length, 64 * MIB - tail.length)
    closeSync(fd)
  }
  const ring = opened({ maxBytes: 200 * 2 ** 30 })
  expect(ring.boundaries()).toMatchObject({
    oldest_ts: T0 / 1000,
    size_bytes: 100 * 2 ** 30,
    packet_count: count,
  })
  ring.close()
})
