import { constants, gunzipSync } from 'node:zlib'

/** What a gzip stream has, of one that is cut its beginning. Undefined if it is invalid, or has more than `most` bytes. */
export function gunzip(bytes: Uint8Array, most: number): Uint8Array | undefined {
  try {
    return gunzipSync(bytes, { maxOutputLength: most, finishFlush: constants.Z_SYNC_FLUSH })
  } catch {
    return undefined
  }
}
