import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { kafka } from './index.ts'

describe('kafka conforms', () => {
  for (const { name, run } of conformance(kafka, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
