import { alpnOf } from '../tls/client-hello.ts'
import { EXTENSION, uint16 } from '../tls/hello.ts'

/** Type and length. */
const HEADER = 4

/** The protocol that the server chose, in an EncryptedExtensions message: RFC 8446 §4.3.1. */
export function chosenProtocol(message: Uint8Array): string | undefined {
  for (let at = HEADER + 2; at + 4 <= message.length; ) {
    const end = at + 4 + uint16(message, at + 2)
    if (end > message.length) return undefined
    if (uint16(message, at) === EXTENSION.alpn) return alpnOf(message, at + 4, end)[0]
    at = end
  }
  return undefined
}
