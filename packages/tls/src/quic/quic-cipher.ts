import { createCipheriv } from 'node:crypto'
import type { CipherSpec } from '../cipher-spec.ts'
import { expandLabel } from '../key-derivation.ts'
import { openAead } from '../open-aead.ts'
import { nonceOf } from '../record-cipher.ts'

const IV_LENGTH = 12
/** Bytes of ciphertext that the header mask is made from: RFC 9001 §5.4.2. */
export const SAMPLE_LENGTH = 16

/** Packets protected by one traffic secret of QUIC: RFC 9001 §5. */
export class QuicCipher {
  readonly #spec: CipherSpec
  readonly #label: string
  readonly #secret: Uint8Array
  readonly #key: Uint8Array
  readonly #iv: Uint8Array
  readonly #headerKey: Uint8Array

  /** `label`: `quic`, or `quicv2` of version 2. `headerKey`: that of the connection, which key updates do not change. */
  constructor(spec: CipherSpec, label: string, secret: Uint8Array, headerKey?: Uint8Array) {
    const { hash, keyLength } = spec
    this.#spec = spec
    this.#label = label
    this.#secret = secret
    this.#key = expandLabel(hash, secret, `${label} key`, keyLength)
    this.#iv = expandLabel(hash, secret, `${label} iv`, IV_LENGTH)
    this.#headerKey = headerKey ?? expandLabel(hash, secret, `${label} hp`, keyLength)
  }

  /** What the first byte and the packet number were combined with: RFC 9001 §5.4. Five bytes are used. */
  mask(sample: Uint8Array): Uint8Array {
    // The sample has the counter and the nonce, as node:crypto wants them: RFC 9001 §5.4.4.
    if (this.#spec.mode === 'chacha')
      return createCipheriv('chacha20', this.#headerKey, sample).update(new Uint8Array(5))
    const bits = this.#spec.keyLength === 32 ? 256 : 128
    return createCipheriv(`aes-${bits}-ecb`, this.#headerKey, null).update(sample)
  }

  /** `header`: without its mask. Undefined if the packet was not made with this key and number. */
  open(header: Uint8Array, number: number, sealed: Uint8Array): Uint8Array | undefined {
    return openAead(this.#spec, this.#key, nonceOf(this.#iv, number), header, sealed)
  }

  /** The cipher after a key update: RFC 9001 §6.1. */
  next(): QuicCipher {
    const secret = expandLabel(this.#spec.hash, this.#secret, `${this.#label} ku`, this.#secret.length)
    return new QuicCipher(this.#spec, this.#label, secret, this.#headerKey)
  }
}
