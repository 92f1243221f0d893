const HEADER = 4
const MAX_COUNT = 16

/** The certificates of a Certificate message up to TLS 1.2 (RFC 5246 §7.4.2), as far as they are there whole. */
export function certificatesOf(message: Uint8Array): Uint8Array[] {
  const found: Uint8Array[] = []
  for (let at = HEADER + 3; at + 3 <= message.length && found.length < MAX_COUNT; ) {
    const length = (message[at] << 16) | (message[at + 1] << 8) | message[at + 2]
    at += 3
    if (length === 0 || at + length > message.length) break
    found.push(message.subarray(at, at + length))
    at += length
  }
  return found
}

/**
 * A Certificate message of TLS 1.3 (RFC 8446 §4.4.2) in the form of TLS 1.2: without the context before the list and the
 * extensions after each certificate.
 */
export function withoutExtensions(message: Uint8Array): Uint8Array {
  const entries: Uint8Array[] = []
  const list = HEADER + 1 + (message[HEADER] ?? 0)
  for (let at = list + 3; at + 3 <= message.length && entries.length < MAX_COUNT; ) {
    const end = at + 3 + ((message[at] << 16) | (message[at + 1] << 8) | message[at + 2])
    if (end + 2 > message.length) break
    entries.push(message.subarray(at, end))
    at = end + 2 + ((message[end] << 8) | message[end + 1])
  }
  const size = entries.reduce((sum, entry) => sum + entry.length, 0)
  const plain = new Uint8Array(HEADER + 3 + size)
  plain[0] = message[0]
  let at = HEADER + 3
  for (const entry of entries) {
    plain.set(entry, at)
    at += entry.length
  }
  return plain
}
