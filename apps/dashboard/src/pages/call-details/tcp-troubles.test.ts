import { expect, test } from 'vitest'
import { tcpTroubles } from './tcp-troubles.ts'

test('a healthy connection has no troubles', () => {
  expect(tcpTroubles({})).toEqual([])
  expect(tcpTroubles({ retransmissions: 0, resets: 0, handshake_us: 31, rtt_min_us: 7, fins: 2 })).toEqual([])
})

test('each counter that means trouble is a sentence', () => {
  expect(tcpTroubles({ retransmissions: 1, resets: 2, zero_window: 3 })).toEqual([
    '1 segment sent again: packets were lost or late.',
    '3 times a receiver had no space left: it reads too slowly.',
    '2 resets: one side broke the connection off.',
  ])
  expect(tcpTroubles({ handshake_us: 1_000_000, rtt_min_us: 200 })).toHaveLength(1)
  expect(tcpTroubles({ handshake_us: 300_000, rtt_min_us: 150_000 })).toEqual([])
})
