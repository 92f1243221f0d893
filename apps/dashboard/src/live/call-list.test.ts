import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { CompactCall } from '../client/call-details.ts'
import { CallList } from './call-list.ts'

const peer = { ip: '10.0.0.1', port: 80 }
const call = (ts: number, id = `n/${ts}/0`): CompactCall => ({ id, ts, src: peer, dst: peer, proto: 'http' })
const times = (list: CallList) => Array.from({ length: list.length }, (_, row) => list.at(row)!.ts)

test('newest first, whatever the order of arrival; each id once', () => {
  const list = new CallList(10)
  list.add([call(3), call(1)])
  list.add([call(2), call(3), call(5)])
  expect(times(list)).toEqual([5, 3, 2, 1])
})

test('the oldest rows give way above the capacity, and may come again', () => {
  const list = new CallList(3)
  list.add([call(1), call(2), call(3)])
  expect(list.trimmed).toBe(false)
  list.add([call(4)])
  expect(times(list)).toEqual([4, 3, 2])
  expect(list.trimmed).toBe(true)
  expect(list.has('n/1/0')).toBe(false)
})

test('while held the rows stay; release lets the new ones in', () => {
  const list = new CallList(10)
  list.add([call(1), call(3)])
  list.hold()
  list.add([call(4), call(2), call(5)])
  expect(times(list)).toEqual([3, 1])
  expect(list.waiting).toBe(3)
  list.release()
  expect(times(list)).toEqual([5, 4, 3, 2, 1])
  expect(list.waiting).toBe(0)
})

test('older pages join at the end even while held', () => {
  const list = new CallList(10)
  list.add([call(10), call(11)])
  list.hold()
  list.add([call(8), call(9)])
  expect(times(list)).toEqual([11, 10, 9, 8])
  expect(list.waiting).toBe(0)
})

test('more arrivals than the capacity while held: all counted, the newest kept, no hole after release', () => {
  const list = new CallList(3)
  list.add([call(1), call(2)])
  list.hold()
  for (let ts = 3; ts <= 12; ts++) list.add([call(ts)])
  expect(times(list)).toEqual([2, 1])
  expect(list.waiting).toBe(10)
  list.release()
  expect(times(list)).toEqual([12, 11, 10])
})

test('rows before a gap are dropped; while the user reads them, only after the release', () => {
  const list = new CallList(10)
  list.add([call(1), call(2), call(90)])
  list.dropBefore(80)
  expect(times(list)).toEqual([90])
  expect(list.has('n/1/0')).toBe(false)
  list.hold()
  list.add([call(92), call(500)])
  list.dropBefore(400)
  expect(times(list)).toEqual([90])
  expect(list.newestTime).toBe(500)
  list.release()
  expect(times(list)).toEqual([500])
})

test('the row of a call follows it', () => {
  const list = new CallList(10)
  list.add([call(1), call(2)])
  expect(list.rowOf('n/1/0')).toBe(1)
  list.add([call(3)])
  expect(list.rowOf('n/1/0')).toBe(2)
  expect(list.rowOf('n/9/0')).toBe(-1)
})

test('any mix of arrivals, holds and releases leaves a sorted list without doubles, within the capacity', () => {
  const step = fc.oneof(
    fc.array(fc.integer({ min: 0, max: 60 }), { maxLength: 9 }),
    fc.constantFrom('hold' as const, 'release' as const),
  )
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const list = new CallList(8)
      for (const each of steps) {
        if (each === 'hold') list.hold()
        else if (each === 'release') list.release()
        else list.add(each.map((ts) => call(ts)))
      }
      list.release()
      const seen = times(list)
      expect(seen).toEqual([...new Set(seen)].sort((a, b) => b - a))
      expect(seen.length).toBeLessThanOrEqual(8)
      for (const ts of seen) expect(list.has(`n/${ts}/0`)).toBe(true)
    }),
  )
})
