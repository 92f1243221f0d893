import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { mqtt } from './index.ts'

describe('mqtt conforms', () => {
  for (const { name, run } of conformance(mqtt, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
