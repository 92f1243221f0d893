import type { Schema } from './column-kind.ts'
import type { Engine } from './engine.ts'
import type { RowBatch } from './row-batch.ts'
import { createTable } from './schema.ts'
import { TableWriter } from './table-writer.ts'

let count = 0

/** Runs a query beside a table in memory that lives only as long. */
export async function withScratchTable<S extends Schema, Result>(
  engine: Engine,
  schema: S,
  batches: readonly RowBatch<S>[],
  query: (table: string) => Promise<Result>,
): Promise<Result> {
  const name = `scratch_${++count}`
  try {
    await engine.run(createTable(`memory.main.${name}`, schema))
    const connection = await engine.connect()
    try {
      const writer = await TableWriter.open(connection, 'memory', name, schema)
      for (const batch of batches) writer.append(batch)
      writer.commit()
      writer.close()
    } finally {
      connection.closeSync()
    }
    return await query(`memory.main.${name}`)
  } finally {
    await engine.run(`DROP TABLE IF EXISTS memory.main.${name}`)
  }
}
