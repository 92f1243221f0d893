import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { nats } from './index.ts'

describe('nats conforms', () => {
  for (const { name, run } of conformance(nats, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
