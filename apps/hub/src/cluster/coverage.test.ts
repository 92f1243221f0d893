import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CoverageReport } from '@tapdeck/api'
import { pino } from 'pino'
import { afterAll, expect, test } from 'vitest'
import { Unsaved } from '../state/unsaved.ts'
import { idleReport } from '../testing/fake-worker.ts'
import { Coverage, type NodeGap } from './coverage.ts'
import { Worker } from './worker.ts'
import { Workers } from './workers.ts'

const socket = { send: () => {}, terminate: () => {} }
const log = pino({ level: 'silent' })
const DAY = 24 * 3_600_000
let now = 100_000
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-coverage-'))
let files = 0
const opened: Coverage[] = []
afterAll(async () => {
  // A node that left is written a moment later.
  for (const coverage of opened) await coverage.close()
  rmSync(folder, { recursive: true })
})

async function watched(file = join(folder, `${files++}.json`), isShared = false) {
  const workers = new Workers()
  const coverage = await Coverage.open(workers, {
    ...{ file, log, now: () => now, isShared },
    unsaved: new Unsaved(log),
  })
  opened.push(coverage)
  const add = (node: string, recorded: CoverageReport, indexed: CoverageReport) => {
    const report = { ...idleReport, coverage: { recorded, indexed } }
    const worker = new Worker({ kind: 'hello', node, version: '0', report }, socket)
    workers.join(worker)
    return worker
  }
  return { coverage, workers, add }
}

const started = { from: 0, to: 10_000, reason: 'not_started' }
const kill = { from: 40_000, to: 45_000, reason: 'killed' }
const recorded: CoverageReport = { until: 99_000, gaps: [started, kill] }
const indexed: CoverageReport = {
  until: 99_000,
  gaps: [
    { from: 0, to: 20_000, reason: 'not_started' },
    { from: 39_500, to: 46_000, reason: 'killed' },
    { from: 60_000, to: 70_000, reason: 'switch_off' },
  ],
}
const brief = (gaps: readonly NodeGap[]) =>
  gaps.map(({ node, from, to, kind, reason }) => `${node} ${from}-${to} ${kind} ${reason}`)

test('a window lists the times that were not recorded, and those that were recorded and not indexed', async () => {
  const { coverage, add } = await watched()
  add('a', recorded, indexed)
  expect(brief(coverage.missedLive({ start: 5000, end: 65_000 }))).toEqual([
    'a 5000-10000 not_recorded not_started',
    'a 10000-20000 not_indexed not_started',
    'a 39500-40000 not_indexed killed',
    'a 40000-45000 not_recorded killed',
    'a 45000-46000 not_indexed killed',
    'a 60000-65000 not_indexed switch_off',
  ])
  expect(brief(coverage.recorded({ start: 5000, end: 65_000 }))).toEqual([
    'a 5000-10000 not_recorded not_started',
    'a 40000-45000 not_recorded killed',
  ])
  expect(coverage.recorded({ start: 46_000, end: 99_000 })).toEqual([])
})

test('calls that a full index deleted are a gap of their own, with what the recording still has', async () => {
  const { coverage, add } = await watched()
  add('a', { ...recorded, forgotten: 25_000 }, { ...indexed, forgotten: 35_000 })
  expect(brief(coverage.missedLive({ start: 5000, end: 38_000 }))).toEqual([
    'a 5000-10000 not_recorded not_started',
    'a 10000-20000 not_recorded overwritten',
    'a 20000-25000 not_recorded overwritten',
    'a 25000-35000 not_indexed index_full',
  ])
  expect(coverage.missedLive({ start: 25_000, end: 38_000 })[0]?.detail).toContain('the live index is full')
})

test('without a start, the time before the first start is no gap', async () => {
  const { coverage, add } = await watched()
  add('a', recorded, indexed)
  expect(brief(coverage.recorded({}))).toEqual(['a 40000-45000 not_recorded killed'])
})

test('gaps that a report leaves out are those of the report before', async () => {
  const { coverage, workers, add } = await watched()
  const worker = add('a', recorded, indexed)
  const { gaps: _, ...rest } = recorded
  const report = { ...idleReport, coverage: { recorded: { ...rest, until: 99_500 }, indexed } }
  workers.take(worker, { kind: 'report', report })
  expect(brief(coverage.recorded({}))).toEqual(['a 40000-45000 not_recorded killed'])
})

test('a node that is away is unknown since its last moment, also to a hub that restarts', async () => {
  const file = join(folder, 'kept.json')
  const before = await watched(file)
  now = 100_000
  const worker = before.add('a', recorded, indexed)
  before.workers.leave(worker)
  now = 130_000
  const away = ['a 40000-45000 not_recorded killed', 'a 99000-130000 not_recorded worker_away']
  expect(brief(before.coverage.recorded({}))).toEqual(away)
  await before.coverage.close()
  const after = await watched(file)
  expect(brief(after.coverage.recorded({}))).toEqual(away)
  // Nothing of it is in an answer that is made now.
  expect(brief(after.coverage.missedLive({ start: 50_000, end: 80_000 }))).toEqual([
    'a 50000-80000 not_indexed worker_away',
  ])
  now = 100_000
})

test('a node that never comes back stays reported for its time, and says nothing of later days', async () => {
  const { coverage, workers, add } = await watched()
  now = 100_000
  workers.leave(add('a', recorded, indexed))
  now = 30 * DAY
  expect(brief(coverage.missedByRecording({ start: 50_000, end: 80_000 }))).toEqual([
    'a 50000-80000 not_recorded worker_away',
  ])
  expect(coverage.missedByRecording({ start: 29 * DAY })).toEqual([])
  now = 100_000
})

test('what is off now goes on until now, and lost capture counts for the live index as well', async () => {
  const { coverage, add } = await watched()
  const off = { reason: 'capture_lost', detail: 'no interface is up' }
  add('a', { until: 90_000, off, gaps: [] }, { until: 99_000, gaps: [] })
  expect(coverage.missedLive({})).toEqual([
    {
      node: 'a',
      from: 90_000,
      to: 100_000,
      kind: 'not_recorded',
      reason: 'capture_lost',
      detail: 'nothing was captured: no interface is up',
    },
  ])
})

test('a recorder that is off takes nothing from an index that is on', async () => {
  const { coverage, add } = await watched()
  add('a', { until: 50_000, off: { reason: 'recorder_off' }, gaps: [] }, { until: 99_000, gaps: [] })
  expect(coverage.missedLive({})).toEqual([])
  expect(brief(coverage.recorded({}))).toEqual(['a 50000-100000 not_recorded recorder_off'])
})

test('a file that is damaged is left aside', async () => {
  const file = join(folder, 'damaged.json')
  for (const text of ['', '{"nodes":[', '{"nodes":[{"node":1}]}']) {
    await writeFile(file, text)
    expect((await watched(file)).coverage.recorded({})).toEqual([])
  }
})

test('of a node that is away, an index that all nodes share has what it stored before', async () => {
  const { coverage, workers, add } = await watched(undefined, true)
  workers.leave(add('a', recorded, indexed))
  expect(brief(coverage.missedLive({ start: 50_000, end: 100_000 }))).toEqual([
    'a 60000-70000 not_indexed switch_off',
    'a 99000-100000 not_indexed worker_away',
  ])
})

test('a recorder of a pod that has ended is missing in the time that it recorded, and not after it', async () => {
  const { coverage, workers, add } = await watched()
  const recorder = add('pod:shop:web', recorded, indexed)
  workers.leave(recorder)
  const seen = now
  now += 50_000
  expect(brief(coverage.missedByRecording({ start: seen + 1 }))).toEqual([])
  expect(brief(coverage.missedByRecording({ start: 20_000 }))).toEqual([
    `pod:shop:web 20000-${seen} not_recorded worker_away`,
  ])
})
