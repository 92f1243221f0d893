import { expect, test } from 'vitest'
import { Conversation, follow } from '../testing/index.ts'
import { FlowCounterTable, LAST } from './flow-counter-table.ts'
import { FlowRecord } from './flow-record.ts'

function record(rows: FlowCounterTable): FlowRecord {
  const kind = { transport: 'udp', midstream: false, tunnel: undefined, vlan: undefined, rows } as const
  return new FlowRecord(kind, 1, { ip: '10.0.0.1', port: 1 }, { ip: '10.0.0.2', port: 2 }, 0, 1000)
}

function count(rows: FlowCounterTable, flow: FlowRecord, low: number, high: number, last: number): void {
  const doubles = rows.doubles(flow.row)
  const at = rows.at(flow.row)
  doubles[at] = low
  doubles[at + rows.end] = high
  doubles[at + 2 * rows.end + LAST] = last
}

test('a closed flow keeps its counters when its row is reused', () => {
  const rows = new FlowCounterTable()
  const first = record(rows)
  count(rows, first, 3, 4, 5000)
  first.close('idle')
  const second = record(rows)
  count(rows, second, 30, 40, 9000)
  expect([first.last, first.directions[0].packets, first.directions[1].packets]).toEqual([5000, 3, 4])
  expect([second.last, second.directions[0].packets, second.directions[1].packets]).toEqual([9000, 30, 40])
})

test('reading again shows the new counters', () => {
  const rows = new FlowCounterTable()
  const flow = record(rows)
  const { directions } = flow
  count(rows, flow, 3, 4, 5000)
  expect(flow.directions).toBe(directions)
  expect([directions[0].packets, directions[1].packets]).toEqual([3, 4])
})

test.each([false, true])('flip swaps the counters of the sides, closed: %s', (over) => {
  const rows = new FlowCounterTable()
  const flow = record(rows)
  count(rows, flow, 3, 4, 5000)
  if (over) flow.close('idle')
  flow.flip()
  expect([flow.directions[0].packets, flow.directions[1].packets]).toEqual([4, 3])
})

test('successive connections are each measured from zero', () => {
  const packets = [1, 2, 3].flatMap((n) => [
    ...new Conversation({ clientPort: 5000 + n, start: 1e15 + n * 1e6, step: n * 1000 })
      .handshake()
      .send(0, 'ask')
      .send(1, 'answer')
      .close().packets,
  ])
  const { recorder } = follow(packets)
  expect(recorder.flows.map(({ tcp }) => tcp?.handshake_us)).toEqual([2000, 4000, 6000])
  expect(recorder.flows.map(({ tcp }) => tcp?.fins)).toEqual([2, 2, 2])
  expect(recorder.flows.map(({ directions }) => directions[1].goodput)).toEqual([6, 6, 6])
})
