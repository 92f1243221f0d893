const NOTHING = new Uint8Array(0)

/**
 * The first `most` decompressed bytes of an LZ4 block (lz4_Block_format.md of lz4/lz4); fewer if the block is cut. A
 * block does not store its decompressed size: pass it as `most` where it is known. A block of a frame may copy from what
 * was `before` it. Undefined if the block is invalid.
 */
export function unlz4(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
  before: Uint8Array = NOTHING,
): Uint8Array | undefined {
  const first = before.length
  const out = new Uint8Array(first + Math.min(most, (end - start) * 255))
  out.set(before)
  let held = first
  let at = start
  while (at < end && held < out.length) {
    const token = bytes[at++]
    let literals = token >> 4
    if (literals === 15)
      for (let more = 255; more === 255 && at < end; literals += more) {
        more = bytes[at++]
      }
    const taken = Math.min(literals, end - at, out.length - held)
    out.set(bytes.subarray(at, at + taken), held)
    held += taken
    at += literals
    // The last sequence has only literals.
    if (at + 2 > end || held === out.length) break
    const offset = bytes[at] | (bytes[at + 1] << 8)
    at += 2
    let count = (token & 15) + 4
    if (count === 19)
      for (let more = 255; more === 255 && at < end; count += more) {
        more = bytes[at++]
      }
    if (offset === 0 || offset > held) return undefined
    // Byte by byte: a copy may overlap what it writes.
    for (const stop = Math.min(out.length, held + count); held < stop; held++) out[held] = out[held - offset]
  }
  return first > 0 || held < out.length ? out.subarray(first, held) : out
}
