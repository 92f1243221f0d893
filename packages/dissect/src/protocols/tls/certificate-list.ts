const HEADER = 4
const MOST = 16

/** The certificates of a Certificate message up to TLS 1.2 (RFC 5246 §7.4.2), as far as they are there whole. */
export function certificatesOf(message: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let at = HEADER + 3; at + 3 <= message.length && found.length < MOST; ) {
    const length = (message[at] << 16) | (message[at + 1] << 8) | message[at + 2]
    at += 3
    if (length === 0 || at + length > message.length) break
    found.push(message.subarray(at, at + length))
    at += length
  }
  return found
}
