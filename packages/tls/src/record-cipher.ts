/** Record content types: RFC 8446 §5.1. */
export const CONTENT_TYPE = { changeCipherSpec: 20, alert: 21, handshake: 22, applicationData: 23 } as const

/** Type, version, length. */
export const RECORD_HEADER_LENGTH = 5

/** A record after decryption. */
export interface OpenedRecord {
  readonly type: number
  readonly bytes: Uint8Array
}

/** Opens the records of one direction that one key protects. It has no state: the caller counts records. */
export interface RecordCipher {
  /** `record` includes the header. Undefined if the record was not made with this key and number. */
  open(record: Uint8Array, sequence: number): OpenedRecord | undefined
}

/** The nonce of RFC 8446 §5.3: the record number is combined with the end of the fixed part. */
export function nonceOf(iv: Uint8Array, sequence: number): Uint8Array {
  const nonce = Uint8Array.from(iv)
  const at = iv.length - 8
  const high = Math.floor(sequence / 2 ** 32)
  for (let i = 0; i < 4; i++) {
    nonce[at + i] ^= (high >>> (24 - 8 * i)) & 0xff
    nonce[at + 4 + i] ^= (sequence >>> (24 - 8 * i)) & 0xff
  }
  return nonce
}
