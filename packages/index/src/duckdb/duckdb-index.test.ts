import { describe, it } from 'vitest'
import { contract } from '../contract/contract.ts'
import { openIndex } from './open-index.ts'

describe('the index on DuckDB', () => {
  for (const { name, run } of contract) it(name, () => run(openIndex), 60_000)
})
