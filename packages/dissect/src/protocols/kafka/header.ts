import { word } from '../../text/text.ts'
import { isApiKey } from './api-key.ts'
import { int16, int32, PREFIX } from './frame.ts'

const MAX_CLIENT_LENGTH = 255
/** No API has got this far. */
const MAX_VERSIONS = 30
/** Key, version, correlation id, and the length of the client's name. */
const REQUEST_HEADER = PREFIX + 10

/** The header of a request; the client's name is the same in all versions but the first, which is not in use. */
export interface Header {
  readonly api: number
  readonly version: number
  readonly correlation: number
  readonly client: string | undefined
  /** Where the header ends, before its tagged fields if it has any. */
  readonly end: number
}

/** Undefined where it is no header. What is checked first is there with `REQUEST_HEADER` bytes. */
export function readHeader(bytes: Uint8Array, start: number, end: number): Header | 'more' | undefined {
  if (end - start < PREFIX + 4) return 'more'
  const api = int16(bytes, start + PREFIX)
  const version = int16(bytes, start + PREFIX + 2)
  if (!isApiKey(api) || version < 0 || version > MAX_VERSIONS) return undefined
  if (end - start < REQUEST_HEADER) return 'more'
  const length = int16(bytes, start + PREFIX + 8)
  if (length < -1 || length > MAX_CLIENT_LENGTH) return undefined
  const from = start + REQUEST_HEADER
  const to = from + Math.max(0, length)
  if (to > start + PREFIX + int32(bytes, start)) return undefined
  for (let i = from; i < Math.min(to, end); i++) if (bytes[i] < 0x20 || bytes[i] === 0x7f) return undefined
  if (to > end) return 'more'
  const client = length > 0 ? word(bytes, from, to) : undefined
  return { api, version, correlation: int32(bytes, start + PREFIX + 4), client, end: to }
}
