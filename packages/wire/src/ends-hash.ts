/** A hash of the two ends of a conversation, the same for both directions. Addresses are 4 or 16 bytes in `data`. */
export function endsHash(
  data: Uint8Array,
  src: number,
  dst: number,
  size: number,
  sourcePort: number,
  destinationPort: number,
): number {
  return joinEnds(endHash(data, src, size, sourcePort), endHash(data, dst, size, destinationPort))
}

/** A sum: it does not depend on which end sent. */
export function joinEnds(one: number, other: number): number {
  const hash = (one + other) | 0
  return Math.imul(hash ^ (hash >>> 16), 0x45d9f3b)
}

export function endHash(data: Uint8Array, start: number, size: number, port: number): number {
  let hash = Math.imul(port + 1, 0x9e3779b1)
  for (let at = start; at < start + size; at += 4) {
    const word = (data[at] << 24) | (data[at + 1] << 16) | (data[at + 2] << 8) | data[at + 3]
    hash = Math.imul(hash ^ (hash >>> 15) ^ word, 0x85ebca6b)
  }
  return hash ^ (hash >>> 13)
}
