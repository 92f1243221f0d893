import type { CipherSpec } from './cipher-spec.ts'
import { expandLabel } from './key-derivation.ts'
import { openAead } from './open-aead.ts'
import { nonceOf, type OpenedRecord, RECORD_HEADER_LENGTH, type RecordCipher } from './record-cipher.ts'

const IV_LENGTH = 12

/** Records protected by one traffic secret of TLS 1.3 (RFC 8446 §5.2, §7.3). */
export class Tls13Cipher implements RecordCipher {
  readonly #spec: CipherSpec
  readonly #secret: Uint8Array
  readonly #key: Uint8Array
  readonly #iv: Uint8Array

  constructor(spec: CipherSpec, secret: Uint8Array) {
    this.#spec = spec
    this.#secret = secret
    this.#key = expandLabel(spec.hash, secret, 'key', spec.keyLength)
    this.#iv = expandLabel(spec.hash, secret, 'iv', IV_LENGTH)
  }

  open(record: Uint8Array, sequence: number): OpenedRecord | undefined {
    const header = record.subarray(0, RECORD_HEADER_LENGTH)
    const sealed = record.subarray(RECORD_HEADER_LENGTH)
    const inner = openAead(this.#spec, this.#key, nonceOf(this.#iv, sequence), header, sealed)
    if (inner === undefined) return undefined
    // The true type is the last byte that is not padding.
    let end = inner.length - 1
    while (end >= 0 && inner[end] === 0) end--
    if (end < 0) return undefined
    return { type: inner[end] ?? 0, bytes: inner.subarray(0, end) }
  }

  /** The cipher after a KeyUpdate message (RFC 8446 §7.2). */
  next(): Tls13Cipher {
    const { hash } = this.#spec
    return new Tls13Cipher(this.#spec, expandLabel(hash, this.#secret, 'traffic upd', this.#secret.length))
  }
}
