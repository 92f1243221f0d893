import { brotliDecompressSync, constants, inflateRawSync, inflateSync } from 'node:zlib'
import { unzstd } from '@tapdeck/wire'
import { gunzip } from '../compression/gunzip.ts'
import type { PresentedMessage } from '../contract/call.ts'
import { base64, utf8 } from '../text/text.ts'

/** Maximum decompressed size. */
const CEILING = 1024 * 1024

/** Throws, or returns undefined, for bytes that it cannot decode. */
type Unpack = (bytes: Uint8Array) => Uint8Array | undefined

const bounds = { maxOutputLength: CEILING, finishFlush: constants.Z_SYNC_FLUSH }

/** RFC 9110 §8.4.1. Each decoder accepts a truncated body and returns what it can. */
const CODINGS: Readonly<Record<string, Unpack | undefined>> = {
  gzip: (bytes) => gunzip(bytes, CEILING),
  'x-gzip': (bytes) => gunzip(bytes, CEILING),
  // The specification requires the zlib format, but some servers send raw deflate.
  deflate: (bytes) => ((bytes[0] & 15) === 8 ? inflateSync(bytes, bounds) : inflateRawSync(bytes, bounds)),
  br: (bytes) =>
    brotliDecompressSync(bytes, { maxOutputLength: CEILING, finishFlush: constants.BROTLI_OPERATION_FLUSH }),
  zstd: unpackZstd,
}

/** Node.js has zstd since 22.15. */
function unpackZstd(bytes: Uint8Array): Uint8Array | undefined {
  const unpacked = unzstd(bytes, 0, bytes.length, CEILING + 1)
  return unpacked === undefined || unpacked.length > CEILING ? undefined : unpacked
}

/** A body as shown to users: decompressed, and as text where it is text. */
export function presentBody(
  body: Uint8Array | undefined,
  encoding: string | undefined,
  truncated: boolean,
): Pick<PresentedMessage, 'body' | 'body_encoding'> & { readonly body_decoded?: false } {
  if (body === undefined || body.length === 0) return {}
  const unpacked = unpack(body, encoding)
  const bytes = unpacked ?? body
  const text = toText(bytes, truncated)
  return {
    ...(text === undefined ? { body: base64(bytes), body_encoding: 'base64' } : { body: text }),
    ...(unpacked === undefined ? { body_decoded: false } : {}),
  }
}

/** Undefined for an unknown coding, invalid bytes, or output over the limit. */
function unpack(body: Uint8Array, encoding: string | undefined): Uint8Array | undefined {
  let bytes = body
  for (const coding of codings(encoding)) {
    const decode = CODINGS[coding]
    if (decode === undefined) return undefined
    try {
      const decoded = decode(bytes)
      if (decoded === undefined) return undefined
      bytes = decoded
    } catch {
      return undefined
    }
  }
  return bytes
}

/** In decoding order. */
function codings(encoding: string | undefined): string[] {
  if (encoding === undefined) return []
  const listed = encoding.toLowerCase().split(',')
  return listed
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
    .reverse()
    .slice(0, 4)
}

/** Truncation may split a character, so drop up to three bytes at the end. */
function toText(bytes: Uint8Array, truncated: boolean): string | undefined {
  for (let spare = 0; spare <= (truncated ? 3 : 0); spare++) {
    const text = utf8(bytes.subarray(0, bytes.length - spare))
    if (text !== undefined) return hasControls(text) ? undefined : text
  }
  return undefined
}

function hasControls(text: string): boolean {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters mark binary data
  return /[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text)
}
