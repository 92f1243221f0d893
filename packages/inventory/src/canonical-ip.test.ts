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
])('%s is spelled %s', (given, expected) => {
  expect(canonicalIp(given)).toBe(expected)
})

test.each([
  '',
  '10.0.0',
  '10.0.0.256',
  '1.2.3.4.5',
  ':::',
  '1::2::3',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  'g::',
  '1:2:3:4:5:6:7::8',
  '1.2.3.4::',
])('%s is no address', (given) => {
  expect(canonicalIp(given)).toBeUndefined()
})
