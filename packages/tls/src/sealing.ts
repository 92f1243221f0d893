import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'

/** A key that seals records. Its id is not secret: it says which key opens a record. */
export interface SealingKey {
  /** 16 hexadecimal digits. */
  readonly id: string
  /** 32 bytes. */
  readonly key: Uint8Array
}

/*
 * A sealed record: "TDS1", id of the key (8 bytes), length of the ciphertext (4 bytes, big endian), nonce (12 bytes),
 * ciphertext, tag (16 bytes). AES-256-GCM; all before the nonce is authenticated, too.
 */
const MAGIC = Buffer.from('TDS1')
const ID_AT = 4
const LENGTH_AT = 12
const NONCE_AT = 16
const NONCE_LENGTH = 12
const HEADER_LENGTH = NONCE_AT + NONCE_LENGTH
const TAG_LENGTH = 16
const KEY_LENGTH = 32
/** A longer record is damage. */
export const MAX_SEALED_BYTES = 4 * 1024 * 1024

export function createSealingKey(): SealingKey {
  return { id: randomBytes(8).toString('hex'), key: randomBytes(KEY_LENGTH) }
}

export function sealRecord({ id, key }: SealingKey, plaintext: Uint8Array): Buffer {
  if (plaintext.length > MAX_SEALED_BYTES) throw new RangeError('too much for one sealed record')
  const sealed = Buffer.alloc(HEADER_LENGTH + plaintext.length + TAG_LENGTH)
  MAGIC.copy(sealed)
  sealed.write(id, ID_AT, 'hex')
  sealed.writeUInt32BE(plaintext.length, LENGTH_AT)
  const nonce = randomBytes(NONCE_LENGTH)
  nonce.copy(sealed, NONCE_AT)
  const cipher = createCipheriv('aes-256-gcm', key, nonce)
  cipher.setAAD(sealed.subarray(0, NONCE_AT))
  sealed.set(cipher.update(plaintext), HEADER_LENGTH)
  cipher.final()
  sealed.set(cipher.getAuthTag(), HEADER_LENGTH + plaintext.length)
  return sealed
}

/** What became of the records of a file. */
export interface OpenedRecords {
  readonly records: readonly Buffer[]
  /** Records whose key is not known. */
  readonly locked: number
  /** Places where something else than a whole record was: torn writes, changed bytes, a wrong key under the same id. */
  readonly damaged: number
}

/** Opens all records of a file. After damage it continues with the next record that can be opened. */
export function openRecords(bytes: Buffer, keys: ReadonlyMap<string, Uint8Array>): OpenedRecords {
  const records: Buffer[] = []
  let locked = 0
  let damaged = 0
  for (let at = 0; at < bytes.length; ) {
    const end = recordEnd(bytes, at)
    const key = end === undefined ? undefined : keys.get(bytes.toString('hex', at + ID_AT, at + LENGTH_AT))
    const opened =
      end === undefined || key === undefined ? undefined : openRecord(bytes.subarray(at, end), key)
    if (opened !== undefined) records.push(opened)
    if (end !== undefined && (opened !== undefined || key === undefined)) {
      if (opened === undefined) locked++
      at = end
      continue
    }
    damaged++
    const next = bytes.indexOf(MAGIC, at + 1)
    if (next < 0) break
    at = next
  }
  return { records, locked, damaged }
}

function recordEnd(bytes: Buffer, at: number): number | undefined {
  if (bytes.length - at < HEADER_LENGTH + TAG_LENGTH || !bytes.subarray(at, at + MAGIC.length).equals(MAGIC))
    return undefined
  const length = bytes.readUInt32BE(at + LENGTH_AT)
  const end = at + HEADER_LENGTH + length + TAG_LENGTH
  return length > MAX_SEALED_BYTES || end > bytes.length ? undefined : end
}

function openRecord(sealed: Buffer, key: Uint8Array): Buffer | undefined {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(NONCE_AT, HEADER_LENGTH))
  decipher.setAAD(sealed.subarray(0, NONCE_AT))
  decipher.setAuthTag(sealed.subarray(sealed.length - TAG_LENGTH))
  try {
    const opened = decipher.update(sealed.subarray(HEADER_LENGTH, sealed.length - TAG_LENGTH))
    decipher.final()
    return opened
  } catch {
    return undefined
  }
}
