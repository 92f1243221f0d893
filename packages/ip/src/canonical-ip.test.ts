import { expect, test } from 'vitest'
import { canonicalIp } from './canonical-ip.ts'

test.each([
  ['10.0.0.1', '10.0.0.1'],
  ['0.0.0.0', '0.0.0.0'],
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:db8:0:0:1:0:0:1', '2001:db8::1:0:0:1'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['::', '::'],
  ['::1', '::1'],
  ['fe80::', 'fe80::'],
  ['::ffff:10.0.0.1', '::ffff:10.0.0.1'],
  ['::FFFF:0a00:0001', '::ffff:10.0.0.1'],
  ['64:ff9b::10.0.0.1', '64:ff9b::a00:1'],
])('%s has the canonical form %s', (given, expected) => {
  expect(canonicalIp(given)).toBe(expected)
})

test('a text that is not an address has no canonical form', () => {
  expect(canonicalIp('10.0.0')).toBeUndefined()
})
