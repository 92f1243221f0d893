import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { RecorderCoverage, type RecorderState } from './recorder-coverage.ts'

let folder: string
let file: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-recorder-'))
  file = join(folder, 'coverage.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

const recording: RecorderState = { lost: 0, drained: false, newest: 0, deletedUntil: 0 }
const started = { from: 0, to: 10_000, reason: 'not_started' }

test('after a kill the gap begins at the last stored packet, or at the last moment with an empty queue', () => {
  const first = new RecorderCoverage(file, 0, 10_000)
  first.update(recording, 10_000)
  first.update({ ...recording, drained: true }, 20_000)
  expect(first.state.until).toBe(19_000)
  const busy = new RecorderCoverage(file, 19_700.5, 25_000)
  busy.update(recording, 25_000)
  expect(busy.state.gaps).toEqual([started, { from: 19_700, to: 25_000, reason: 'killed' }])
  busy.update({ ...recording, drained: true }, 40_000)
  const quiet = new RecorderCoverage(file, 30_000, 45_000)
  quiet.update(recording, 45_000)
  expect(quiet.state.gaps.at(-1)).toEqual({ from: 39_000, to: 45_000, reason: 'killed' })
})

test('while packets are queued, only stored packets count', () => {
  const coverage = new RecorderCoverage(file, 0, 10_000)
  coverage.update(recording, 10_000)
  coverage.update({ ...recording, newest: 12_345 }, 20_000)
  expect(coverage.state.until).toBe(12_345)
})

test('a failed disk, a lost capture and an orderly end are recorded as reasons', () => {
  const coverage = new RecorderCoverage(file, 0, 10_000)
  coverage.update(recording, 10_000)
  coverage.update({ ...recording, newest: 19_500 }, 20_000)
  coverage.update({ ...recording, off: { reason: 'disk_full', detail: 'ENOSPC' } }, 21_000)
  coverage.update({ ...recording, off: { reason: 'capture_lost' } }, 22_000)
  coverage.update(recording, 23_000)
  coverage.update({ ...recording, newest: 24_000 }, 24_000)
  coverage.update({ ...recording, lost: 7, newest: 25_000 }, 25_000)
  coverage.stop(26_000, 7)
  expect(coverage.state.gaps).toEqual([
    started,
    { from: 19_500, to: 22_000, reason: 'disk_full', detail: 'ENOSPC' },
    { from: 22_000, to: 23_000, reason: 'capture_lost' },
    { from: 24_000, to: 25_000, reason: 'disk_failed' },
  ])
  const next = new RecorderCoverage(file, 26_000, 30_000)
  next.update(recording, 30_000)
  expect(next.state.gaps.at(-1)).toEqual({ from: 26_000, to: 30_000, reason: 'stopped' })
})

test('a recording without a coverage log has unknown extent', () => {
  const coverage = new RecorderCoverage(file, 5000, 10_000)
  coverage.update(recording, 10_000)
  expect(coverage.state.gaps).toEqual([{ from: 0, to: 10_000, reason: 'unknown' }])
})
