import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureNotes, CaptureReader, type Loss, PcapngWriter } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { filterFiles, type PacketFilter } from './filter-files.ts'
import { openOnDisk } from './random-reader.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** A file of `count` packets, the time of each in microseconds being its number, of sizes that need padding or not. */
function write(name: string, from: number, count: number, size = (at: number) => 60 + (at % 2000)) {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  for (let at = from; at < from + count; at++) {
    const data = new Uint8Array(size(at)).fill(at)
    writer.packet(0, at, data, 0, data.length, data.length + 7)
  }
  writer.statistics(0, from + count, { received: count, drops: 3 })
  const bytes = writer.take()
  const path = join(folder, name)
  writeFileSync(path, bytes)
  return { node: 'n', path, size_bytes: bytes.length, open: () => openOnDisk(path) }
}

async function filtered(files: ReturnType<typeof write>[], filter: Partial<PacketFilter> = {}) {
  const reasons: string[] = []
  const pieces: Uint8Array[] = []
  const whole: PacketFilter = { packet: () => true, damaged: (reason) => reasons.push(reason), ...filter }
  for await (const piece of filterFiles(files, whole)) pieces.push(piece)
  const bytes = Buffer.concat(pieces)
  const times: number[] = []
  const loss: Loss = {}
  const notes = new CaptureNotes()
  const reader = new CaptureReader(
    {
      packet(data, start, end, length, time) {
        expect(length).toBe(end - start + 7)
        if (end > start) expect([data[start], data[end - 1]]).toEqual([time & 255, time & 255])
        times.push(time)
      },
    },
    loss,
    notes,
  )
  reader.push(bytes)
  reader.end()
  return { bytes, times, loss, notes, reasons }
}

const range = (from: number, to: number) => Array.from({ length: to - from }, (_, at) => from + at)

test('without a wish, files go through byte for byte, one after the other', async () => {
  const files = [write('a', 0, 3000), write('b', 3000, 5)]
  const { bytes, times, loss, reasons } = await filtered(files)
  expect(bytes.equals(Buffer.concat(files.map(({ path }) => readFileSync(path))))).toBe(true)
  expect([times, loss, reasons]).toEqual([range(0, 3005), { kernel_drops: 6 }, []])
})

test('packets are dropped or get a comment, and names are in each section', async () => {
  const names = new PcapngWriter()
  names.names([['10.0.0.1', ['cart']]])
  const { times, notes, loss } = await filtered([write('a', 0, 3000), write('b', 3000, 40)], {
    afterSection: names.take(),
    packet: (_bytes, _start, _end, _length, time) =>
      time % 100 === 7 ? new TextEncoder().encode(`n° ${time}`) : time % 3 !== 0,
  })
  const kept = range(0, 3040).filter((at) => at % 3 !== 0 || at % 100 === 7)
  expect(times).toEqual(kept)
  expect(loss).toEqual({ kernel_drops: 6 })
  expect([...notes.names.keys()]).toEqual(['10.0.0.1'])
  const told = kept.filter((at) => at % 100 === 7)
  expect(notes.comments.map(({ text }) => text)).toEqual(told.map((at) => `n° ${at}`))
  expect(notes.comments.map(({ packet }) => kept[(packet ?? 0) - 1])).toEqual(told)
})

test('a packet that is longer than what is read at once goes through whole', async () => {
  const { times, reasons } = await filtered([write('a', 0, 4, () => 700_001)])
  expect([times, reasons]).toEqual([[0, 1, 2, 3], []])
})

test('damage is reported with its position, and reading continues after it', async () => {
  const files = [write('a', 0, 3000), write('b', 3000, 5), write('c', 3005, 5), write('d', 3010, 5)]
  const bytes = readFileSync(files[0]!.path)
  bytes.fill(0xff, 900_001, 903_000)
  writeFileSync(files[0]!.path, bytes)
  rmSync(files[1]!.path)
  writeFileSync(files[2]!.path, readFileSync(files[2]!.path).subarray(0, 500))
  const { times, loss, reasons } = await filtered(files)
  expect(loss).toEqual({ kernel_drops: 6 })
  expect(reasons).toEqual([
    expect.stringMatching(/a cannot be read from byte \d+ to \d+ of/),
    expect.stringContaining('ENOENT'),
    expect.stringMatching(/c cannot be read from byte \d+ to/),
  ])
  const lost = range(0, 3015).filter((at) => !times.includes(at))
  expect(lost.filter((at) => at < 3000).length).toBeLessThan(6)
  expect(times).toContain(2999)
  expect(times).toContain(3014)
})
