import { createDecipheriv } from 'node:crypto'
import type { CipherSpec } from './cipher-spec.ts'

/** The plaintext of `sealed`, whose last bytes are its tag; undefined if the tag does not verify. */
export function openAead(
  spec: CipherSpec,
  key: Uint8Array,
  nonce: Uint8Array,
  additional: Uint8Array,
  sealed: Uint8Array,
): Uint8Array | undefined {
  const length = sealed.length - spec.tagLength
  if (length < 0) return undefined
  const tag = sealed.subarray(length)
  const ciphertext = sealed.subarray(0, length)
  try {
    const decipher = makeDecipher(spec, key, nonce)
    decipher.setAAD(additional, { plaintextLength: length })
    decipher.setAuthTag(tag)
    const plaintext = decipher.update(ciphertext)
    decipher.final()
    return plaintext
  } catch {
    return undefined
  }
}

function makeDecipher(
  { algorithm, tagLength: authTagLength }: CipherSpec,
  key: Uint8Array,
  nonce: Uint8Array,
) {
  switch (algorithm) {
    case 'aes-128-gcm':
    case 'aes-256-gcm':
      return createDecipheriv(algorithm, key, nonce, { authTagLength })
    case 'aes-128-ccm':
    case 'aes-256-ccm':
      return createDecipheriv(algorithm, key, nonce, { authTagLength })
    case 'chacha20-poly1305':
      return createDecipheriv(algorithm, key, nonce, { authTagLength })
    default:
      throw new Error(`${algorithm} is not an AEAD cipher`)
  }
}
