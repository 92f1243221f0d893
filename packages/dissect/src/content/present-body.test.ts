import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib'
import { bytes } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { presentBody } from './present-body.ts'

const text = 'a body, a body, a body'
/** A zstd frame with one raw block. */
const zstd = (data: Uint8Array) =>
  Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, (data.length << 3) | 1, 0, 0, ...data)

describe('a body', () => {
  it.each([
    ['gzip', gzipSync(text)],
    ['x-gzip', gzipSync(text)],
    ['deflate', deflateSync(text)],
    ['deflate', deflateRawSync(text)],
    ['br', brotliCompressSync(text)],
    ['zstd', zstd(bytes(text))],
    ['identity', bytes(text)],
    ['gzip, zstd', zstd(gzipSync('a body, a body').subarray(0))],
  ])('is unpacked from %s', (encoding, packed) => {
    expect(text.startsWith(presentBody(packed, encoding, false).body ?? '?')).toBe(true)
  })

  it.each([['gzip'], ['zstd'], ['rot13']])('that is not valid %s is shown as it is', (encoding) => {
    expect(presentBody(bytes('plain'), encoding, false)).toEqual({ body: 'plain', body_decoded: false })
  })

  it.each([
    ['gzip', gzipSync(new Uint8Array(2 ** 21))],
    // RLE blocks: 128 KiB in four bytes.
    [
      'zstd',
      Uint8Array.of(
        ...[0x28, 0xb5, 0x2f, 0xfd, 0, 0x58],
        ...Array.from({ length: 16 }, (_, i) => [i === 15 ? 3 : 2, 0, 0x10, 0x61]).flat(),
      ),
    ],
  ])('that unfolds from %s beyond the ceiling stays packed', (encoding, packed) => {
    expect(presentBody(packed, encoding, false)).toMatchObject({
      body_encoding: 'base64',
      body_decoded: false,
    })
  })

  it('that is not text is shown in base64', () => {
    expect(presentBody(Uint8Array.of(0, 1, 255), undefined, false)).toEqual({
      body: 'AAH/',
      body_encoding: 'base64',
    })
  })

  it('that is cut within a character is still text', () => {
    const cut = bytes('für').subarray(0, 2)
    expect(presentBody(cut, undefined, true)).toEqual({ body: 'f' })
    expect(presentBody(cut, undefined, false)).toMatchObject({ body_encoding: 'base64' })
  })

  it('that is empty is not shown', () => {
    expect(presentBody(undefined, 'gzip', false)).toEqual({})
  })
})
