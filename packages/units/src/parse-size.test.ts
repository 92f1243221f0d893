import { expect, test } from 'vitest'
import { parseSize } from './parse-size.ts'

test.each([
  ['0', 0],
  ['1500', 1500],
  ['1B', 1],
  ['1b', 1],
  ['1k', 1000],
  ['1K', 1000],
  ['1KB', 1000],
  ['1kb', 1000],
  ['20G', 20_000_000_000],
  ['1.5MB', 1_500_000],
  ['0.29k', 290],
  ['64Ki', 65_536],
  ['1KiB', 1024],
  ['500Mi', 524_288_000],
  ['500mi', 524_288_000],
  ['1.5Gi', 1_610_612_736],
  ['1GiB', 1_073_741_824],
  ['2Ti', 2_199_023_255_552],
])('%s is %s bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})

test.each([
  '',
  '-1',
  '1 Gi',
  ' 1Gi',
  '5m',
  '5XB',
  '5BB',
  'MB',
  '1e3',
  '.5G',
  '5constructor',
  `${'9'.repeat(400)}T`,
])('%j is not a size', (text) => {
  expect(parseSize(text)).toBeUndefined()
})
