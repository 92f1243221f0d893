import { latin1 } from '../../text/text.ts'
import { headerRange, rangeEnd } from '../http/header-range.ts'

const PREFIX = 5
const TRAILERS = 0x80
const WEB = 'application/grpc-web'

/** How gRPC-Web sends its messages: as they are, or as text in base64. */
export type Web = 'binary' | 'text'

export function webKind(head: Uint8Array | undefined): Web | undefined {
  const start = head === undefined ? -1 : headerRange(head, 'content-type')
  if (head === undefined || start < 0) return undefined
  const type = latin1(head, start, rangeEnd).toLowerCase()
  if (!type.startsWith(WEB)) return undefined
  return type.startsWith(`${WEB}-text`) ? 'text' : 'binary'
}

/** What a body carries: how many messages, and the trailers that end it. */
export interface WebBody {
  readonly messages: number
  readonly trailers?: string
}

export function readWebBody(body: Uint8Array, web: Web): WebBody {
  const bytes = web === 'text' ? fromBase64(body) : body
  let messages = 0
  for (let at = 0; at + PREFIX <= bytes.length; ) {
    const length = bytes[at + 1] * 0x1000000 + ((bytes[at + 2] << 16) | (bytes[at + 3] << 8) | bytes[at + 4])
    const end = Math.min(bytes.length, at + PREFIX + length)
    if (bytes[at] & TRAILERS) return { messages, trailers: latin1(bytes, at + PREFIX, end) }
    messages++
    at += PREFIX + length
  }
  return { messages }
}

/** Each flush of a server is padded for itself, so there may be padding in the middle. */
function fromBase64(body: Uint8Array): Uint8Array {
  const parts = latin1(body).match(/[A-Za-z0-9+/]+=*/g) ?? []
  return Buffer.concat(parts.map((part) => Buffer.from(part, 'base64')))
}
