import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { Malformed } from '@tapdeck/wire'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openCaptureFile } from './capture-file.ts'

let folder: string
const text = new Uint8Array(300_000).map((_, at) => (at * 7919) >> 3)

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-'))
})
afterAll(() => rm(folder, { recursive: true }))

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<Buffer> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts)
}

async function* pieces(bytes: Uint8Array, size: number): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size)
}

test('a plain file comes out as it is', async () => {
  await writeFile(join(folder, 'plain'), text)
  expect((await collect(openCaptureFile(join(folder, 'plain')))).equals(text)).toBe(true)
})

test('gzip is unpacked, from a file and from a stream of single bytes', async () => {
  const packed = gzipSync(text)
  await writeFile(join(folder, 'packed.gz'), packed)
  expect((await collect(openCaptureFile(join(folder, 'packed.gz')))).equals(text)).toBe(true)
  expect((await collect(openCaptureFile(pieces(packed, 1)))).equals(text)).toBe(true)
})

test('several gzip members in a row are one file', async () => {
  const packed = Buffer.concat([gzipSync(text.subarray(0, 1000)), gzipSync(text.subarray(1000))])
  expect((await collect(openCaptureFile(pieces(packed, 4096)))).equals(text)).toBe(true)
})

test('a gzip file that was cut gives what there is and says so', async () => {
  const told: string[] = []
  const packed = gzipSync(text, { level: 0 })
  const got = await collect(
    openCaptureFile(pieces(packed.subarray(0, 200_000), 4096), { damaged: (reason) => told.push(reason) }),
  )
  expect(got.length).toBeGreaterThan(100_000)
  expect(got.equals(text.subarray(0, got.length))).toBe(true)
  expect(told).toHaveLength(1)
})

/** Blocks of zstd that are one byte over and over: 128 KiB of each letter. */
function zstd(...letters: readonly number[]): Uint8Array {
  const blocks = letters.map((letter, at) => [at === letters.length - 1 ? 3 : 2, 0, 0x10, letter])
  return Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x38, ...blocks.flat())
}

test('zstd is unpacked, from a file and from a stream of single bytes, also after what is to be skipped', async () => {
  const wanted = Buffer.concat([Buffer.alloc(131072, 'a'), Buffer.alloc(131072, 'b')])
  await writeFile(join(folder, 'packed.zst'), zstd(0x61, 0x62))
  expect((await collect(openCaptureFile(join(folder, 'packed.zst')))).equals(wanted)).toBe(true)
  const skipped = Uint8Array.of(0x5a, 0x2a, 0x4d, 0x18, 2, 0, 0, 0, 7, 7)
  const packed = Buffer.concat([skipped, zstd(0x61), zstd(0x62)])
  for (const size of [1, packed.length])
    expect((await collect(openCaptureFile(pieces(packed, size)))).equals(wanted)).toBe(true)
})

test('zstd comes in chunks, however much it unpacks to', async () => {
  const packed = zstd(...new Array<number>(400).fill(0x61))
  const sizes: number[] = []
  for await (const chunk of openCaptureFile(pieces(packed, packed.length))) sizes.push(chunk.length)
  expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(400 * 131072)
  expect(Math.max(...sizes)).toBeLessThanOrEqual(1 << 20)
})

test('a zstd file that was cut gives what there is and says so', async () => {
  const told: string[] = []
  const cut = pieces(zstd(0x61, 0x62, 0x63).subarray(0, 12), 5)
  const got = await collect(openCaptureFile(cut, { damaged: (reason) => told.push(reason) }))
  expect([got.length, told.length]).toEqual([131072, 1])
})

test('a zstd that cannot be read is refused, a missing file is the error of the file system, nothing is nothing', async () => {
  const huge = pieces(Uint8Array.of(0x28, 0xb5, 0x2f, 0xfd, 0, 0x90, 0, 0), 2)
  await expect(collect(openCaptureFile(huge))).rejects.toThrow(/window of 256 MiB/)
  await expect(collect(openCaptureFile(pieces(zstd(0x61).subarray(0, 7), 1)))).rejects.toThrow(Malformed)
  await expect(collect(openCaptureFile(join(folder, 'none')))).rejects.toMatchObject({ code: 'ENOENT' })
  expect(await collect(openCaptureFile(pieces(new Uint8Array(0), 1)))).toHaveLength(0)
})

test('a reader that stops early closes the file', async () => {
  await writeFile(join(folder, 'packed.gz'), gzipSync(text))
  for await (const chunk of openCaptureFile(join(folder, 'packed.gz'))) {
    expect(chunk.length).toBeGreaterThan(0)
    break
  }
})
