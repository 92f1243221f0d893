import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { icmp } from './index.ts'

describe('icmp conforms', () => {
  for (const { name, run } of conformance(icmp, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
