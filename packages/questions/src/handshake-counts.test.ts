import { expect, test } from 'vitest'
import { mergeHandshakes } from './handshake-counts.ts'

test('percentiles over several indexes are values that occurred, by how often they did', () => {
  const one = new Map([
    ['a', [[900, 1] as const, [100, 49] as const]],
    ['b', [[7, 1] as const]],
  ])
  const other = new Map([['a', [[100, 40] as const, [300, 10] as const]]])
  expect([...mergeHandshakes([one, other])]).toEqual([
    ['a', { tcp_handshake_p50_us: 100, tcp_handshake_p90_us: 300, tcp_handshake_p99_us: 300 }],
    ['b', { tcp_handshake_p50_us: 7, tcp_handshake_p90_us: 7, tcp_handshake_p99_us: 7 }],
  ])
})

test('there are none where one of the indexes cannot tell its own', () => {
  expect(mergeHandshakes([new Map([['a', [[100, 1] as const]]]), undefined]).size).toBe(0)
})
