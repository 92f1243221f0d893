import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { http } from './index.ts'

describe('http conforms', () => {
  for (const { name, run } of conformance(http, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
