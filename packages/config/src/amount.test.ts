import { expect, test } from 'vitest'
import { parseSize } from './amount.ts'

test.each<[string, number | undefined]>([
  ['0', 0],
  ['1500', 1500],
  ['64Ki', 65_536],
  ['500Mi', 524_288_000],
  ['1.5Gi', 1_610_612_736],
  ['20G', 20_000_000_000],
  ['1GiB', 1_073_741_824],
  ['', undefined],
  ['-1', undefined],
  ['1 Gi', undefined],
  ['1gi', undefined],
])('%j is %s bytes', (text, bytes) => {
  expect(parseSize(text)).toBe(bytes)
})
