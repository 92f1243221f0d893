/** IPv4 addresses that DNS tells as numbers below zero: there may be as many as answers, and few of them are anybody's end. */
export function toldAddress(bytes: Uint8Array, at: number): number {
  return -1 - (((bytes[at]! << 24) | (bytes[at + 1]! << 16) | (bytes[at + 2]! << 8) | bytes[at + 3]!) >>> 0)
}

/** The number of an address that is written as text; undefined where it is none, or not of IPv4. */
export function toldAs(ip: string): number | undefined {
  const parts = ip.split('.')
  if (parts.length !== 4) return undefined
  const bytes = Uint8Array.from(parts, Number)
  return bytes.join('.') === ip ? toldAddress(bytes, 0) : undefined
}
