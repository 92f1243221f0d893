import type { PresentedMessage } from '../contract/call.ts'
import { base64, utf8 } from '../text/text.ts'

/** Of a truncated body, the last character may miss up to this many bytes. */
const MAX_CUT_BYTES = 3

/** A body of an unknown type: text if it is UTF-8 without control characters, else base64. */
export function textOrBase64(
  body: Uint8Array | undefined,
  truncated = false,
): Pick<PresentedMessage, 'body' | 'body_encoding'> {
  if (body === undefined || body.length === 0) return {}
  for (let cut = 0; cut <= (truncated ? MAX_CUT_BYTES : 0); cut++) {
    const text = utf8(body.subarray(0, body.length - cut))
    // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what tells bytes from text
    if (text !== undefined && !/[\x00-\x08\x0e-\x1a\x1c-\x1f]/.test(text)) return { body: text }
  }
  return { body: base64(body), body_encoding: 'base64' }
}
