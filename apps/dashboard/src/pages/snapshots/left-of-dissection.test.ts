import { expect, test } from 'vitest'
import { leftOfDissection } from './left-of-dissection.ts'

const running = {
  status: 'running' as const,
  progress: 25,
  call_count: 1200,
  packet_count: 1,
  started_at: '2026-01-31T12:00:00.000Z',
}
const now = Date.parse('2026-01-31T12:00:10.000Z')

test('a dissection that runs says what it found and how long it may still take', () => {
  expect(leftOfDissection(running, now)).toBe('1,200 calls in 1 packet so far, about 30s left.')
  expect(leftOfDissection({ ...running, progress: 1 }, now)).toBe('1,200 calls in 1 packet so far.')
  expect(leftOfDissection({ ...running, started_at: null }, now)).toBe('1,200 calls in 1 packet so far.')
  expect(leftOfDissection({ ...running, status: 'pending' }, now)).toContain('waits')
})
