import { mkdtemp, readdir, readFile, rm, stat, symlink, writeFile } from 'node:fs/promises'
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

function read(select: string) {
  const path = join(folder, 'rows').replaceAll("'", "''")
  return ask(`${select} FROM read_parquet('${path}/*.parquet')`)
}

async function ask(sql: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const result = await connection.runAndReadAll(sql)
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

test('files have only what all readers read', async () => {
  const table = await ParquetFolder.open(join(folder, 'rows'), columns)
  const rows = Array.from({ length: 5000 }, (_, i) => ({
    at: i,
    name: `n${i % 9}`,
    count: i % 5,
    share: i,
    is: i > 9,
  }))
  await table.append(rows)
  await table.finish()
  const part = join(folder, 'rows', 'part-00001.parquet').replaceAll("'", "''")
  const found = await ask(
    `SELECT path_in_schema AS name, encodings, bloom_filter_offset AS bloom FROM parquet_metadata('${part}')`,
  )
  const plain = { encodings: 'PLAIN', bloom: null }
  const dictionary = { encodings: 'PLAIN_DICTIONARY', bloom: null }
  expect(Object.fromEntries(found.map(({ name, ...rest }) => [name, rest]))).toEqual({
    ...{ at: plain, name: dictionary, count: dictionary, share: plain, is: plain },
  })
  const types = await ask(`SELECT name, converted_type, logical_type FROM parquet_schema('${part}')`)
  expect(types.find(({ name }) => name === 'name')).toMatchObject({ converted_type: 'UTF8' })
  expect(types.find(({ name }) => name === 'at')).toMatchObject({
    converted_type: 'TIMESTAMP_MICROS',
    logical_type: expect.stringContaining('isAdjustedToUTC=1'),
  })
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

async function write(path: string, name: string): Promise<void> {
  const table = await ParquetFolder.open(path, columns)
  await table.append([{ name }])
  await table.finish()
}

test.each(['rows', 'rows.partial', 'rows.replaced'])(
  'files of others in %s are not removed',
  async (name) => {
    const foreign = join(folder, name, 'notes.txt')
    await write(join(folder, name), 'before')
    await writeFile(foreign, 'mine')
    await expect(ParquetFolder.open(join(folder, 'rows'), columns)).rejects.toThrow(
      `${join(folder, name)} contains notes.txt, which is not from an export`,
    )
    expect(await readFile(foreign, 'utf8')).toBe('mine')
    expect(await readdir(folder)).toEqual([name])
    expect(await readdir(join(folder, name))).toContain('part-00001.parquet')
  },
)

test('a file of others that comes during an export is kept, and the new table is there', async () => {
  await write(join(folder, 'rows'), 'before')
  const table = await ParquetFolder.open(join(folder, 'rows'), columns)
  await table.append([{ name: 'after' }])
  await writeFile(join(folder, 'rows', 'notes.txt'), 'mine')
  await expect(table.finish()).rejects.toThrow('rows.replaced contains notes.txt')
  await table.close()
  expect(await read('SELECT name')).toEqual([{ name: 'after' }])
  expect(await readFile(join(folder, 'rows.replaced', 'notes.txt'), 'utf8')).toBe('mine')
})

test('a link or a file instead of a folder is refused', async () => {
  await write(join(folder, 'elsewhere'), 'before')
  await symlink(join(folder, 'elsewhere'), join(folder, 'rows'))
  await expect(ParquetFolder.open(join(folder, 'rows'), columns)).rejects.toThrow('rows is not a folder')
  await writeFile(join(folder, 'file'), '')
  await expect(ParquetFolder.open(join(folder, 'file'), columns)).rejects.toThrow('file is not a folder')
  expect(await readdir(join(folder, 'elsewhere'))).toEqual(['part-00001.parquet'])
})

test.each(['~', 's3:', 'a b*[c]', 'file:', '😀/ä'])(
  'the name %j of a folder is taken literally',
  async (name) => {
    const home = process.cwd()
    process.chdir(folder)
    try {
      await write(join(name, 'rows'), 'here')
    } finally {
      process.chdir(home)
    }
    expect(await readdir(join(folder, name, 'rows'))).toEqual(['part-00001.parquet'])
  },
)
