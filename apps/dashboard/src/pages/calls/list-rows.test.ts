import { expect, test } from 'vitest'
import type { CompactCall } from '../../client/call-details.ts'
import { flatRows, groupedRows } from './list-rows.ts'

const call = (id: string, ts: number, more: Partial<CompactCall> = {}) =>
  ({ id, ts, proto: 'http', status: 200, ...more }) as CompactCall

/** Newest first, as the list has them. */
const calls = [
  call('n/2/1', 50, { latency_ms: 7 }),
  call('n/1/2', 40),
  call('n/3/0', 30),
  call('n/2/0', 20),
  call('n/1/1', 10, { status: 500, error: 'http_5xx' }),
]
const list = {
  length: calls.length,
  at: (row: number) => calls[row],
  rowOf: (id: string) => calls.findIndex((one) => one.id === id),
}
const connectionOf = ({ id }: CompactCall) => id.slice(0, id.lastIndexOf('/'))

test('calls of one connection are below one head, the group with the newest call first', () => {
  const rows = groupedRows(list, connectionOf, new Set())
  expect(Array.from({ length: rows.length }, (_, row) => rows.at(row)?.key)).toEqual([
    'group n/2',
    'group n/1',
    'n/3/0',
  ])
  expect(rows.at(0)).toMatchObject({ name: 'n/2', calls: 2, failed: 0, tookMs: 37, first: { id: 'n/2/0' } })
  expect(rows.at(1)).toMatchObject({ calls: 2, failed: 1 })
})

test('an open group shows its calls, and each has a place', () => {
  const rows = groupedRows(list, connectionOf, new Set(['group n/1']))
  expect([rows.length, rows.rowOf('n/1/2'), rows.rowOf('n/1/1'), rows.rowOf('n/2/1')]).toEqual([5, 2, 3, -1])
  expect(rows.at(2)).toMatchObject({ kind: 'call', isMember: true })
})

test('calls without a name are rows of their own', () => {
  expect(groupedRows(list, () => undefined, new Set()).length).toBe(5)
})

test('without groups the rows are the calls', () => {
  const rows = flatRows(list)
  expect([rows.length, rows.at(1)?.key, rows.rowOf('n/3/0'), rows.at(9)]).toEqual([5, 'n/1/2', 2, undefined])
})
