import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Malformed } from '../../malformed.ts'
import { unzstd } from './unzstd.ts'
import { ZstdDecoder } from './zstd-decoder.ts'

/** Requests that the `zstd` command has packed (level 19): a tree of weights, tables, repeated offsets, a checksum. */
const PACKED = Buffer.from(
  'KLUv/WSHDDUJAFaUMxlgT9og9yUjh6qiD1baTZtbcotFxhqMf7ACOwAnACYAZuRe3pXRJjzM95aUxDRMcwCEBiKwYBoHZBJhXByCieRRARAsFcmB' +
    'aUhAg4RCcQCcQYXiaFAkA4CiYAjmo8SS2cmZWb3zFpHtYNm1LV/aKd+Rah8tC19oeaxOUgmLXldzaxnPOyW6eow3srsq/RLZr2ci2yqP1aofu7z9' +
    'Bw+LzucqvnTO8paH2UzDNFT1Onbfm9mqZ3dy2XiaP97TTzyXh9SiYpMODSvxrnfXmkgOdaghGKfv/xuwnQMSeAUBg8H/82sGu6LWcBH9FSwwvmxQ' +
    'PAzo+4Q0hqELZWsbMDl5CUkpmBTJ5gFYQdzSGF2EnCIjwGkwMoqrQfi6Um5vrs3DdRqQqpONrZ8=',
  'base64',
)
const TEXT = Buffer.from(
  Array.from(
    { length: 60 },
    (_, i) =>
      `GET /orders/${(i * i) % 97} HTTP/1.1\r\nHost: shop.example\r\nX-Id: ${(i * 7919) % 1000}\r\n\r\n`,
  ).join(''),
)
const MAGIC = [0x28, 0xb5, 0x2f, 0xfd] as const

function unpack(packed: Uint8Array, step = packed.length): Buffer {
  const parts: Uint8Array[] = []
  const decoder = new ZstdDecoder()
  for (let at = 0; at < packed.length; at += step)
    decoder.push(packed, at, Math.min(packed.length, at + step), (bytes, start, end) => {
      parts.push(bytes.slice(start, end))
      return true
    })
  decoder.end()
  return Buffer.concat(parts)
}

describe('a frame', () => {
  it('is unpacked, whole and byte by byte', () => {
    expect(unpack(PACKED).equals(TEXT)).toBe(true)
    expect(unpack(PACKED, 1).equals(TEXT)).toBe(true)
  })

  it('may have blocks as they are, and of one byte over and over', () => {
    const raw = Uint8Array.of(...MAGIC, 0x20, 5, 0x10, 0, 0, 0x68, 0x69, 0x1b, 0, 0, 0x21)
    expect(unpack(raw).toString()).toBe('hi!!!')
  })

  it('may be followed by others, and by what is to be skipped', () => {
    const skipped = Uint8Array.of(0x57, 0x2a, 0x4d, 0x18, 3, 0, 0, 0, 9, 9, 9)
    const nothing = Uint8Array.of(0x50, 0x2a, 0x4d, 0x18, 0, 0, 0, 0)
    const all = Buffer.concat([skipped, PACKED, nothing, PACKED])
    for (const step of [1, 7, all.length])
      expect(unpack(all, step).equals(Buffer.concat([TEXT, TEXT]))).toBe(true)
  })

  it.each([
    ['another checksum', [...PACKED.subarray(0, -1), PACKED[PACKED.length - 1] ^ 1], 'another checksum'],
    ['an end that is too early', [...PACKED.subarray(0, -2)], 'ends early'],
    ['a dictionary', [...MAGIC, 0x21, 7, 1, 1, 0, 0], 'dictionary'],
    ['a window of a gigabyte', [...MAGIC, 0, 0xa0], 'window of 1024 MiB'],
    ['a block that is none', [...MAGIC, 0x20, 1, 7, 0, 0], 'no such kind'],
    ['a block beyond its window', [...MAGIC, 0x20, 1, 0x11, 0, 0, 1, 1], 'too long'],
    ['another length', [...MAGIC, 0x20, 2, 0x09, 0, 0, 1], 'another length'],
    ['something else', [1, 2, 3, 4], 'no frame'],
  ])('with %s is refused', (_, packed, reason) => {
    expect(() => unpack(Uint8Array.from(packed))).toThrow(reason)
  })

  it('that is damaged anywhere is refused, or gives what it says it has', () => {
    for (let at = 4; at < PACKED.length; at++)
      for (const bit of [0, 3, 7]) {
        const damaged = Uint8Array.from(PACKED)
        damaged[at] ^= 1 << bit
        try {
          expect(unpack(damaged).length).toBeLessThan(2 ** 22)
        } catch (error) {
          expect(error).toBeInstanceOf(Malformed)
        }
      }
  })
})

describe('unzstd', () => {
  it('gives no more than was asked for', () => {
    expect(unzstd(PACKED, 0, PACKED.length, 10)).toEqual(new Uint8Array(TEXT.subarray(0, 10)))
  })

  it('gives what there is of a frame that is cut, and nothing of what is none', () => {
    const blocks = Uint8Array.of(...MAGIC, 0, 0x38, 0x10, 0, 0, 0x68, 0x69, 0x20, 0, 0)
    expect(unzstd(blocks, 0, blocks.length, 100)).toEqual(Uint8Array.of(0x68, 0x69))
    expect(unzstd(TEXT, 0, TEXT.length, 100)).toBeUndefined()
  })
})

function hasCommand(): boolean {
  try {
    execFileSync('zstd', ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

describe.skipIf(!hasCommand())('what the zstd command packs', () => {
  let folder = ''
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'zstd-'))
  })
  afterAll(() => rmSync(folder, { recursive: true }))

  /** Numbers that look random, with stretches that come again from far away. */
  const data = new Uint8Array(600_000)
  let seed = 1
  for (let i = 0; i < data.length; i++) {
    seed = (Math.imul(seed, 1103515245) + 12345) >>> 0
    data[i] = i % 50_000 < 20_000 && i > 300_000 ? data[i - 300_000] : seed >>> (i % 3000 < 1500 ? 29 : 24)
  }

  it.each([['-1'], ['-3'], ['-19'], ['--long'], ['--no-check'], ['--fast=3'], ['--no-compress-literals']])(
    'with %s comes back',
    (option) => {
      const file = join(folder, 'data')
      writeFileSync(file, data)
      const packed = execFileSync('zstd', ['-q', option, '-c', file])
      expect(unpack(packed).equals(data)).toBe(true)
      expect(unpack(packed, 4099).equals(data)).toBe(true)
    },
  )

  it('comes back where its length is not said', () => {
    const packed = execFileSync('zstd', ['-q', '-5', '-c'], { input: data })
    expect(unpack(packed).equals(data)).toBe(true)
  })
})
