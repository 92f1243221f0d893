import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { http } from './index.ts'

/** Masking is a step after dissection: packages/redact tests it. */
const checkedElsewhere = Object.keys(http.fields).filter((name) => name.startsWith('credential_'))

describe('http conforms', () => {
  const captures = new URL('./captures/', import.meta.url)
  for (const { name, run } of conformance(http, { captures, checkedElsewhere })) it(name, run)
})
