import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { cassandra } from './index.ts'

describe('cassandra conforms', () => {
  const captures = new URL('./captures/', import.meta.url)
  const once = ['keyspace', 'compression']
  // A lost PREPARE takes the text from its executions, of which there are three and a batch.
  for (const { name, run } of conformance(cassandra, { captures, once, gapCost: 4 })) it(name, run)
})
