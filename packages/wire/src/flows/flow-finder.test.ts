import { expect, test } from 'vitest'
import { Streams } from '../streams.ts'
import { ETHERNET, tcpFrame, udpFrame } from '../testing/index.ts'
import { FlowFinder } from './flow-finder.ts'

const ends = [
  { src: '10.0.0.1', dst: '10.0.0.2', sport: 4000, dport: 80 },
  { src: '200.0.0.1', dst: '10.0.0.2', sport: 80, dport: 4000 },
  { src: '10.0.0.2', dst: '200.0.0.1', sport: 4000, dport: 80 },
  { src: '10.0.0.1', dst: '10.0.0.1', sport: 90, dport: 80 },
  { src: 'fe80::2', dst: 'fe80::1', sport: 5000, dport: 53 },
]

test.each(ends)('a packet tells the id of the flow that it begins: %o', (one) => {
  const finder = new FlowFinder()
  for (const frame of [tcpFrame, udpFrame]) {
    const data = frame({ ...one, payload: new Uint8Array(20) })
    const ids: number[] = []
    const streams = new Streams(
      {
        open: (flow) => void ids.push(flow.id),
        data() {},
        datagram() {},
        gap() {},
        finish() {},
        close() {},
      },
      {},
    )
    streams.packet(data, 0, data.length, data.length, 1_700_000_000_123_456, ETHERNET)
    expect(ids).toEqual([finder.idOf(data, 0, data.length, data.length, 1_700_000_000_123_456, ETHERNET)])
  }
})

test('what is no packet of a flow has no id', () => {
  expect(new FlowFinder().idOf(new Uint8Array(20), 0, 20, 20, 0, ETHERNET)).toBe(-1)
})
