import { expect, test } from 'vitest'
import { formatMs } from './units.ts'

test('times are given in milliseconds or seconds', () => {
  expect([undefined, 0.4, 12.6, 1500].map(formatMs)).toEqual([undefined, '0.40 ms', '13 ms', '1.5 s'])
})
