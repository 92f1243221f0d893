import { describe, it } from 'vitest'
import { contract } from '../contract/contract.ts'
import { dimensionChecks } from '../contract/dimension-checks.ts'
import { flowPageChecks } from '../contract/flow-checks.ts'
import { pageChecks } from '../contract/page-checks.ts'
import { statsChecks } from '../contract/stats-checks.ts'
import { inSmallChunks } from '../testing/in-small-chunks.ts'
import { openIndex } from './open-index.ts'

describe('the index on DuckDB', () => {
  for (const { name, run } of contract) it(name, () => run(openIndex), 60_000)
})

/** Questions about many calls. The other checks change a flow between two flushes, which this index would see too late. */
const questions = [...pageChecks, ...statsChecks, ...dimensionChecks, ...flowPageChecks]

describe('the index on DuckDB with many chunks, which are read in groups', () => {
  for (const { name, run } of questions) it(name, () => run(inSmallChunks), 120_000)
})
