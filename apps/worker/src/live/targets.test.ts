import type { Endpoint } from '@tapdeck/dissect'
import { expect, test } from 'vitest'
import { createTargets } from './targets.ts'

const all = { regex: '.*', namespaces: [], excludedNamespaces: [] }
const outside: Endpoint = { ip: '8.8.8.8', port: 53 }
const cart: Endpoint = { ip: '10.0.0.1', port: 80, pod: 'cart-1', ns: 'shop' }
const prometheus: Endpoint = { ip: '10.0.0.2', port: 9090, pod: 'prometheus-0', ns: 'monitoring' }

test('by default every call is indexed, named or not', () => {
  expect(createTargets(all)(outside, outside)).toBe(true)
})

test('one target among the peers is enough', () => {
  const targets = createTargets({ ...all, regex: '^cart' })
  expect(targets(outside, cart)).toBe(true)
  expect(targets(cart, prometheus)).toBe(true)
  expect(targets(prometheus, outside)).toBe(false)
  expect(targets(outside, outside)).toBe(false)
})

test('namespaces select, and exclusion wins over selection', () => {
  const targets = createTargets({
    regex: '.*',
    namespaces: ['shop', 'monitoring'],
    excludedNamespaces: ['monitoring'],
  })
  expect(targets(cart, outside)).toBe(true)
  expect(targets(prometheus, outside)).toBe(false)
})

test('exclusion alone drops only calls without another peer', () => {
  const targets = createTargets({ ...all, excludedNamespaces: ['monitoring'] })
  expect(targets(prometheus, cart)).toBe(true)
  expect(targets(prometheus, outside)).toBe(false)
  expect(targets(outside, outside)).toBe(true)
})
