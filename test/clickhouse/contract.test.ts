import { afterEach, describe, it } from 'vitest'
import { Connection } from '../../packages/index/src/clickhouse/connection.ts'
import { openClickhouseIndex } from '../../packages/index/src/clickhouse/open-clickhouse-index.ts'
import { tablesOf } from '../../packages/index/src/clickhouse/tables.ts'
import type { OpenIndex } from '../../packages/index/src/contract/check.ts'
import { contract } from '../../packages/index/src/contract/contract.ts'
import { address, tableSettings, uniqueName } from './address.ts'

/** A folder of the contract is a pair of tables here. */
const names = new Map<string, string>()
const open: OpenIndex = (folder, options, catalog) => {
  const name = names.get(folder) ?? uniqueName()
  names.set(folder, name)
  return openClickhouseIndex({ ...options, address: address(), name, tableSettings }, catalog)
}

afterEach(async () => {
  const connection = new Connection(address(), 1e9)
  for (const name of names.values())
    for (const table of Object.values(tablesOf(name)))
      await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  names.clear()
  await connection.close()
})

describe('the index on ClickHouse', () => {
  for (const { name, run } of contract) it(name, () => run(open))
})
