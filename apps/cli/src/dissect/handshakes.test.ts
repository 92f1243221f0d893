import { expect, test } from 'vitest'
import { Handshakes } from './handshakes.ts'

test('percentiles are taken of each service alone, by nearest rank', () => {
  const handshakes = new Handshakes()
  for (let time = 100; time >= 1; time--) handshakes.add('shop/cart', time)
  handshakes.add('shop/web', 7.4)
  const percentiles = handshakes.percentiles()
  expect(percentiles.get('shop/cart')).toEqual({
    tcp_handshake_p50_us: 50,
    tcp_handshake_p90_us: 90,
    tcp_handshake_p99_us: 99,
  })
  expect(percentiles.get('shop/web')).toEqual({
    tcp_handshake_p50_us: 7,
    tcp_handshake_p90_us: 7,
    tcp_handshake_p99_us: 7,
  })
  expect(percentiles.get('shop/none')).toBeUndefined()
})
