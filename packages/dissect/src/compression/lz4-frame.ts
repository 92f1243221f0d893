import { unlz4 } from './lz4.ts'

const MAGIC = Uint8Array.of(0x04, 0x22, 0x4d, 0x18)
const HAS_DICTIONARY = 1
const HAS_SIZE = 8
const HAS_BLOCK_CHECKSUMS = 16
const IS_INDEPENDENT = 32
const IS_PLAIN = 0x80
/** A block may copy from as much of what was before it. */
const WINDOW = 64 * 1024

/**
 * The first `most` bytes of an LZ4 frame (lz4_Frame_format.md of lz4/lz4); fewer if the frame is cut. Checksums are not
 * compared. Undefined if it is no frame.
 */
export function unlz4Frame(
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
): Uint8Array | undefined {
  if (end - start < 7 || MAGIC.some((byte, i) => bytes[start + i] !== byte)) return undefined
  const flags = bytes[start + 4]
  if (flags >> 6 !== 1) return undefined
  let at = start + 7 + (flags & HAS_SIZE ? 8 : 0) + (flags & HAS_DICTIONARY ? 4 : 0)
  const checksum = flags & HAS_BLOCK_CHECKSUMS ? 4 : 0
  const out: Uint8Array[] = []
  let held = 0
  let before: Uint8Array = new Uint8Array(0)
  while (at + 4 <= end && held < most) {
    const length = bytes[at] | (bytes[at + 1] << 8) | (bytes[at + 2] << 16) | ((bytes[at + 3] & 0x7f) << 24)
    if (length === 0) break
    const from = at + 4
    const stop = Math.min(end, from + length)
    const block =
      bytes[at + 3] & IS_PLAIN
        ? bytes.subarray(from, Math.min(stop, from + most - held))
        : unlz4(bytes, from, stop, most - held, before)
    if (block === undefined) return held === 0 ? undefined : Buffer.concat(out)
    out.push(block)
    held += block.length
    if ((flags & IS_INDEPENDENT) === 0) before = tail(before, block)
    at = from + length + checksum
  }
  return Buffer.concat(out)
}

/** The last bytes of both. */
function tail(before: Uint8Array, block: Uint8Array): Uint8Array {
  return block.length >= WINDOW ? block.subarray(-WINDOW) : Buffer.concat([before, block]).subarray(-WINDOW)
}
