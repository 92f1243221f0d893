import { gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { compressionOf } from './compression.ts'

test('tells compressed files from plain ones', () => {
  expect(compressionOf(gzipSync('x'))).toBe('gzip')
  expect(compressionOf(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0))).toBe('zstd')
  expect(compressionOf(Uint8Array.of(0xd4, 0xc3, 0xb2, 0xa1))).toBeUndefined()
  expect(compressionOf(Uint8Array.of(0x28, 0xb5))).toBeUndefined()
  expect(compressionOf(new Uint8Array(0))).toBeUndefined()
})
