import { afterEach, beforeEach, expect, it } from 'vitest'
import { Connection } from '../../packages/index/src/clickhouse/connection.ts'
import type { Cell, Column, ColumnType } from '../../packages/index/src/clickhouse/native-block.ts'
import { address, uniqueName } from './address.ts'

let connection: Connection
let table: string

beforeEach(async () => {
  connection = new Connection(address(), 1e9)
  table = uniqueName()
  await connection.run(`CREATE DATABASE IF NOT EXISTS ${address().database}`)
})

afterEach(async () => {
  await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  await connection.close()
})

/** The cells that ClickHouse has after an insert of a column of this type. */
async function stored(type: ColumnType, cells: readonly Cell[], shown = 'a'): Promise<readonly unknown[]> {
  const columns: readonly Column[] = [
    { name: 'n', type: 'UInt32' },
    { name: 'a', type },
  ]
  const list = columns.map((column) => `${column.name} ${column.type}`).join(', ')
  await connection.run(`CREATE TABLE ${connection.table(table)} (${list}) ENGINE = MergeTree ORDER BY n`)
  await connection.insert(table, columns, [[...cells.keys()], cells], 'token')
  const rows = await connection.rows(`SELECT ${shown} FROM ${connection.table(table)} ORDER BY n`)
  await connection.run(`DROP TABLE ${connection.table(table)}`)
  return rows.map(([value]) => value)
}

const letters = [
  '',
  'a',
  'ü'.repeat(60),
  'ü'.repeat(70),
  '\0\n\\\'"',
  '日本'.repeat(9000),
  'x'.repeat(127),
  'x'.repeat(128),
]

it('stores each kind of cell as it is', async () => {
  const largest = Number.MAX_SAFE_INTEGER
  for (const type of ['UInt64', 'Nullable(UInt64)'] as const)
    expect(await stored(type, [0, 1, 2 ** 32 - 1, 2 ** 32, largest])).toEqual([
      0,
      1,
      2 ** 32 - 1,
      2 ** 32,
      largest,
    ])
  expect(await stored('Nullable(Int64)', [-1, null, -largest, largest, 2 ** 31])).toEqual([
    -1,
    null,
    -largest,
    largest,
    2 ** 31,
  ])
  expect(await stored('UInt16', [0, 65_535])).toEqual([0, 65_535])
  expect(await stored('Nullable(Float64)', [0.1, null, -1e-9, 1e18])).toEqual([0.1, null, -1e-9, 1e18])
  expect(await stored('String', letters)).toEqual(letters)
  expect(await stored('Nullable(String)', [null, ...letters])).toEqual([null, ...letters])
  expect(await stored('String', ['a\ud800b'])).toEqual(['a\ufffdb'])
})

it('stores the bytes of a payload, whatever they are', async () => {
  const bytes = Uint8Array.from({ length: 100_000 }, (_, i) => (i * 31) & 255)
  expect(await stored('String', [bytes, new Uint8Array()], 'hex(a)')).toEqual([
    Buffer.from(bytes).toString('hex').toUpperCase(),
    '',
  ])
})

it('stores words, an absent one apart from an empty one, however many there are', async () => {
  const few = ['', 'http', null, 'dns', 'http', null, '']
  expect(await stored('LowCardinality(Nullable(String))', few)).toEqual(few)
  for (const many of [255, 256, 257, 65_536, 65_537]) {
    const words = Array.from({ length: many }, (_, i) => `word ${i}`)
    const cells = [...words, 'word 0', `word ${many - 1}`]
    expect(await stored('LowCardinality(String)', cells)).toEqual(cells)
    expect(await stored('LowCardinality(Nullable(String))', [...cells, null])).toEqual([...cells, null])
  }
})
