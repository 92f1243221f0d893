import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { amqp } from './index.ts'

describe('amqp conforms', () => {
  for (const { name, run } of conformance(amqp, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
