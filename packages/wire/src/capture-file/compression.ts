export type Compression = 'gzip' | 'zstd'

/** How a file that begins with `head` is compressed; undefined where it is not, or in no known way. */
export function compressionOf(head: Uint8Array): Compression | undefined {
  if (head[0] === 0x1f && head[1] === 0x8b) return 'gzip'
  // RFC 8878: the magic number of a frame, or of one that is to be skipped, which some tools begin with.
  if (head[0] === 0x28 && head[1] === 0xb5 && head[2] === 0x2f && head[3] === 0xfd) return 'zstd'
  if (head[0] >> 4 === 5 && head[1] === 0x2a && head[2] === 0x4d && head[3] === 0x18) return 'zstd'
  return undefined
}
