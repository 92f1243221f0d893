import { execFileSync, spawnSync } from 'node:child_process'
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  symlinkSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { DuckDBInstance } from '@duckdb/node-api'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { ParquetFolder } from './parquet-folder.ts'

const columns = { name: 'VARCHAR' } as const
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-parquet-'))
const program = join(folder, 'killed-export.mjs')

beforeAll(async () => {
  symlinkSync(
    fileURLToPath(new URL('../../../../node_modules', import.meta.url)),
    join(folder, 'node_modules'),
  )
  await build({
    entryPoints: [fileURLToPath(new URL('../testing/killed-export.ts', import.meta.url))],
    outfile: program,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['@duckdb/node-api'],
  })
})
afterAll(() => rmSync(folder, { recursive: true }))

async function write(path: string, name: string): Promise<void> {
  const table = await ParquetFolder.open(path, columns)
  await table.append([{ name }])
  await table.finish()
}

async function namesIn(path: string): Promise<readonly unknown[]> {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const result = await connection.runAndReadAll(`SELECT name FROM '${path}/*.parquet'`)
  connection.closeSync()
  instance.closeSync()
  return result.getRows().map(([name]) => name)
}

const old = ['old', 'old']
const replacements = ['new']

test('an export that is killed at any step leaves the old table or the new one, and the next export finds it', async () => {
  const seen = new Set<string>()
  for (let step = 1; ; step++) {
    const home = join(folder, String(step))
    const path = join(home, 'rows')
    await write(path, 'old')
    copyFileSync(join(path, 'part-00001.parquet'), join(path, 'part-00002.parquet'))
    const { signal, status, stderr } = spawnSync(process.execPath, [program, path, 'new', String(step)])
    expect(signal ?? status, String(stderr)).toBe(signal === null ? 0 : 'SIGKILL')
    const left = readdirSync(home).sort().join(' ')
    seen.add(left)
    // Between the two renames, both tables are there under other names.
    if (existsSync(path)) expect([old, replacements], `step ${step}`).toContainEqual(await namesIn(path))
    else {
      expect(await namesIn(`${path}.replaced`), `step ${step}`).toEqual(old)
      expect(await namesIn(`${path}.partial`), `step ${step}`).toEqual(replacements)
    }
    // An export that fails finds the table, and leaves nothing else.
    const failing = await ParquetFolder.open(path, columns)
    expect(failing.notes, left).toHaveLength(left.includes('partial') ? 1 : 0)
    await failing.close()
    expect(readdirSync(home), `step ${step}`).toEqual(['rows'])
    expect([old, replacements], `step ${step}`).toContainEqual(await namesIn(path))
    await write(path, 'newest')
    expect(readdirSync(home), `step ${step}`).toEqual(['rows'])
    expect(await namesIn(path)).toEqual(['newest'])
    if (signal === null) break
  }
  expect([...seen]).toEqual(['rows', 'rows rows.partial', 'rows.partial rows.replaced', 'rows rows.replaced'])
})

test('an export that is killed while it tidies up after a killed one loses nothing either', async () => {
  const home = join(folder, 'twice')
  const path = join(home, 'rows')
  for (let step = 1; ; step++) {
    await write(path, 'old')
    await write(`${path}.partial`, 'new')
    await write(`${path}.replaced`, 'older')
    rmSync(path, { recursive: true })
    const { signal } = spawnSync(process.execPath, [program, path, 'newest', String(step)])
    const table = existsSync(path) ? path : `${path}.partial`
    expect([['new'], ['newest']], `step ${step}`).toContainEqual(await namesIn(table))
    await (await ParquetFolder.open(path, columns)).close()
    expect([['new'], ['newest']], `step ${step}`).toContainEqual(await namesIn(path))
    expect(readdirSync(home), `step ${step}`).toEqual(['rows'])
    rmSync(home, { recursive: true })
    if (signal === null) break
  }
})

test.skipIf(process.platform !== 'linux' || process.getuid?.() !== 0)(
  'on a full disk (needs root), the message says which file, and the old table stays',
  async () => {
    const disk = mkdtempSync(join(tmpdir(), 'tapdeck-full-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=4m', 'tmpfs', disk])
    try {
      const path = join(disk, 'rows')
      await write(path, 'old')
      fill(join(disk, 'filler'))
      const table = await ParquetFolder.open(path, columns)
      await table.append(Array.from({ length: 10_000 }, (_, i) => ({ name: `${i}${Math.random()}` })))
      await expect(table.finish()).rejects.toThrow(/^Cannot write .*part-00001\.parquet.*No space left/s)
      await table.close()
      expect(readdirSync(disk)).toEqual(['filler', 'rows'])
      expect(await namesIn(path)).toEqual(['old'])
      rmSync(join(disk, 'filler'))
      await write(path, 'new')
      expect(await namesIn(path)).toEqual(['new'])
    } finally {
      execFileSync('umount', [disk])
      rmSync(disk, { recursive: true })
    }
  },
)

/** Leaves no space for a part, and enough for a folder. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, new Uint8Array(4096))
  } catch {
    return
  }
}
