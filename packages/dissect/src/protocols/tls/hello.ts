/** Handshake message types: RFC 8446 §4, RFC 5246 §7.4. */
export const CLIENT_HELLO = 1
export const SERVER_HELLO = 2

export const EXTENSION = {
  serverName: 0,
  supportedGroups: 10,
  pointFormats: 11,
  signatureAlgorithms: 13,
  alpn: 16,
  encryptThenMac: 22,
  preSharedKey: 41,
  earlyData: 42,
  supportedVersions: 43,
  keyShare: 51,
  encryptedClientHello: 0xfe0d,
} as const

/** Type, length, version, random. */
const FIXED = 4 + 2 + 32
/** RFC 8701: values that mean nothing and keep servers from getting used to a fixed list. */
const GREASE = 0x0a0a

export function isGrease(value: number): boolean {
  return (value & 0x0f0f) === GREASE && value >> 8 === (value & 0xff)
}

export function uint16(bytes: Uint8Array, at: number): number {
  return (bytes[at] << 8) | bytes[at + 1]
}

/** Where the session id of a hello ends. */
export function afterSession(bytes: Uint8Array, start: number, end: number): number {
  return start + FIXED < end ? start + FIXED + 1 + bytes[start + FIXED] : end
}

/** Where the extensions of a hello begin, past their length; `end` where it has none. */
function extensionsOf(bytes: Uint8Array, start: number, end: number): number {
  let at = afterSession(bytes, start, end)
  if (bytes[start] === CLIENT_HELLO) {
    at = at + 2 <= end ? at + 2 + uint16(bytes, at) : end
    at = at < end ? at + 1 + bytes[at] : end
  } else at += 3
  return Math.min(at + 2, end)
}

/** Where the data of the first extension of that type begins, or -1. The two bytes before it are its length. */
export function findExtension(bytes: Uint8Array, start: number, end: number, type: number): number {
  let at = extensionsOf(bytes, start, end)
  while (at + 4 <= end) {
    if (uint16(bytes, at) === type) return at + 4
    at += 4 + uint16(bytes, at + 2)
  }
  return -1
}

/** Calls with the type and the bounds of each extension that is there whole. */
export function eachExtension(
  bytes: Uint8Array,
  start: number,
  end: number,
  visit: (type: number, from: number, to: number) => void,
): void {
  let at = extensionsOf(bytes, start, end)
  while (at + 4 <= end) {
    const to = at + 4 + uint16(bytes, at + 2)
    visit(uint16(bytes, at), at + 4, Math.min(to, end))
    at = to
  }
}

/** Two-byte numbers of a list in `[start, end)` that begins with its length in two bytes. */
export function list16(bytes: Uint8Array, start: number, end: number): number[] {
  const stop = Math.min(end, start + 2 + uint16(bytes, start))
  const values: number[] = []
  for (let at = start + 2; at + 2 <= stop; at += 2) values.push(uint16(bytes, at))
  return values
}
