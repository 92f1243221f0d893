import { Problem } from '@tapdeck/api'
import { MAX_DOCUMENT_BYTES } from './state-store.ts'

/** A larger document could be stored, but not be read at the next start. Throws 409. */
export function requireDocumentSize(name: string, text: string): void {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_DOCUMENT_BYTES) return
  throw new Problem(
    409,
    'too_large',
    `The state "${name}" would have ${bytes} bytes; the limit is ${MAX_DOCUMENT_BYTES}`,
    { hint: 'Delete what is not used, or make it shorter.' },
  )
}
