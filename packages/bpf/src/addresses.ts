/** `10.1.2.3` → 4 bytes; a short one (`10.1`) gives fewer. Undefined where it is none. */
export function parseIPv4(text: string): Uint8Array | undefined {
  const parts = text.split('.')
  if (parts.length > 4 || parts.some((part) => !/^\d{1,3}$/.test(part) || Number(part) > 255))
    return undefined
  return Uint8Array.from(parts, Number)
}

/** 16 bytes; undefined where it is no IPv6 address. */
export function parseIPv6(text: string): Uint8Array | undefined {
  const halves = text.split('::')
  if (halves.length > 2) return undefined
  const left = words(halves[0])
  const right = halves.length === 2 ? words(halves[1]) : []
  if (!left || !right) return undefined
  const missing = 8 - left.length - right.length
  if (halves.length === 2 ? missing < 1 : missing !== 0) return undefined
  const all = [...left, ...Array<number>(halves.length === 2 ? missing : 0).fill(0), ...right]
  return Uint8Array.from(all.flatMap((word) => [word >> 8, word & 0xff]))
}

function words(half: string): number[] | undefined {
  if (half === '') return []
  const found: number[] = []
  const parts = half.split(':')
  for (const [at, part] of parts.entries()) {
    if (at === parts.length - 1 && part.includes('.')) {
      const v4 = parseIPv4(part)
      if (v4?.length !== 4) return undefined
      found.push((v4[0] << 8) | v4[1], (v4[2] << 8) | v4[3])
    } else if (/^[0-9A-Fa-f]{1,4}$/.test(part)) found.push(Number.parseInt(part, 16))
    else return undefined
  }
  return found
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
