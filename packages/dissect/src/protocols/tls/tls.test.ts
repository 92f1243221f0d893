import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { tls } from './index.ts'

describe('tls conforms', () => {
  for (const { name, run } of conformance(tls, { captures: new URL('./captures/', import.meta.url) }))
    it(name, run)
})
