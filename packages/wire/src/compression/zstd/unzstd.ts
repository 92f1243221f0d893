import { Malformed } from '../../malformed.ts'
import { ZstdDecoder } from './zstd-decoder.ts'

const NOTHING = new Uint8Array(0)

/**
 * The first `most` bytes that `bytes[start, end)` unpack to; fewer where they are cut or damaged. Undefined where not
 * even the beginning makes sense.
 */
export function unzstd(bytes: Uint8Array, start: number, end: number, most: number): Uint8Array | undefined {
  const parts: Uint8Array[] = []
  let size = 0
  const keep = (unpacked: Uint8Array, from: number, to: number): boolean => {
    const part = unpacked.slice(from, Math.min(to, from + most - size))
    parts.push(part)
    size += part.length
    return size < most
  }
  try {
    new ZstdDecoder().push(bytes, start, end, keep)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    if (parts.length === 0) return undefined
  }
  if (parts.length === 1) return parts[0]
  return parts.length === 0 ? NOTHING : Buffer.concat(parts)
}
