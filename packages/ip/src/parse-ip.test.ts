import { isIP } from 'node:net'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isIp, parseIp } from './parse-ip.ts'

test.each([
  '',
  '10',
  '10.0.0',
  '1.2.3.256',
  '1.2.3.4.5',
  '1.2.3.',
  '.1.2.3',
  '1.2.3.4 ',
  '0x1.2.3.4',
  // Octal to some readers.
  '010.0.0.1',
  '10.0.0.00',
  '::ffff:010.0.0.1',
  // Dotted groups only at the end.
  '1.2.3.4::1',
  '1.2.3.4::',
  '1.2.3.4:1:1:1:1:1:1',
  '::1.2.3',
  '::1.2.3.4:1',
  ':::',
  ':',
  '1:2',
  '1:2:3:4:5:6:7',
  '1:2:3:4:5:6:7:8:9',
  '1:2:3:4:5:6:7::8',
  '1::2::3',
  'g::',
  '12345::',
  'fe80::1%eth0',
  '[::1]',
])('%j is not an address', (text) => {
  expect(parseIp(text)).toBeUndefined()
  expect(isIp(text)).toBe(false)
})

test.each<[string, number[]]>([
  ['10.0.0.1', [10, 0, 0, 1]],
  ['255.255.255.255', [255, 255, 255, 255]],
  ['::1', [...Array<number>(15).fill(0), 1]],
  ['::ffff:10.0.0.1', [...Array<number>(10).fill(0), 255, 255, 10, 0, 0, 1]],
  ['1:2:3:4:5:6:1.2.3.4', [0, 1, 0, 2, 0, 3, 0, 4, 0, 5, 0, 6, 1, 2, 3, 4]],
])('%s has the bytes %j', (text, bytes) => {
  expect([...parseIp(text)!]).toEqual(bytes)
})

test('it accepts the same texts as Node.js, apart from zone indexes', () => {
  const part = fc.constantFrom(
    '0',
    '1',
    '01',
    '10',
    '255',
    '256',
    'ff',
    'fffff',
    '.',
    '.',
    ':',
    ':',
    '::',
    '',
  )
  fc.assert(
    fc.property(fc.array(part, { maxLength: 17 }), (parts) => {
      const text = parts.join('')
      expect(isIp(text), text).toBe(isIP(text) !== 0)
    }),
    { numRuns: 2000 },
  )
})
