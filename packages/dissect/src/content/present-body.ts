import { brotliDecompressSync, constants, gunzipSync, inflateRawSync, inflateSync } from 'node:zlib'
import { Malformed, unzstd } from '@tapdeck/wire'
import type { PresentedHalf } from '../call.ts'
import { base64, utf8 } from '../text.ts'

/** Bytes that a compressed body may unfold to. */
const CEILING = 1024 * 1024

type Unpack = (bytes: Uint8Array) => Uint8Array

const bounds = { maxOutputLength: CEILING, finishFlush: constants.Z_SYNC_FLUSH }

/** RFC 9110 §8.4.1. Since bodies may be kept in part, each gives what there is of them. */
const CODINGS: Readonly<Record<string, Unpack | undefined>> = {
  gzip: (bytes) => gunzipSync(bytes, bounds),
  'x-gzip': (bytes) => gunzipSync(bytes, bounds),
  // Zlib's format by the specification, bare deflate by the habit of some servers.
  deflate: (bytes) => ((bytes[0] & 15) === 8 ? inflateSync(bytes, bounds) : inflateRawSync(bytes, bounds)),
  br: (bytes) =>
    brotliDecompressSync(bytes, { maxOutputLength: CEILING, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: unpackZstd,
}

/** Node has zstd only from 22.15 on. */
function unpackZstd(bytes: Uint8Array): Uint8Array {
  const unpacked = unzstd(bytes, 0, bytes.length, CEILING + 1)
  if (unpacked === undefined || unpacked.length > CEILING) throw new Malformed('no zstd')
  return unpacked
}

/** A body as people read it: unpacked, as text where it is text. */
export function presentBody(
  body: Uint8Array | undefined,
  encoding: string | undefined,
  truncated: boolean,
): Pick<PresentedHalf, 'body' | 'body_encoding'> & { readonly body_decoded?: false } {
  if (body === undefined || body.length === 0) return {}
  const unpacked = unpack(body, encoding)
  const bytes = unpacked ?? body
  const text = toText(bytes, truncated)
  return {
    ...(text === undefined ? { body: base64(bytes), body_encoding: 'base64' } : { body: text }),
    ...(unpacked === undefined ? { body_decoded: false } : {}),
  }
}

/** Undefined where a coding is unknown, the bytes are not in it, or they unfold beyond the ceiling. */
function unpack(body: Uint8Array, encoding: string | undefined): Uint8Array | undefined {
  let bytes = body
  for (const coding of codings(encoding)) {
    const decode = CODINGS[coding]
    if (decode === undefined) return undefined
    try {
      bytes = decode(bytes)
    } catch {
      return undefined
    }
  }
  return bytes
}

/** In the order in which they are to be undone. */
function codings(encoding: string | undefined): string[] {
  if (encoding === undefined) return []
  const listed = encoding.toLowerCase().split(',')
  return listed
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse()
    .slice(0, 4)
}

/** A cut may go through the middle of a character: up to three bytes at the end are then let go. */
function toText(bytes: Uint8Array, truncated: boolean): string | undefined {
  for (let spare = 0; spare <= (truncated ? 3 : 0); spare++) {
    const text = utf8(bytes.subarray(0, bytes.length - spare))
    if (text !== undefined) return hasControls(text) ? undefined : text
  }
  return undefined
}

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text)
}
