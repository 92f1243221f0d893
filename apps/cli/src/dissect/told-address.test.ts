import { expect, test } from 'vitest'
import { toldAddress, toldAs } from './told-address.ts'

test('an address is told as the number that its text stands for, and no other text has one', () => {
  const bytes = [0, 255, 0, 0, 1, 10, 1, 2, 3]
  expect([toldAs('255.0.0.1'), toldAs('10.1.2.3')]).toEqual([
    toldAddress(Uint8Array.from(bytes), 1),
    toldAddress(Uint8Array.from(bytes), 5),
  ])
  expect(toldAs('0.0.0.0')).toBe(-1)
  for (const text of [
    '10.1.2',
    '10.1.2.3.4',
    '10.1.2.03',
    '256.1.2.3',
    '10.1.2.3:80',
    'a.b.c.d',
    'fd00::1',
    '',
  ])
    expect(toldAs(text)).toBeUndefined()
})
