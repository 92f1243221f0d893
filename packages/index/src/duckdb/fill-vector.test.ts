import {
  BIGINT,
  DOUBLE,
  DuckDBDataChunk,
  type DuckDBType,
  INTEGER,
  USMALLINT,
  UTINYINT,
  VARCHAR,
} from '@duckdb/node-api'
import { expect, it } from 'vitest'
import { ROWS } from './chunk-rows.ts'
import type { ColumnKind, Schema } from './column-kind.ts'
import { Engine } from './engine.ts'
import { vectorToFill } from './fill-vector.ts'
import { RowBatch } from './row-batch.ts'
import { withScratchTable } from './scratch-table.ts'

const schema = {
  whole: 'int64',
  fraction: 'double',
  word: 'reference',
  text: 'text',
  number: 'int32',
  port: 'uint16',
  flag: 'uint8',
} as const satisfies Schema

const wholes = [0, 1, -1, 2 ** 31, -(2 ** 31) - 5, 2 ** 32, 2 ** 53 - 1, -(2 ** 53) + 1, Number.NaN]
const fractions = [0, -0.5, 1e300, Number.NaN, 1_767_225_600_000_000.5]
const texts = ['', 'a', 'twelve chars', 'thirteen char', 'grüße 🚢 '.repeat(9), '\0']

function rowOf(i: number) {
  return {
    whole: wholes[i % wholes.length],
    fraction: fractions[i % fractions.length],
    word: i % 3,
    text: texts[i % texts.length],
    number: i - 700,
    port: (i * 37) % 65_536,
    flag: i % 256,
  }
}

it.each([1, 63, 64, 65, ROWS - 1, ROWS])('brings %i rows of every kind into the database', async (count) => {
  const engine = await Engine.start('/nowhere', 0, true)
  // Twice: what a vector held before must not shine through.
  for (const first of [0, 5]) {
    const batch = new RowBatch(schema)
    for (let i = 0; i < count; i++) {
      const row = rowOf(first + i)
      for (const name of ['whole', 'fraction', 'word', 'number', 'port', 'flag'] as const)
        batch.columns[name][i] = row[name]
      batch.columns.text.set(i, row.text)
    }
    batch.count = count
    const rows = await withScratchTable(engine, schema, [batch], (table) =>
      engine.rows(`SELECT * FROM ${table} ORDER BY rowid`),
    )
    const expected = Array.from({ length: count }, (_, i) => {
      const { whole, fraction, word, text, number, port, flag } = rowOf(first + i)
      return [
        Number.isNaN(whole) ? null : BigInt(whole),
        Number.isNaN(fraction) ? null : fraction,
        word === 0 ? null : word,
        text === '' ? null : text,
        number,
        port,
        flag,
      ]
    })
    expect(rows).toEqual(expected)
  }
  engine.stop()
})

const types: Readonly<Record<Exclude<ColumnKind, 'reference'>, DuckDBType>> = {
  int64: BIGINT,
  double: DOUBLE,
  text: VARCHAR,
  int32: INTEGER,
  uint16: USMALLINT,
  uint8: UTINYINT,
}

it.each(Object.entries(types))('finds a vector of %s as it expects it', (_, type) => {
  const chunk = DuckDBDataChunk.create([type], ROWS)
  const { handle, validity } = vectorToFill(chunk.getColumnVector(0))
  expect(handle).toBeDefined()
  expect(validity).toHaveProperty('data')
})
