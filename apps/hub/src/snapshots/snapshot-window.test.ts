import { formatDuration } from '@tapdeck/units'
import { expect, it } from 'vitest'
import { expectedBytes, snapshotWindow } from './snapshot-window.ts'

const recording = (oldest_ts: number | null, newest_ts: number | null) => ({
  oldest_ts,
  newest_ts,
  size_bytes: 1000,
  packet_count: 10,
  dropped_packets: 0,
})

it('counts a duration back from the newest packet, which lies in the past where capture has stopped', () => {
  const request = { duration: 60_000 }
  expect(snapshotWindow(request, [recording(0, 999_500)], 1_000_000)).toMatchObject({
    start: 939_500,
    end: 1_000_001,
  })
  expect(snapshotWindow(request, [recording(0, 200_000), recording(0, 500_000)], 1_000_000)).toMatchObject({
    start: 440_000,
    end: 1_000_001,
  })
  expect(snapshotWindow(request, [recording(null, null)], 1_000_000)).toMatchObject({ start: 940_000 })
  expect(snapshotWindow({ duration: 9e9 }, [], 1_000_000)).toMatchObject({ start: 0 })
})

it('takes a start and an end, or one of them, and says where it reaches into the future', () => {
  const at = (start?: number, end?: number) => snapshotWindow({ start, end }, [recording(100, 900)], 1000)
  expect(at(200, 300)).toEqual({ start: 200, end: 300, beyond: false })
  expect(at(200)).toEqual({ start: 200, end: 1001, beyond: false })
  expect(at(undefined, 300)).toEqual({ start: 100, end: 300, beyond: false })
  expect(at(200, 5000)).toEqual({ start: 200, end: 1001, beyond: true })
  expect(() => at(300, 200)).toThrow()
  expect(() => at(300, 300)).toThrow()
  expect(() => at(2000, 3000)).toThrow()
})

it('expects as many bytes as the window overlaps the recording', () => {
  const bytes = (start: number, end: number) =>
    expectedBytes(recording(1000, 2000), { start, end, beyond: false })
  expect(bytes(0, 5000)).toBe(1000)
  expect(bytes(1500, 5000)).toBe(500)
  expect(bytes(3000, 5000)).toBe(0)
  expect(expectedBytes(recording(null, null), { start: 0, end: 1, beyond: false })).toBe(0)
})

it('writes durations as they are read', () => {
  expect([0, 250, 1000, 90_000, 5_400_000, 3_600_000, 176_400_000].map(formatDuration)).toEqual([
    '0s',
    '250ms',
    '1s',
    '1m30s',
    '1h30m',
    '1h',
    '2d1h',
  ])
})
