import { describe, it } from 'vitest'
import { conformance } from '../../conformance/conformance.ts'
import { tls } from './index.ts'

const captures = new URL('./captures/', import.meta.url)
/** `decryption.test.ts` has connections with keys. */
const checkedElsewhere = ['tls.decrypted', 'tls.not_decrypted', 'tls_key_source']

describe('tls conforms', () => {
  for (const { name, run } of conformance(tls, { captures, checkedElsewhere })) it(name, run)
})
