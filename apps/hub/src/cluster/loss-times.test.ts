import { mkdtempSync, rmSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { WorkerReport } from '@tapdeck/api'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { Unsaved } from '../state/unsaved.ts'
import { idleReport } from '../testing/fake-worker.ts'
import { indexLoss, LossTimes, recordingLoss } from './loss-times.ts'
import { Worker } from './worker.ts'
import { Workers } from './workers.ts'

const socket = { send: () => {}, terminate: () => {} }
const log = pino({ level: 'silent' })
let now = 100_000
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-losses-'))
let files = 0
afterAll(() => rmSync(folder, { recursive: true }))

async function watched(file = join(folder, `${files++}.json`), kind = indexLoss) {
  const workers = new Workers()
  const losses = await LossTimes.open(workers, {
    ...{ kind, file, log, now: () => now },
    unsaved: new Unsaved(log),
  })
  const join = (node: string, loss: WorkerReport['loss'] = {}) => {
    const report = { ...idleReport, indexing: true, loss }
    const worker = new Worker({ kind: 'hello', node, version: '0', report }, socket)
    workers.join(worker)
    return (at: number, more: Partial<WorkerReport>) => {
      now = at
      workers.take(worker, { kind: 'report', report: { ...report, ...more } })
    }
  }
  return { losses, join }
}

test('losses that follow each other are one span, those of another time or node another', async () => {
  const { losses, join } = await watched()
  now = 100_000
  const [a, b] = [join('a', { skipped_packets: 50 }), join('b')]
  a(101_000, { loss: { skipped_packets: 50 } })
  expect(losses.within()).toEqual([])
  a(102_000, { loss: { skipped_packets: 60 } })
  a(103_000, { loss: { skipped_packets: 61, kernel_drops: 2 } })
  b(104_000, { loss: { unwritten_calls: 1 } })
  a(200_000, { loss: { skipped_packets: 61, kernel_drops: 2 } })
  a(201_000, { loss: { skipped_packets: 70, kernel_drops: 2 } })
  const first = { node: 'a', start: 100_000, end: 103_000, skipped_packets: 11, kernel_drops: 2 }
  const second = { node: 'b', start: 99_000, end: 104_000, unwritten_calls: 1 }
  const third = { node: 'a', start: 199_000, end: 201_000, skipped_packets: 9 }
  expect(losses.within()).toEqual([second, first, third])
  expect(losses.within(103_500, 150_000)).toEqual([second])
  expect(losses.within(undefined, 99_500)).toEqual([second])
})

test('a worker that restarts counts from zero', async () => {
  const { losses, join } = await watched()
  now = 1000
  join('a', { skipped_packets: 900 })
  const again = join('a')
  again(2000, { loss: { skipped_packets: 5 } })
  expect(losses.within()).toEqual([{ node: 'a', start: 0, end: 2000, skipped_packets: 5 }])
})

test('what a worker lost while it was not connected is reported when it is back', async () => {
  const { losses, join } = await watched()
  now = 1000
  join('a', { skipped_packets: 2 })
  now = 61_000
  join('a', { skipped_packets: 9 })
  expect(losses.within()).toEqual([{ node: 'a', start: 0, end: 61_000, skipped_packets: 7 }])
})

test('what is dropped while indexing is off is no loss of the live index', async () => {
  const { losses, join } = await watched()
  now = 1000
  const tell = join('a')
  tell(2000, { indexing: false, loss: { kernel_drops: 7 } })
  tell(3000, { loss: { kernel_drops: 7 } })
  expect(losses.within()).toEqual([])
})

test('what is dropped while indexing is off is missing in the recording', async () => {
  const { losses, join } = await watched(undefined, recordingLoss)
  now = 1000
  const tell = join('a')
  tell(2000, { indexing: false, loss: { kernel_drops: 7, skipped_packets: 3 } })
  tell(19_000, { indexing: false, loss: { kernel_drops: 7, skipped_packets: 3 } })
  tell(20_000, { indexing: false, loss: { kernel_drops: 7, disk_drops: 2, skipped_packets: 9 } })
  expect(losses.within()).toEqual([
    { node: 'a', start: 0, end: 2000, kernel_drops: 7 },
    { node: 'a', start: 18_000, end: 20_000, disk_drops: 2 },
  ])
})

test('the number of spans is bounded for each node: one that loses much takes nothing from the others', async () => {
  const { losses, join } = await watched()
  now = 0
  const tell = join('a')
  const other = join('b')
  other(2000, { loss: { kernel_drops: 9 } })
  for (let i = 1; i <= 600; i++) {
    tell(i * 20_000 - 1000, { loss: { kernel_drops: i - 1 } })
    tell(i * 20_000, { loss: { kernel_drops: i } })
  }
  expect(losses.within().filter(({ node }) => node === 'b')).toMatchObject([{ kernel_drops: 9 }])
  const kept = losses.within().filter(({ node }) => node === 'a')
  expect(kept).toHaveLength(500)
  expect(kept[0]).toMatchObject({ kernel_drops: 101 })
  expect(kept.at(-1)).toMatchObject({ end: 600 * 20_000, kernel_drops: 1 })
})

test('a hub that restarts knows what it knew, and what was lost while it was away', async () => {
  const file = join(folder, 'kept.json')
  const before = await watched(file)
  now = 1000
  const tell = before.join('a', { skipped_packets: 2 })
  tell(2000, { loss: { skipped_packets: 5 } })
  await before.losses.close()
  const known = { node: 'a', start: 0, end: 2000, skipped_packets: 3 }
  now = 61_000
  const after = await watched(file)
  expect(after.losses.within()).toEqual([known])
  after.join('a', { skipped_packets: 9 })
  expect(after.losses.within()).toEqual([{ ...known, end: 61_000, skipped_packets: 7 }])
  await after.losses.close()
  expect(JSON.parse(await readFile(file, 'utf8')).spans).toHaveLength(1)
})

test('a file that is damaged is left aside', async () => {
  const file = join(folder, 'damaged.json')
  for (const text of ['', '{"spans":[', '{"spans":[{"node":1}],"last":[]}']) {
    await writeFile(file, text)
    expect((await watched(file)).losses.within()).toEqual([])
  }
})
