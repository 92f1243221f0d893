import {
  appendFileSync,
  closeSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { seededRandom } from '@tapdeck/kfl/testing'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { BlockCache } from './block-cache.ts'
import { Segment } from './segment.ts'
import { SegmentWriter } from './segment-writer.ts'

let folder: string
let path: string
const cache = () => new BlockCache(0)

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-segment-'))
  path = join(folder, 'payload.seg')
})

afterEach(() => rmSync(folder, { recursive: true }))

interface Place {
  readonly block: number
  readonly slot: number
  readonly bytes: Uint8Array
}

const random = seededRandom(5)

/** Items that compress, of many sizes. */
function add(writer: SegmentWriter, count: number, longest = 3000): Place[] {
  return Array.from({ length: count }, () => {
    const payload = new Uint8Array(Math.floor(random() * longest)).map((_, i) => (i + count) & 63)
    const item = writer.item()
    const before = item.length
    item.byte(7)
    item.bytes(payload)
    const bytes = item.written().slice(before)
    return { slot: writer.endItem(), block: writer.block, bytes }
  })
}

function expectAll(segment: Segment, places: readonly Place[]): void {
  for (const { block, slot, bytes } of places)
    expect(Buffer.compare(segment.read(block, slot) ?? Buffer.alloc(0), bytes)).toBe(0)
}

describe('a segment', () => {
  it('gives back every item, while it is written and when it is opened again', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const places = add(writer, 500)
    await writer.settle()
    places.push(...add(writer, 3))
    await writer.settle()
    expectAll(segment, places)
    expect(segment.size).toBe(statSync(path).size)
    expect(segment.size).toBeLessThan(places.reduce((sum, { bytes }) => sum + bytes.length, 0) / 3)
    segment.close()
    const walked = new Segment(path, 'read', cache())
    expectAll(walked, places)
    walked.seal()
    walked.close()
    expectAll(new Segment(path, 'read', cache()), places)
  })

  it('without options, stores all blocks in one go', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const places = add(writer, 4000)
    expect(segment.size).toBeGreaterThan(1_000_000)
    writer.settleNow()
    expect(writer.written).toBe(writer.block)
    expectAll(segment, places)
    await writer.settle()
    expectAll(segment, places)
  })

  it('compresses again once what was too much for it is over', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const grows = async (count: number) => {
      const before = segment.size
      const places = add(writer, count)
      await writer.settle()
      const raw = places.reduce((sum, { bytes }) => sum + bytes.length, 0)
      return (segment.size - before) / raw
    }
    expect(await grows(8000)).toBeGreaterThan(0.4)
    await grows(100)
    expect(await grows(100)).toBeLessThan(0.2)
    segment.close()
  })

  it('stores blocks as they are while more comes than can be compressed, also from two writers at once', async () => {
    const paths = [path, join(folder, 'other.seg')]
    const segments = paths.map((each) => new Segment(each, 'write', cache()))
    const writers = segments.map((segment) => new SegmentWriter(segment, {}))
    const places: Place[][] = [[], []]
    for (let round = 0; round < 40; round++)
      for (const [at, writer] of writers.entries()) places[at]!.push(...add(writer, 300))
    writers[0]!.settleNow()
    for (const [at, writer] of writers.entries()) places[at]!.push(...add(writer, 300))
    await writers[0]!.settle()
    await writers[1]!.settle()
    for (const [at, segment] of segments.entries()) {
      expectAll(segment, places[at]!)
      segment.close()
      const again = new Segment(paths[at]!, 'read', cache())
      expectAll(again, places[at]!)
      again.close()
    }
  })

  it('has every block when it begins to compress again', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const item = new Uint8Array(256 * 1024)
    const places: { block: number; slot: number; mark: number }[] = []
    // Each fills a block. More than are written as they are before it tries again.
    for (let mark = 0; mark < 545; mark++) {
      item.fill(mark & 255)
      writer.item().raw(item)
      places.push({ slot: writer.endItem(), block: writer.block, mark: mark & 255 })
      // Those that waited from before are compressed: the next one finds room.
      if (mark === 300) await expect.poll(() => writer.written, { interval: 5 }).toBe(writer.block)
    }
    await writer.settle()
    for (const { block, slot, mark } of places) {
      const bytes = segment.read(block, slot)!
      expect([bytes.length, bytes[0], bytes.at(-1)]).toEqual([item.length, mark, mark])
    }
    segment.close()
  })

  it('takes items larger than a block', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const places = add(writer, 6, 900_000)
    await writer.settle()
    expectAll(segment, places)
  })

  it('says which blocks are in the file, so that rows can wait for theirs', async () => {
    const writer = new SegmentWriter(new Segment(path, 'write', cache()), {})
    add(writer, 1000)
    expect(writer.written).toBe(0)
    expect(writer.block).toBeGreaterThan(2)
    await writer.settle()
    expect(writer.written).toBe(writer.block)
  })

  it('cut at any byte, keeps the whole blocks before the cut and goes on after them', async () => {
    const first = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(first, {})
    const kept = add(writer, 5)
    await writer.settle()
    const { size } = first
    const lost = add(writer, 5)
    await writer.settle()
    first.close()
    const whole = readFileSync(path)
    for (let cut = size; cut < whole.length; cut += cut - size < 40 ? 1 : 97) {
      truncateSync(path, cut)
      const segment = new Segment(path, 'write', cache())
      expectAll(segment, kept)
      expect(segment.has(lost[0].block)).toBe(false)
      expect(segment.read(lost[0].block, lost[0].slot)).toBe(undefined)
      const next = new SegmentWriter(segment, {}, lost[0].block + 1)
      const more = add(next, 2)
      await next.settle()
      expectAll(segment, more)
      expect(segment.read(lost[0].block, 0)).toBe(undefined)
      segment.close()
      truncateSync(path, 0)
      appendFileSync(path, whole)
    }
  })

  it('notices a block whose bytes changed', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    const [place] = add(writer, 1)
    await writer.settle()
    const fd = openSync(path, 'r+')
    writeSync(fd, Uint8Array.of(255), 0, 1, segment.size - 2)
    closeSync(fd)
    expect(segment.read(place.block, place.slot)).toBe(undefined)
  })

  it('knows nothing of blocks and slots that never were', async () => {
    const segment = new Segment(path, 'write', cache())
    const writer = new SegmentWriter(segment, {})
    add(writer, 2)
    await writer.settle()
    expect(segment.read(0, 2)).toBe(undefined)
    expect(segment.read(1, 0)).toBe(undefined)
  })
})
