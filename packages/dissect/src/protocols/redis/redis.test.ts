import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { redis } from './index.ts'

describe('redis conforms', () => {
  for (const { name, run } of conformance(redis, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
