import fc from 'fast-check'
import { expect, test } from 'vitest'
import { formatHostIp, formatIPv4, formatIPv6 } from './format-ip.ts'
import { parseIp } from './parse-ip.ts'

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
])('%s is the canonical form of %s', (canonical, other) => {
  expect(formatIPv6(parseIp(other)!, 0)).toBe(canonical)
  expect(formatIPv6(parseIp(canonical)!, 0)).toBe(canonical)
})

test('a formatted address parses to the same bytes', () => {
  fc.assert(
    fc.property(fc.uint8Array({ minLength: 16, maxLength: 16 }), (bytes) => {
      expect(parseIp(formatIPv6(bytes, 0))).toEqual(bytes)
      expect(parseIp(formatIPv4(bytes, 3))).toEqual(bytes.slice(3, 7))
    }),
  )
})

test('an address with several runs of zeros is shortened once', () => {
  const group = fc.constantFrom(0, 0, 0, 1, 0xffff)
  fc.assert(
    fc.property(fc.array(group, { minLength: 8, maxLength: 8 }), (groups) => {
      const bytes = Uint8Array.from(groups.flatMap((value) => [value >> 8, value & 255]))
      const text = formatIPv6(bytes, 0)
      expect(text.split('::').length).toBeLessThanOrEqual(2)
      expect(parseIp(text)).toEqual(bytes)
    }),
  )
})

test.each([
  ['::ffff:10.0.0.1', '10.0.0.1'],
  ['::fffe:10.0.0.1', '::fffe:a00:1'],
  ['::10.0.0.1', '::a00:1'],
  ['1::ffff:10.0.0.1', '1::ffff:a00:1'],
])('the host address of a socket at %s is %s', (text, expected) => {
  expect(formatHostIp(parseIp(text)!, 0)).toBe(expected)
})
