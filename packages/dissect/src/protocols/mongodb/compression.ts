import { constants, inflateSync } from 'node:zlib'
import { unzstd } from '@tapdeck/wire'
import { unsnap } from '../../compression/snappy.ts'
import { int32 } from './frame.ts'
import { isOpcode, OPCODE } from './opcode.ts'

/** Before the compressed bytes: opcode and size of what they unfold to, and the compressor. */
const PREFIX = 9
/** Bytes that one message may unfold to; of a longer one the beginning is read. */
const CEILING = 1024 * 1024
const BEGINNING = 16 * 1024
const COMPRESSORS: readonly string[] = ['noop', 'snappy', 'zlib', 'zstd']

/** What an OP_COMPRESSED carries. */
export interface Compressed {
  readonly opcode: number
  readonly compressor: string
  /** The message without its header; undefined where it cannot be unfolded. */
  readonly bytes: Uint8Array | undefined
  /** Not all of it is there. */
  readonly cut: boolean
}

/** Reads `bytes[start, end)`, which follow the header. */
export function readCompressed(bytes: Uint8Array, start: number, end: number): Compressed | undefined {
  if (end - start < PREFIX) return undefined
  const opcode = int32(bytes, start)
  const size = int32(bytes, start + 4)
  const id = bytes[start + 8]
  if (!isOpcode(opcode) || opcode === OPCODE.COMPRESSED || size < 0) return undefined
  const unfolded = unfold(id, bytes, start + PREFIX, end, size)
  const cut = unfolded === undefined || unfolded.length < size
  return { opcode, compressor: COMPRESSORS[id] ?? `compressor ${id}`, bytes: unfolded, cut }
}

function unfold(
  id: number,
  bytes: Uint8Array,
  start: number,
  end: number,
  size: number,
): Uint8Array | undefined {
  if (id === 0) return bytes.subarray(start, end)
  if (id === 1) return unsnap(bytes, start, end, Math.min(size, CEILING))
  if (id === 3) return unzstd(bytes, start, end, Math.min(size, CEILING))
  if (id !== 2) return undefined
  const stop = size > CEILING ? Math.min(end, start + BEGINNING) : end
  try {
    // Flushing makes it give what it has of a stream that is cut.
    const options = { maxOutputLength: CEILING, finishFlush: constants.Z_SYNC_FLUSH }
    return inflateSync(bytes.subarray(start, stop), options)
  } catch {
    return undefined
  }
}
