import { parseIPv4 } from '@tapdeck/ip'

/** `10.1.2.3` → 4 bytes, or the leading octets of a net (`10.1` → 2 bytes). Undefined where it is neither. */
export function parseIPv4Prefix(text: string): Uint8Array | undefined {
  const missing = 4 - text.split('.').length
  return missing < 0 ? undefined : parseIPv4(text + '.0'.repeat(missing))?.subarray(0, 4 - missing)
}

/** Six bytes, parted by colons, hyphens or dots. */
export function parseStation(text: string): Uint8Array | undefined {
  if (!/^[0-9A-Fa-f]{1,2}([:.-])[0-9A-Fa-f]{1,2}(?:\1[0-9A-Fa-f]{1,2}){4}$/.test(text)) return undefined
  return Uint8Array.from(text.split(/[:.-]/), (part) => Number.parseInt(part, 16))
}

/** The mask of a prefix length, for addresses of `size` bytes. */
export function prefixMask(length: number, size: number): Uint8Array {
  return Uint8Array.from({ length: size }, (_, at) => {
    const bits = Math.min(8, Math.max(0, length - at * 8))
    return (0xff00 >> bits) & 0xff
  })
}
