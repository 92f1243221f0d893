import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { smtp } from './index.ts'

describe('smtp conforms', () => {
  for (const { name, run } of conformance(smtp, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
