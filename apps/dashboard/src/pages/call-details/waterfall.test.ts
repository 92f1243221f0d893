import { expect, test } from 'vitest'
import { waterfall } from './waterfall.ts'

const dst = { ip: '10.0.0.2', port: 80, svc: 'cart' }
const request = { headers: { host: 'cart.shop:80' } }
const at = '2026-11-18T00:00:00.000Z'

test('the time of a call is the wait for the first byte and the rest', () => {
  expect(waterfall({ latency_ms: 10, ttfb_ms: 7.5, dst }, undefined)).toEqual([
    { id: 'waiting', title: 'Waiting for the first byte', ms: 7.5, from: 0, share: 0.75 },
    { id: 'receiving', title: 'Receiving the rest', ms: 2.5, from: 0.75, share: 0.25 },
  ])
  expect(waterfall({ dst }, undefined)).toEqual([])
})

test('network and server are apart where both ends were seen', () => {
  const both_ends = {
    client_node: 'a',
    server_node: 'b',
    client_ms: 10,
    server_ms: 6,
    network_ms: 4,
    other_id: 'b/1/0',
    clock_difference_ms: 0,
  }
  expect(
    waterfall({ latency_ms: 10, ttfb_ms: 10, both_ends, dst }, undefined).map(({ id, ms }) => [id, ms]),
  ).toEqual([
    ['network', 4],
    ['waiting', 6],
  ])
})

test('the first call of a connection begins with its lookup and its handshakes', () => {
  const timeline = [
    { at, offset_ms: -30, what: 'dns_lookup', took_ms: 10, name: 'pricing.shop.svc', id: 'n/1/0' },
    { at, offset_ms: -20, what: 'dns_lookup', took_ms: 5, name: 'cart.shop.svc.cluster.local', id: 'n/2/0' },
    { at, offset_ms: -1, what: 'connect', took_ms: 1, inferred: true as const },
    { at, offset_ms: -8, what: 'tls_handshake', took_ms: 8, id: 'n/3/0' },
    { at, offset_ms: 0, what: 'request' },
  ]
  const caused = [
    { id: 'n/4/0', at, offset_ms: 2, what: 'http GET /', src: 'cart-0', dst: 'pricing', latency_ms: 3 },
  ]
  const stretches = waterfall(
    { latency_ms: 10, dst, request },
    { timeline, caused, connection: { conn_id: 1 } },
  )
  expect(stretches.map(({ id, ms, call }) => [id, ms, call])).toEqual([
    ['dns', 5, 'n/2/0'],
    ['connect', 1, undefined],
    ['tls', 8, 'n/3/0'],
    ['waiting', 10, undefined],
    ['caused', 3, 'n/4/0'],
  ])
  expect(stretches.map(({ from }) => Math.round(from * 30))).toEqual([0, 11, 12, 20, 22])
  for (const { from, share } of stretches) expect(from + share).toBeLessThanOrEqual(1.000001)
})

test('a call on an open connection needs no set-up', () => {
  const timeline = [
    { at, offset_ms: -5, what: 'dns_lookup', took_ms: 1, name: 'cart.shop.svc.cluster.local' },
    { at, offset_ms: -3, what: 'previous_call_ended', id: 'n/1/0' },
  ]
  const explanation = { timeline, caused: [], connection: { previous_call: 'n/1/0' } }
  expect(waterfall({ latency_ms: 1, dst, request }, explanation).map(({ id }) => id)).toEqual(['waiting'])
})
