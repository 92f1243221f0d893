import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { CoverageLog } from './coverage-log.ts'

let folder: string
let file: string

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-coverage-'))
  file = join(folder, 'coverage.json')
})
afterEach(() => rmSync(folder, { recursive: true }))

test('a log that was never closed reports a kill from its last beat on', () => {
  const first = CoverageLog.open(file)
  first.begin(1000)
  first.beat(5000)
  const second = CoverageLog.open(file)
  expect(second.state).toMatchObject({ until: 5000, off: { reason: 'killed' } })
  second.begin(9000)
  expect(second.gaps).toEqual([
    { from: 0, to: 1000, reason: 'not_started' },
    { from: 5000, to: 9000, reason: 'killed' },
  ])
})

test('what the disk holds beyond the last beat makes the gap of a kill shorter', () => {
  const first = CoverageLog.open(file)
  first.begin(1000)
  first.beat(5000)
  const second = CoverageLog.open(file)
  second.extend(5600)
  second.extend(5300)
  second.begin(9000)
  expect(second.gaps.at(-1)).toEqual({ from: 5600, to: 9000, reason: 'killed' })
})

test('an orderly end and each reason of a longer pause are kept', () => {
  const first = CoverageLog.open(file)
  first.begin(1000)
  first.end('stopped', 2000)
  first.close()
  const second = CoverageLog.open(file)
  second.extend(2500)
  second.blame('no_permission', 3000, 'run as root')
  second.blame('no_permission', 3500, 'run as root')
  second.begin(4000)
  expect(second.gaps.slice(1)).toEqual([
    { from: 2000, to: 3000, reason: 'stopped' },
    { from: 3000, to: 4000, reason: 'no_permission', detail: 'run as root' },
  ])
})

test('a loss between two beats is a gap of its own', () => {
  const log = CoverageLog.open(file)
  log.begin(1000)
  log.beat(2000)
  log.miss('disk_full', 3000)
  expect(log.gaps.at(-1)).toEqual({ from: 2000, to: 3000, reason: 'disk_full' })
  expect(log.isOn).toBe(true)
})

test('what is planned stays planned after a kill, and fills up step by step', () => {
  const first = CoverageLog.open(file)
  first.begin(10_000)
  expect(first.plan(4000)).toEqual([{ from: 4000, to: 10_000, reason: 'not_started', pending: true }])
  first.fill(4000, 6000, [])
  const second = CoverageLog.open(file)
  second.begin(20_000)
  expect(second.plan(15_000)).toEqual([
    { from: 6000, to: 10_000, reason: 'not_started', pending: true },
    { from: 15_000, to: 20_000, reason: 'killed', pending: true },
  ])
  second.fill(6000, 10_000, [{ from: 7000, to: 8000 }])
  expect(second.gaps).toEqual([
    { from: 0, to: 4000, reason: 'not_started' },
    { from: 7000, to: 8000, reason: 'not_started' },
    { from: 10_000, to: 15_000, reason: 'killed' },
    { from: 15_000, to: 20_000, reason: 'killed', pending: true },
  ])
})

test('the number of gaps is bounded: the oldest are joined and none is dropped', () => {
  const log = CoverageLog.open(undefined)
  for (let at = 1; at <= 1200; at += 2) {
    log.begin(at * 1000)
    log.end('switch_off', (at + 1) * 1000)
  }
  log.begin(5_000_000)
  expect(log.gaps.length).toBe(500)
  expect(log.gaps[0]).toMatchObject({ from: 0 })
  expect(log.gaps.at(-1)).toMatchObject({ from: 1_200_000, to: 5_000_000 })
})

test('a damaged file means that nothing is known of the time before', () => {
  writeFileSync(file, '{"gaps":')
  const log = CoverageLog.open(file)
  log.begin(1000)
  expect(log.gaps).toEqual([{ from: 0, to: 1000, reason: 'unknown' }])
})

test('a gap that the disk did not take is reported after a kill', () => {
  const first = CoverageLog.open(file)
  first.begin(1000)
  first.beat(2000)
  // The file with the gaps cannot be replaced, and the file with the last moment can be written.
  mkdirSync(`${file}.new`)
  first.miss('disk_full', 3000)
  first.beat(4000)
  const second = CoverageLog.open(file)
  second.begin(5000)
  second.beat(6000)
  rmSync(`${file}.new`, { recursive: true })
  const third = CoverageLog.open(file)
  third.begin(8000)
  expect(third.gaps.at(-1)).toEqual({ from: 2000, to: 8000, reason: 'killed' })
})

test('a folder that takes no file costs durability alone', () => {
  const log = CoverageLog.open(join(folder, 'missing', 'coverage.json'))
  log.begin(1000)
  log.beat(2000)
  log.end('stopped')
  expect(log.state).toMatchObject({ until: 2000, off: { reason: 'stopped' } })
})

test('a log in a folder that nothing else makes is there after a kill', () => {
  const inside = join(folder, 'live-clickhouse', 'coverage.json')
  const first = CoverageLog.open(inside)
  first.begin(1000)
  first.beat(5000)
  expect(first.failure).toBeUndefined()
  expect(CoverageLog.open(inside).state).toMatchObject({ until: 5000, off: { reason: 'killed' } })
})

test('a log that cannot be written says why, until it can', () => {
  const place = `${file}.new`
  mkdirSync(place)
  const log = CoverageLog.open(file)
  log.begin(1000)
  expect(log.failure).toContain('EISDIR')
  log.beat(2000)
  expect(log.failure).toContain('EISDIR')
  rmSync(place, { recursive: true })
  log.beat(3000)
  expect(log.failure).toBeUndefined()
  expect(CoverageLog.open(file).until).toBe(3000)
})
