import { unzstd } from '@tapdeck/wire'
import { gunzip } from '../../compression/gunzip.ts'
import { unlz4Frame } from '../../compression/lz4-frame.ts'
import { unsnap } from '../../compression/snappy.ts'
import { int32 } from './frame.ts'

export type Codec = 'gzip' | 'snappy' | 'lz4' | 'zstd'

/** The lowest three bits of the attributes of a batch. */
const CODECS: readonly (Codec | undefined)[] = [undefined, 'gzip', 'snappy', 'lz4', 'zstd']
/** Java clients write Snappy in blocks: a magic of 8 bytes, two versions, then each block after its length. */
const SNAPPY_MAGIC = Uint8Array.of(0x82, 0x53, 0x4e, 0x41, 0x50, 0x50, 0x59, 0)
const SNAPPY_HEADER = 16

/** Undefined where nothing is compressed; `unknown` for a number that is not assigned. */
export function codecOf(attributes: number): Codec | 'unknown' | undefined {
  const id = attributes & 7
  return id < CODECS.length ? CODECS[id] : 'unknown'
}

/** At most `most` bytes of what is compressed in `bytes[start, end)`; undefined if it cannot be decompressed. */
export function decompress(
  codec: Codec | 'unknown',
  bytes: Uint8Array,
  start: number,
  end: number,
  most: number,
): Uint8Array | undefined {
  switch (codec) {
    case 'gzip':
      return gunzip(bytes.subarray(start, end), most)
    case 'snappy':
      return isFramedSnappy(bytes, start, end)
        ? unsnapBlocks(bytes, start + SNAPPY_HEADER, end, most)
        : unsnap(bytes, start, end, most)
    case 'lz4':
      return unlz4Frame(bytes, start, end, most)
    case 'zstd':
      return unzstd(bytes, start, end, most)
    case 'unknown':
      return undefined
  }
}

function isFramedSnappy(bytes: Uint8Array, start: number, end: number): boolean {
  return end - start >= SNAPPY_HEADER && SNAPPY_MAGIC.every((byte, i) => bytes[start + i] === byte)
}

function unsnapBlocks(bytes: Uint8Array, start: number, end: number, most: number): Uint8Array {
  const blocks: Uint8Array[] = []
  let held = 0
  for (let at = start; at + 4 < end && held < most; ) {
    const length = int32(bytes, at)
    if (length <= 0) break
    const block = unsnap(bytes, at + 4, Math.min(end, at + 4 + length), most - held)
    if (block === undefined) break
    blocks.push(block)
    held += block.length
    at += 4 + length
  }
  return Buffer.concat(blocks)
}
