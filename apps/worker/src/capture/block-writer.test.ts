import { createHash } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { MessageChannel, type MessagePort, receiveMessageOnPort } from 'node:worker_threads'
import { Ring } from '@tapdeck/recording'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { BlockLease } from '../blocks/block-lease.ts'
import { BLOCK_MEMORY, blockViews, SHARED_BLOCKS } from '../blocks/block-memory.ts'
import type { BlockMessage } from '../blocks/block-message.ts'
import { BlockWriter, type BlockWriterOptions } from './block-writer.ts'
import { PacketCopy } from './packet-copy.ts'
import { BLOCK_SIZE, FIRST_PACKET } from './packet-socket.ts'
import { fillBlock } from './testing/kernel-block.ts'

const FRAMES = BLOCK_SIZE
const MIB = 1 << 20

let folder: string
let memory: BlockWriterOptions['memory']
let lease: BlockLease
let ring: Ring
let live: MessagePort
let writer: BlockWriter
let ports: MessagePort[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  // The memory is aligned to a page, like the kernel's.
  const wasm = new WebAssembly.Memory({ initial: (FRAMES + BLOCK_MEMORY + 65_536) >> 16 })
  const copy = new PacketCopy(wasm, FRAMES + BLOCK_MEMORY)
  memory = { buffer: wasm.buffer, blocks: FRAMES, copy }
  lease = new BlockLease()
  ring = Ring.open(folder, { maxBytes: 256 * MIB, node: 'n', application: 'test' })
  const channel = new MessageChannel()
  ports = [channel.port1, channel.port2]
  live = channel.port2
  writer = new BlockWriter({
    ring,
    memory,
    lease,
    node: 'n',
    application: 'test',
    snapLength: 1000,
    nameOf: (index) => (index === 9 ? undefined : `eth${index}`),
  })
  writer.connect(channel.port1)
})
afterEach(() => {
  for (const port of ports) port.close()
  rmSync(folder, { recursive: true })
})

const pattern = Uint8Array.from({ length: 66_000 }, (_, at) => at ^ (at >> 8))

/** One packet with the bytes `[start, end)` of the pattern, in its own kernel block. */
function frame(
  start: number,
  end: number,
  length: number,
  time: number,
  interfaceIndex: number,
  hardwareType: number,
): void {
  fill(start, end, length, time, interfaceIndex, hardwareType)
  writer.block(FIRST_PACKET, 1, 84 + end - start)
}

function fill(
  start: number,
  end: number,
  length: number,
  time: number,
  interfaceIndex: number,
  hardwareType: number,
): void {
  const seconds = Math.floor(time / 1e6)
  const nanoseconds = (time - seconds * 1e6) * 1000
  const network = hardwareType === 1 ? 14 : 0
  const bytes = pattern.subarray(start, end)
  fillBlock(memory.buffer, 0, [
    { bytes, length, seconds, nanoseconds, interfaceIndex, hardwareType, network },
  ])
}

function messages(): BlockMessage[] {
  const got: BlockMessage[] = []
  for (let one = receiveMessageOnPort(live); one; one = receiveMessageOnPort(live)) got.push(one.message)
  return got
}

interface Packet {
  readonly bytes: Uint8Array
  readonly length: number
  readonly time: number
  readonly link: number
}

function packets(chunks: readonly Uint8Array[]): { packets: Packet[]; loss: Loss } {
  const found: Packet[] = []
  const loss: Loss = {}
  const reader = new CaptureReader(
    {
      packet: (data, start, end, length, time, link) =>
        found.push({ bytes: new Uint8Array(data.subarray(start, end)), length, time, link }),
    },
    loss,
  )
  for (const chunk of chunks) reader.push(chunk)
  return { packets: found, loss }
}

function digest(all: readonly Packet[]): string {
  const hash = createHash('sha256')
  for (const { bytes, length, time, link } of all) hash.update(bytes).update(`${length} ${time} ${link}`)
  return hash.digest('hex')
}

async function recorded() {
  await writer.settled()
  ring.close()
  return packets(
    readdirSync(folder)
      .filter((file) => file.endsWith('.pcapng'))
      .sort()
      .map((file) => readFileSync(join(folder, file))),
  )
}

/** The packets that a live thread reads from its messages; it releases the blocks. */
function indexed(all: readonly BlockMessage[]) {
  const views = blockViews(memory.buffer, FRAMES)
  const chunks: Uint8Array[] = []
  for (const message of all) {
    if (message.kind === 'begin') chunks.push(message.preamble)
    else if (message.kind === 'preamble') chunks.push(message.bytes)
    else if (message.kind === 'block') chunks.push(views[message.block]!.slice(message.from, message.to))
    else if (message.kind === 'release') lease.release(message.block)
  }
  return packets(chunks)
}

test('frames of any length are recorded unchanged', async () => {
  const lengths = [0, 1, 2, 3, 59, 60, 127, 128, 129, 999, 4096, 4097, 4098, 9000, 65_533, 65_534, 65_535]
  for (const [at, length] of lengths.entries()) frame(1, 1 + length, length + at, 1.8e15 + at, 1, 1)
  writer.flush(0)
  const { packets: found, loss } = await recorded()
  expect(loss).toEqual({})
  expect(found.map((one) => ({ ...one, bytes: Buffer.from(one.bytes).toString('latin1') }))).toEqual(
    lengths.map((length, at) => ({
      bytes: Buffer.from(pattern.subarray(1, 1 + length)).toString('latin1'),
      length: length + at,
      time: 1.8e15 + at,
      link: 1,
    })),
  )
  expect(writer.packets).toBe(lengths.length)
})

test('the live thread gets blocks only while the switch is on', async () => {
  frame(0, 60, 60, 1e15, 1, 1)
  writer.flush(0)
  expect(messages()).toEqual([])
  frame(0, 60, 60, 1e15 + 1, 1, 1)
  writer.setIndexing(true)
  frame(0, 60, 60, 1e15 + 2, 2, 0xfffe)
  writer.setIndexing(false)
  frame(0, 60, 60, 1e15 + 3, 1, 1)
  writer.flush(0)
  const told = messages()
  expect(told.map(({ kind }) => kind)).toEqual(['begin', 'preamble', 'block', 'release', 'end'])
  const seen = indexed(told)
  expect(seen.loss).toEqual({})
  expect(seen.packets.map(({ time, link }) => ({ time, link }))).toEqual([{ time: 1e15 + 2, link: 101 }])
  expect((await recorded()).packets).toHaveLength(4)
  expect(writer.skipped).toBe(0)
})

test('the live thread sees the same packets as the disk', async () => {
  writer.setIndexing(true)
  for (let at = 0; at < 3000; at++) {
    frame(at % 100, (at % 100) + 800, 900, 1e15 + at, at % 3, 1)
    if (at % 700 === 0) writer.flush(0)
  }
  writer.flush(0)
  const seen = indexed(messages())
  expect(seen.packets).toHaveLength(3000)
  expect(digest(seen.packets)).toBe(digest((await recorded()).packets))
})

test('small flushes share a block, so a busy live thread loses no packets', () => {
  writer.setIndexing(true)
  for (let at = 0; at < SHARED_BLOCKS * 20; at++) {
    frame(0, 60, 60, 1e15 + at, 1, 1)
    writer.flush(0)
  }
  expect(writer.skipped).toBe(0)
  expect(indexed(messages()).packets).toHaveLength(SHARED_BLOCKS * 20)
})

test('a live thread that is too slow misses packets, the recording does not', async () => {
  writer.setIndexing(true)
  const all = SHARED_BLOCKS * 16 + 40
  for (let at = 0; at < all; at++) frame(0, 65_000, 65_000, 1e15 + at, 1, 1)
  writer.flush(0)
  expect(writer.skipped).toBeGreaterThan(0)
  const seen = indexed(messages())
  expect(seen.packets).toHaveLength(all - writer.skipped)
  frame(0, 60, 60, 2e15, 1, 1)
  writer.flush(0)
  expect(messages().map(({ kind }) => kind)).toEqual(['block'])
  expect((await recorded()).packets).toHaveLength(all + 1)
})

test('a full block is flushed by itself', () => {
  writer.setIndexing(true)
  for (let at = 0; at < 30; at++) frame(0, 65_000, 65_000, 1e15 + at, 1, 1)
  const blocks = messages().filter(({ kind }) => kind === 'block')
  expect(blocks.length).toBeGreaterThan(0)
  for (const block of blocks) expect(block).toMatchObject({ to: expect.any(Number) })
})

test.each([
  { kind: 'small', size: 200, stays: false },
  { kind: 'large', size: 1500, stays: true },
])(
  'a burst of $kind frames bypasses the page cache, and later packets stay in order',
  async ({ size, stays }) => {
    const stored: number[] = []
    writer.whenStored = (blocks) => stored.push(...blocks)
    const all: number[] = []
    for (let round = 0; round < 6; round++) {
      const count = round === 5 ? 3 : Math.floor(1e6 / (size + 100))
      const times = Array.from({ length: count }, (_, at) => round * 10_000 + at)
      all.push(...times)
      const bytes = pattern.subarray(0, size)
      fillBlock(
        memory.buffer,
        0,
        times.map((time) => ({ bytes, seconds: 1e9, nanoseconds: time * 1000 })),
      )
      const kept = writer.block(FIRST_PACKET, count, count * (84 + size))
      // The interface is not yet known in the first block.
      expect(kept).toBe(stays && round > 0 && round < 5)
      writer.flush(round)
      expect(writer.isWriting).toBe(round < 5)
      // The boundaries change only when the write has ended.
      if (round === 0) expect(ring.boundaries().packet_count).toBe(0)
      await writer.settled()
      expect(ring.boundaries()).toMatchObject({
        packet_count: all.length,
        dropped_packets: (round * (round + 1)) / 2,
      })
    }
    expect(stored).toHaveLength(stays ? 4 : 0)
    const { packets: found, loss } = await recorded()
    expect(loss).toEqual({ kernel_drops: 15 })
    expect(found.map(({ time }) => time - 1e15)).toEqual(all)
    expect(found.every(({ bytes }) => bytes.length === size && bytes[199] === pattern[199])).toBe(true)
  },
)

test('packets wait for a running write, except when the writer must hurry', async () => {
  const fill = (from: number) => {
    const packets = Array.from({ length: 2000 }, (_, at) => ({
      bytes: pattern.subarray(0, 300),
      seconds: 1e9,
      nanoseconds: (from + at) * 1000,
    }))
    fillBlock(memory.buffer, 0, packets)
    writer.block(FIRST_PACKET, 2000, 2000 * 384)
    writer.flush(0)
  }
  fill(0)
  fill(2000)
  expect(ring.boundaries().packet_count).toBe(0)
  await writer.settled()
  expect(ring.boundaries().packet_count).toBe(4000)
  fill(4000)
  writer.hurry = true
  fill(6000)
  expect(ring.boundaries().packet_count).toBe(6000)
  await writer.settled()
  const { packets: found, loss } = await recorded()
  expect(loss).toEqual({})
  expect(found.map(({ time }) => time - 1e15)).toEqual(Array.from({ length: 8000 }, (_, at) => at))
})

test('indexing that begins during a running write stores all packets, in order', async () => {
  const rounds = 8
  for (let round = 0; round < rounds; round++) {
    const packets = Array.from({ length: 2000 }, (_, at) => ({
      bytes: pattern.subarray(0, 1000),
      seconds: 1e9,
      nanoseconds: (round * 2000 + at) * 1000,
    }))
    fillBlock(memory.buffer, 0, packets)
    writer.block(FIRST_PACKET, 2000, 0)
    writer.flush(0)
    if (round > 0) continue
    expect(writer.isWriting).toBe(true)
    writer.setIndexing(true)
  }
  expect(writer.isWriting).toBe(true)
  await writer.settled()
  const { packets: found, loss } = await recorded()
  expect(loss).toEqual({})
  expect(found.map(({ time }) => time - 1e15)).toEqual(Array.from({ length: rounds * 2000 }, (_, at) => at))
})

test('drops are stored with the packets after them', async () => {
  writer.flush(5)
  frame(0, 60, 60, 1e15, 1, 1)
  writer.flush(2)
  expect(ring.boundaries().dropped_packets).toBe(7)
  expect((await recorded()).loss).toEqual({ kernel_drops: 7 })
})

test('many interfaces begin new sections', async () => {
  writer.setIndexing(true)
  for (let at = 0; at < 1100; at++) {
    frame(0, 60, 60, 1e15 + at, at, 1)
    for (const message of messages()) if (message.kind === 'release') lease.release(message.block)
  }
  writer.flush(0)
  expect((await recorded()).packets).toHaveLength(1100)
  expect(ring.preamble.count).toBeLessThan(513)
})

test('a new live thread gets the preamble and all blocks', () => {
  writer.setIndexing(true)
  frame(0, 60, 60, 1e15, 1, 1)
  writer.flush(0)
  lease.reset()
  const channel = new MessageChannel()
  ports.push(channel.port1, channel.port2)
  live = channel.port2
  writer.connect(channel.port1)
  frame(0, 60, 60, 1e15 + 1, 1, 1)
  writer.flush(0)
  const seen = indexed(messages())
  expect(seen).toMatchObject({ loss: {}, packets: [{ time: 1e15 + 1 }] })
})

test('without a ring, packets go to the live thread only', () => {
  const alone = new BlockWriter({
    memory,
    lease,
    node: 'n',
    application: 'test',
    snapLength: 1000,
    nameOf: () => undefined,
  })
  alone.connect(ports[0]!)
  alone.setIndexing(true)
  fill(0, 60, 60, 1e15, 9, 1)
  alone.block(FIRST_PACKET, 1, 84 + 60)
  alone.flush(0)
  expect(indexed(messages()).packets).toHaveLength(1)
})
