import type { FramingHeaders } from './framing-headers.ts'

/** What the next bytes of a side are. */
export type Phase = 'head' | 'length' | 'chunk' | 'trailer' | 'close'

/** What a response must know of its request (RFC 9112 §6.3), a letter each. */
export const ASKED = { plain: 'p', head: 'h', connect: 'c', upgrade: 'u' } as const

/** What follows a request's head: RFC 9112 §6.3. `head`: no body, but the next message. */
export function afterRequest({ method, chunked, transferEncoding, contentLength }: FramingHeaders): Phase {
  if (method === 'CONNECT') return 'head'
  if (chunked) return 'chunk'
  if (transferEncoding) return 'close'
  return contentLength > 0 ? 'length' : 'head'
}

export function afterResponse(
  { status, chunked, transferEncoding, contentLength }: FramingHeaders,
  asked: string | undefined,
): Phase {
  if (status < 200 || status === 204 || status === 304 || asked === ASKED.head) return 'head'
  if (asked === ASKED.connect && status < 300) return 'head'
  if (chunked) return 'chunk'
  if (transferEncoding || contentLength < 0) return 'close'
  return contentLength > 0 ? 'length' : 'head'
}
