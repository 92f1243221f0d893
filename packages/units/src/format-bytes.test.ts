import { expect, test } from 'vitest'
import { formatBytes } from './format-bytes.ts'

test.each([
  [0, '0 B'],
  [812, '812 B'],
  [4300, '4.2 KiB'],
  [1023 * 1024, '1.0 MiB'],
  [1.4e9, '1.3 GiB'],
  [5e15, '4547 TiB'],
])('%s bytes are written %s', (bytes, text) => {
  expect(formatBytes(bytes)).toBe(text)
})
