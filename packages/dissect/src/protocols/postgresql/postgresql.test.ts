import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { postgresql } from './index.ts'

describe('postgresql conforms', () => {
  const captures = new URL('./captures/', import.meta.url)
  for (const { name, run } of conformance(postgresql, { captures, once: ['database', 'user'] })) it(name, run)
})
