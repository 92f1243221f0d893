import { mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { ParquetFolder } from './parquet-folder.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "tapdeck-parquet's-"))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const columns = {
  at: 'TIMESTAMPTZ',
  name: 'VARCHAR',
  count: 'BIGINT',
  share: 'DOUBLE',
  is: 'BOOLEAN',
} as const

async function read(select: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const path = join(folder, 'rows').replaceAll("'", "''")
  const result = await connection.runAndReadAll(`${select} FROM read_parquet('${path}/*.parquet')`)
  connection.closeSync()
  instance.closeSync()
  return result.getRowObjectsJS()
}

test('DuckDB reads back the same rows, in order, with absent values as NULL', async () => {
  const table = await ParquetFolder.open(join(folder, 'rows'), columns)
  const first = { at: 1_767_355_200_000, name: 'a\u0000ß\n"', count: 2 ** 40, share: 0.5, is: true }
  await table.append([first, {}])
  await table.append(
    Array.from({ length: 3000 }, (_, i) => ({ name: `n${i}`, count: i, share: Number.NaN, is: false })),
  )
  expect(table.rows).toBe(3002)
  await table.finish()
  const rows = await read('SELECT *')
  expect(rows).toHaveLength(3002)
  expect(rows[0]).toEqual({ ...first, at: new Date(first.at), count: 2n ** 40n })
  expect(rows[1]).toEqual({ at: null, name: null, count: null, share: null, is: null })
  expect(rows[3001]).toEqual({ at: null, name: 'n2999', count: 2999n, share: null, is: false })
})

test('large texts make several parts, which are private; nothing else stays', async () => {
  const table = await ParquetFolder.open(join(folder, 'rows'), columns)
  const name = 'x'.repeat(1024 * 1024)
  for (let i = 0; i < 70; i++) await table.append([{ count: i, name }])
  await table.finish()
  expect(await readdir(folder)).toEqual(['rows'])
  const parts = await readdir(join(folder, 'rows'))
  expect(parts).toEqual(['part-00001.parquet', 'part-00002.parquet'])
  expect((await stat(join(folder, 'rows'))).mode & 0o777).toBe(0o700)
  let bytes = 0
  for (const part of parts) {
    const { mode, size } = await stat(join(folder, 'rows', part))
    expect(mode & 0o777).toBe(0o600)
    bytes += size
  }
  expect(table.bytes).toBe(bytes)
  expect(await read('SELECT count(*) AS rows, sum(length(name))::DOUBLE AS bytes')).toEqual([
    { rows: 70n, bytes: 70 * 1024 * 1024 },
  ])
})

test('a table without rows still tells its columns', async () => {
  const table = await ParquetFolder.open(join(folder, 'rows'), columns)
  await table.finish()
  expect(await read('SELECT count(share) AS rows')).toEqual([{ rows: 0n }])
})

test('what is not finished leaves nothing, and does not touch what is there', async () => {
  const first = await ParquetFolder.open(join(folder, 'rows'), columns)
  await first.append([{ name: 'before' }])
  await first.finish()
  const second = await ParquetFolder.open(join(folder, 'rows'), columns)
  await second.append([{ name: 'after' }])
  await second.close()
  expect(await readdir(folder)).toEqual(['rows'])
  expect(await read('SELECT name')).toEqual([{ name: 'before' }])
})
