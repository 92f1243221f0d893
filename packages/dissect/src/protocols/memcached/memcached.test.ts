import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { memcached } from './index.ts'

describe('memcached conforms', () => {
  for (const { name, run } of conformance(memcached, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
