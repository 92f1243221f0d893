/**
 * The four bytes of a dotted IPv4 address; undefined where the text is not one. An octet has no leading zero, because
 * some readers take `010` as octal (RFC 6943, section 3.1.1).
 */
export function parseIPv4(text: string): Uint8Array | undefined {
  const value = ipv4Number(text)
  if (value < 0) return undefined
  return Uint8Array.of(value >>> 24, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
}

/** The address as an unsigned number, or -1. Allocates nothing: filters call it for each call. */
export function ipv4Number(text: string): number {
  let value = 0
  let octet = -1
  let dots = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x2e) {
      if (octet < 0) return -1
      value = value * 256 + octet
      octet = -1
      dots++
    } else {
      if (code < 0x30 || code > 0x39 || octet === 0) return -1
      octet = octet < 0 ? code - 0x30 : octet * 10 + code - 0x30
      if (octet > 255) return -1
    }
  }
  return dots === 3 && octet >= 0 ? value * 256 + octet : -1
}
