import { expect, test } from 'vitest'
import { Conversation, follow } from '../testing/index.ts'
import { FlowRecord } from './flow-record.ts'
import { LAST, NumberRows } from './number-rows.ts'

function record(rows: NumberRows): FlowRecord {
  const kind = { transport: 'udp', midstream: false, tunnel: undefined, vlan: undefined, rows } as const
  return new FlowRecord(kind, 1, { ip: '10.0.0.1', port: 1 }, { ip: '10.0.0.2', port: 2 }, 0, 1000)
}

function count(rows: NumberRows, flow: FlowRecord, low: number, high: number, last: number): void {
  const doubles = rows.doubles(flow.row)
  const at = rows.at(flow.row)
  doubles[at] = low
  doubles[at + rows.end] = high
  doubles[at + 2 * rows.end + LAST] = last
}

test('a flow that is over keeps its numbers when its row goes to another', () => {
  const rows = new NumberRows()
  const first = record(rows)
  count(rows, first, 3, 4, 5000)
  first.close('idle')
  const second = record(rows)
  count(rows, second, 30, 40, 9000)
  expect([first.last, first.halves[0].packets, first.halves[1].packets]).toEqual([5000, 3, 4])
  expect([second.last, second.halves[0].packets, second.halves[1].packets]).toEqual([9000, 30, 40])
})

test('whoever asks again sees the counters move', () => {
  const rows = new NumberRows()
  const flow = record(rows)
  const { halves } = flow
  count(rows, flow, 3, 4, 5000)
  expect(flow.halves).toBe(halves)
  expect([halves[0].packets, halves[1].packets]).toEqual([3, 4])
})

test.each([false, true])('what was counted of the sides changes places with them, over: %s', (over) => {
  const rows = new NumberRows()
  const flow = record(rows)
  count(rows, flow, 3, 4, 5000)
  if (over) flow.close('idle')
  flow.flip()
  expect([flow.halves[0].packets, flow.halves[1].packets]).toEqual([4, 3])
})

test('connections that come one after the other are each measured from the start', () => {
  const packets = [1, 2, 3].flatMap((n) => [
    ...new Conversation({ clientPort: 5000 + n, start: 1e15 + n * 1e6, step: n * 1000 })
      .handshake()
      .send(0, 'ask')
      .send(1, 'answer')
      .close().packets,
  ])
  const { told } = follow(packets)
  expect(told.flows.map(({ tcp }) => tcp?.handshake_us)).toEqual([2000, 4000, 6000])
  expect(told.flows.map(({ tcp }) => tcp?.fins)).toEqual([2, 2, 2])
  expect(told.flows.map(({ halves }) => halves[1].goodput)).toEqual([6, 6, 6])
})
