/**
 * The first `most` decompressed bytes of a raw Snappy block (format_description.txt of google/snappy); fewer if the
 * block is cut. Undefined if the block is invalid.
 */
export function unsnap(bytes: Uint8Array, start: number, end: number, most: number): Uint8Array | undefined {
  let at = start
  let length = 0
  for (let shift = 0; ; shift += 7) {
    if (at >= end || shift > 28) return undefined
    const byte = bytes[at++]
    length += (byte & 0x7f) * 2 ** shift
    if (byte < 0x80) break
  }
  const size = Math.min(length, most)
  const out = new Uint8Array(size)
  let held = 0
  while (held < size && at < end) {
    const tag = bytes[at++]
    if ((tag & 3) === 0) {
      let count = (tag >> 2) + 1
      if (count > 60) {
        const width = count - 60
        if (at + width > end) break
        count = little(bytes, at, width) + 1
        at += width
      }
      const taken = Math.min(count, end - at, size - held)
      out.set(bytes.subarray(at, at + taken), held)
      held += taken
      at += count
      continue
    }
    const width = (tag & 3) === 3 ? 4 : tag & 3
    if (at + width > end) break
    const near = (tag & 3) === 1
    const count = near ? ((tag >> 2) & 7) + 4 : (tag >> 2) + 1
    const offset = little(bytes, at, width) + (near ? (tag >> 5) << 8 : 0)
    at += width
    if (offset === 0 || offset > held) return undefined
    // Byte by byte: a copy may overlap what it writes.
    for (const stop = Math.min(size, held + count); held < stop; held++) out[held] = out[held - offset]
  }
  return held < size ? out.subarray(0, held) : out
}

function little(bytes: Uint8Array, at: number, width: number): number {
  let value = 0
  for (let i = width - 1; i >= 0; i--) value = value * 256 + bytes[at + i]
  return value
}
