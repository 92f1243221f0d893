import { alpnOf } from './client-hello.ts'
import { afterSession, EXTENSION, eachExtension, findExtension, uint16 } from './hello.ts'

/** What a server chose. */
export interface ServerHello {
  readonly legacyVersion: number
  readonly version: number
  readonly cipherSuite?: number
  readonly extensions: readonly number[]
  readonly alpn?: string
  /** TLS 1.3: the group of the key exchange. */
  readonly group?: number
  /** TLS 1.3: the session continues an earlier one. */
  readonly preShared: boolean
}

/** RFC 8446 §4.1.3: SHA-256 of "HelloRetryRequest" as random says that this is one. */
const RETRY = [
  0xcf, 0x21, 0xad, 0x74, 0xe5, 0x9a, 0x61, 0x11, 0xbe, 0x1d, 0x8c, 0x02, 0x1e, 0x65, 0xb8, 0x91, 0xc2, 0xa2,
  0x11, 0x16, 0x7a, 0xbb, 0x8c, 0x5e, 0x07, 0x9e, 0x09, 0xe2, 0xc8, 0xa8, 0x33, 0x9c,
]

export function isRetry(bytes: Uint8Array, start: number, end: number): boolean {
  if (end - start < 6 + RETRY.length) return false
  for (let i = 0; i < RETRY.length; i++) if (bytes[start + 6 + i] !== RETRY[i]) return false
  return true
}

/** The version that both will speak: in an extension from TLS 1.3 on (RFC 8446 §4.2.1), 0 where it is not there. */
export function chosenVersion(bytes: Uint8Array, start: number, end: number): number {
  const at = findExtension(bytes, start, end, EXTENSION.supportedVersions)
  if (at >= 0 && at + 2 <= end) return uint16(bytes, at)
  return start + 6 <= end ? uint16(bytes, start + 4) : 0
}

export function readServerHello(bytes: Uint8Array): ServerHello {
  const end = bytes.length
  const chosen = afterSession(bytes, 0, end)
  const extensions: number[] = []
  let alpn: string | undefined
  let group: number | undefined
  eachExtension(bytes, 0, end, (type, from, to) => {
    extensions.push(type)
    if (type === EXTENSION.alpn) alpn = alpnOf(bytes, from, to)[0]
    else if (type === EXTENSION.keyShare && to - from >= 2) group = uint16(bytes, from)
  })
  return {
    legacyVersion: uint16(bytes, 4),
    version: chosenVersion(bytes, 0, end),
    ...(chosen + 2 <= end ? { cipherSuite: uint16(bytes, chosen) } : {}),
    extensions,
    ...(alpn === undefined ? {} : { alpn }),
    ...(group === undefined ? {} : { group }),
    preShared: extensions.includes(EXTENSION.preSharedKey),
  }
}
