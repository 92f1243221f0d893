import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatIPv4, formatIPv6 } from './format-address.ts'
import { Malformed } from './malformed.ts'
import { parseAddress } from './parse-address.ts'

test.each([
  // RFC 5952, sections 4.1 to 5.
  ['2001:db8::1', '2001:0db8:0000:0000:0000:0000:0000:0001'],
  ['2001:db8:0:1:1:1:1:1', '2001:db8:0:1:1:1:1:1'],
  ['2001:0:0:1::1', '2001:0:0:1:0:0:0:1'],
  ['2001:db8::1:0:0:1', '2001:db8:0:0:1:0:0:1'],
  ['::', '0:0:0:0:0:0:0:0'],
  ['::1', '0:0:0:0:0:0:0:1'],
  ['1::', '1:0:0:0:0:0:0:0'],
  ['fe80::abcd', 'FE80::ABCD'],
  ['::ffff:192.0.2.1', '::ffff:c000:201'],
  ['0:1:2:3:4:5:6:0', '0:1:2:3:4:5:6:0'],
])('writes %s in its canonical form', (canonical, other) => {
  expect(formatIPv6(parseAddress(other), 0)).toBe(canonical)
  expect(formatIPv6(parseAddress(canonical), 0)).toBe(canonical)
})

test('reads back whatever it writes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(parseAddress(formatIPv6(bytes, 0))).toEqual(bytes)
      expect(parseAddress(formatIPv4(bytes, 3))).toEqual(bytes.slice(3, 7))
    }),
  )
})

test('finds the run of zeros in sparse addresses as well', () => {
  const group = fc.constantFrom(0, 0, 0, 1, 0xffff)
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const bytes = Uint8Array.from(groups.flatMap((value) => [value >> 8, value & 255]))
      const text = formatIPv6(bytes, 0)
      expect(text.split('::').length).toBeLessThanOrEqual(2)
      expect(parseAddress(text)).toEqual(bytes)
    }),
  )
})

test.each([
  '',
  '1.2.3',
  '1.2.3.256',
  '1.2.3.4.5',
  ':::',
  '1:2',
  '1::2::3',
  'g::',
  '12345::',
  '1:2:3:4:5:6:7::8',
])('takes %s for no address', (text) => expect(() => parseAddress(text)).toThrow(Malformed))
