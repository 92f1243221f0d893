import { expect, test } from 'vitest'
import { flowFilter, flowPeerName } from './flow-filter.ts'

test('a row leads to the calls between its peers', () => {
  expect(flowFilter({ client: { pod: 'web-0', ns: 'shop' }, server: { svc: 'cart', ns: 'shop' } })).toBe(
    'src.pod == "web-0" and src.ns == "shop" and dst.svc == "cart" and dst.ns == "shop"',
  )
  expect(flowFilter({ client: { ip: '10.0.0.1' }, server: { ns: 'shop' } })).toBe(
    'src.ip == "10.0.0.1" and dst.ns == "shop"',
  )
  expect(flowFilter({ client: { ip: '10.0.0.1', port: 999 }, server: { ip: '10.0.0.2', port: 5432 } })).toBe(
    'src.ip == "10.0.0.1" and dst.ip == "10.0.0.2" and dst.port == 5432',
  )
  expect(flowFilter({ client: {}, server: { ns: 'shop' } })).toBeUndefined()
})

test('a peer is named by what people call it', () => {
  expect(flowPeerName({ pod: 'cart-0', svc: 'cart' })).toBe('cart-0')
  expect(flowPeerName({ svc: 'cart' })).toBe('cart')
  expect(flowPeerName({ ip: 'fd00::1', port: 53 })).toBe('[fd00::1]:53')
  expect(flowPeerName({})).toBe('unknown')
})
