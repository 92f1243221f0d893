import { mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { usefulThreads } from './useful-threads.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-useful-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A file with nothing in it, which takes no room. */
function file(size: number): string {
  const path = join(folder, `${size}`)
  writeFileSync(path, '')
  truncateSync(path, size)
  return path
}

test('all cores share a large file; where they are few, it has to be larger', async () => {
  const threads = (...files: string[]) =>
    Promise.all([1, 2, 4, 8, 1000].map((cores) => usefulThreads(files, cores)))
  expect(await threads(file(1_000_000))).toEqual([1, 1, 1, 1, 1])
  expect(await threads(file(100_000_000))).toEqual([1, 1, 4, 8, 64])
  expect(await threads(file(300_000_000))).toEqual([1, 2, 4, 8, 64])
  expect(await threads(file(100_000_000), file(200_000_000))).toEqual([1, 2, 4, 8, 64])
  expect(await threads('-')).toEqual([1, 1, 4, 8, 64])
})
