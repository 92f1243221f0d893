import { createCipheriv, createDecipheriv, createHmac } from 'node:crypto'
import type { LongHeader } from './long-header.ts'
import type { QuicVersion } from './version.ts'

const TAG = 16
const SAMPLE = 16

/**
 * Keys of one side for Initial packets (RFC 9001 §5.2). They follow from a connection id in plain text: these
 * packets are guarded against damage, not against readers.
 */
export class InitialKeys {
  readonly #key: Uint8Array
  readonly #iv: Uint8Array
  readonly #mask: Uint8Array

  constructor(version: QuicVersion, destination: Uint8Array, side: 'client' | 'server') {
    const initial = hmac(Buffer.from(version.salt, 'hex'), destination)
    const secret = expand(initial, `${side} in`, 32)
    this.#key = expand(secret, `${version.label} key`, 16)
    this.#iv = expand(secret, `${version.label} iv`, 12)
    this.#mask = expand(secret, `${version.label} hp`, 16)
  }

  /** The frames of a packet; undefined where it was not made with these keys. */
  open(bytes: Uint8Array, { start, number, end }: LongHeader): Uint8Array | undefined {
    if (number + 4 + SAMPLE > end) return undefined
    const cipher = createCipheriv('aes-128-ecb', this.#mask, null)
    const mask = cipher.update(bytes.subarray(number + 4, number + 4 + SAMPLE))
    const first = bytes[start] ^ (mask[0] & 0x0f)
    const size = (first & 3) + 1
    const header = Buffer.from(bytes.subarray(start, number + size))
    header[0] = first
    const nonce = Buffer.from(this.#iv)
    for (let i = 0; i < size; i++) {
      const at = number - start + i
      header[at] ^= mask[1 + i]
      nonce[12 - size + i] ^= header[at]
    }
    const sealed = number + size
    if (end - sealed < TAG) return undefined
    try {
      const opener = createDecipheriv('aes-128-gcm', this.#key, nonce)
      opener.setAAD(header)
      opener.setAuthTag(bytes.subarray(end - TAG, end))
      const opened = opener.update(bytes.subarray(sealed, end - TAG))
      opener.final()
      return opened
    } catch {
      return undefined
    }
  }
}

function hmac(key: Uint8Array, data: Uint8Array): Uint8Array {
  return createHmac('sha256', key).update(data).digest()
}

/** HKDF-Expand-Label of TLS 1.3 (RFC 8446 §7.1) for what fits in one block. */
function expand(secret: Uint8Array, label: string, length: number): Uint8Array {
  const name = Buffer.from(`tls13 ${label}`, 'latin1')
  const info = Buffer.concat([Uint8Array.of(0, length, name.length), name, Uint8Array.of(0, 1)])
  return hmac(secret, info).subarray(0, length)
}
