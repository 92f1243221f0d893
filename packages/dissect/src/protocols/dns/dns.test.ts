import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { dns } from './index.ts'

describe('dns conforms', () => {
  for (const { name, run } of conformance(dns, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
