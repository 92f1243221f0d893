import { createDecipheriv, createHmac, timingSafeEqual } from 'node:crypto'
import type { CipherSpec } from './cipher-spec.ts'
import { prf } from './key-derivation.ts'
import { openAead } from './open-aead.ts'
import { nonceOf, type OpenedRecord, RECORD_HEADER_LENGTH, type RecordCipher } from './record-cipher.ts'

/** What both sides of a TLS 1.2 connection agreed on. */
export interface Tls12Parameters {
  readonly spec: CipherSpec
  readonly master: Uint8Array
  readonly clientRandom: Uint8Array
  readonly serverRandom: Uint8Array
  readonly encryptThenMac: boolean
}

const MAC_LENGTH = { sha1: 20, sha256: 32, sha384: 48 } as const
const BLOCK_LENGTH = 16
/** Sent with each record of a GCM or CCM suite. */
const EXPLICIT_NONCE_LENGTH = 8

/** The ciphers of both directions, client first (RFC 5246 §6.3). */
export function tls12Ciphers(parameters: Tls12Parameters): readonly [RecordCipher, RecordCipher] {
  const { spec, master, clientRandom, serverRandom, encryptThenMac } = parameters
  const macLength = spec.mac === undefined ? 0 : MAC_LENGTH[spec.mac]
  const ivLength = spec.mode === 'chacha' ? 12 : spec.mode === 'cbc' ? 0 : 4
  const needed = 2 * (macLength + spec.keyLength + ivLength)
  const block = prf(spec.hash, master, 'key expansion', Buffer.concat([serverRandom, clientRandom]), needed)
  const cut = (side: 0 | 1, length: number, before: number): Uint8Array =>
    block.subarray(before + side * length, before + (side + 1) * length)
  const cipher = (side: 0 | 1): RecordCipher => {
    const mac = cut(side, macLength, 0)
    const key = cut(side, spec.keyLength, 2 * macLength)
    const iv = cut(side, ivLength, 2 * (macLength + spec.keyLength))
    return spec.mode === 'cbc' ? new CbcCipher(spec, key, mac, encryptThenMac) : new AeadCipher(spec, key, iv)
  }
  return [cipher(0), cipher(1)]
}

/** GCM (RFC 5288), CCM (RFC 6655) and ChaCha20-Poly1305 (RFC 7905). */
class AeadCipher implements RecordCipher {
  readonly #spec: CipherSpec
  readonly #key: Uint8Array
  readonly #iv: Uint8Array

  constructor(spec: CipherSpec, key: Uint8Array, iv: Uint8Array) {
    this.#spec = spec
    this.#key = key
    this.#iv = iv
  }

  open(record: Uint8Array, sequence: number): OpenedRecord | undefined {
    const spec = this.#spec
    const explicit = spec.mode === 'chacha' ? 0 : EXPLICIT_NONCE_LENGTH
    const start = RECORD_HEADER_LENGTH + explicit
    const length = record.length - start - spec.tagLength
    if (length < 0) return undefined
    const nonce =
      explicit === 0
        ? nonceOf(this.#iv, sequence)
        : Buffer.concat([this.#iv, record.subarray(RECORD_HEADER_LENGTH, start)])
    const bytes = openAead(
      spec,
      this.#key,
      nonce,
      macHeader(record, sequence, length),
      record.subarray(start),
    )
    return bytes === undefined ? undefined : { type: record[0] ?? 0, bytes }
  }
}

/** CBC with an IV in each record (RFC 5246 §6.2.3.2), MAC first or, by RFC 7366, encryption first. */
class CbcCipher implements RecordCipher {
  readonly #spec: CipherSpec
  readonly #key: Uint8Array
  readonly #macKey: Uint8Array
  readonly #encryptThenMac: boolean

  constructor(spec: CipherSpec, key: Uint8Array, macKey: Uint8Array, encryptThenMac: boolean) {
    this.#spec = spec
    this.#key = key
    this.#macKey = macKey
    this.#encryptThenMac = encryptThenMac
  }

  open(record: Uint8Array, sequence: number): OpenedRecord | undefined {
    const { mac: hash = 'sha256', algorithm } = this.#spec
    const macLength = MAC_LENGTH[hash]
    const end = this.#encryptThenMac ? record.length - macLength : record.length
    const start = RECORD_HEADER_LENGTH + BLOCK_LENGTH
    const sealed = end - start
    if (sealed < BLOCK_LENGTH || sealed % BLOCK_LENGTH !== 0) return undefined
    if (this.#encryptThenMac) {
      const covered = record.subarray(RECORD_HEADER_LENGTH, end)
      if (!this.#verifies(record, sequence, covered, record.subarray(end))) return undefined
    }
    const decipher = createDecipheriv(algorithm, this.#key, record.subarray(RECORD_HEADER_LENGTH, start))
    decipher.setAutoPadding(false)
    const plain = decipher.update(record.subarray(start, end))
    const padding = (plain[plain.length - 1] ?? 0) + 1
    const content = plain.length - padding - (this.#encryptThenMac ? 0 : macLength)
    if (content < 0) return undefined
    const bytes = plain.subarray(0, content)
    if (
      !this.#encryptThenMac &&
      !this.#verifies(record, sequence, bytes, plain.subarray(content, content + macLength))
    )
      return undefined
    return { type: record[0] ?? 0, bytes }
  }

  #verifies(record: Uint8Array, sequence: number, covered: Uint8Array, mac: Uint8Array): boolean {
    const hmac = createHmac(this.#spec.mac ?? 'sha256', this.#macKey)
    const made = hmac
      .update(macHeader(record, sequence, covered.length))
      .update(covered)
      .digest()
    return made.length === mac.length && timingSafeEqual(made, mac)
  }
}

/** What a tag or MAC covers besides the content: number, type, version, length (RFC 5246 §6.2.3.1). */
function macHeader(record: Uint8Array, sequence: number, length: number): Uint8Array {
  const header = new Uint8Array(13)
  const view = new DataView(header.buffer)
  view.setUint32(0, Math.floor(sequence / 2 ** 32))
  view.setUint32(4, sequence >>> 0)
  header.set(record.subarray(0, 3), 8)
  view.setUint16(11, length)
  return header
}
