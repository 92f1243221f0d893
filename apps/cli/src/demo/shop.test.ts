import { createResolver, parseInventory } from '@tapdeck/inventory'
import { expect, test } from 'vitest'
import { shop, shopInventory } from './shop.ts'

test('every pod has an address of its own on the loopback interface', () => {
  const addresses = shopInventory().pods.flatMap(({ ips }) => ips)
  expect(new Set(addresses).size).toBe(addresses.length)
  expect(addresses.every((ip) => ip.startsWith('127.0.10.'))).toBe(true)
})

test('the hub can name requests between the pods', () => {
  const resolver = createResolver(parseInventory(JSON.parse(JSON.stringify(shopInventory()))))
  const [cart] = shop.cart
  expect(resolver.resolve(cart.ip, cart.port, 0)).toMatchObject({ pod: 'cart-0', svc: 'cart', ns: 'shop' })
  // As a client, a pod has the name of the service that selects it.
  expect(resolver.resolve(cart.ip, 40_000, 0)).toMatchObject({ pod: 'cart-0', svc: 'cart' })
})
