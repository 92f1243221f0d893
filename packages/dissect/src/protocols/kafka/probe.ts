import { Malformed, type Side } from '@tapdeck/wire'
import type { Verdict } from '../../contract/dissector.ts'
import { BodyReader } from './body-reader.ts'
import { BELIEVED, int32, isLength, PREFIX } from './frame.ts'
import { type Header, readHeader } from './header.ts'
import { schemas } from './schemas.ts'

const MIN_LENGTH = 10

/** Only requests can be recognised: a response has nothing but the number that its request chose. */
export function probe(bytes: Uint8Array, start: number, end: number, side: Side): Verdict {
  if (side === 1) return 'no'
  if (end - start < PREFIX) return 'more'
  const length = int32(bytes, start)
  if (!isLength(length, MIN_LENGTH)) return 'no'
  const header = readHeader(bytes, start, Math.min(end, start + PREFIX + length))
  if (header === undefined) return 'no'
  if (header === 'more') return end - start < PREFIX + length ? 'more' : 'no'
  if (end - start >= PREFIX + length) return fits(bytes, header, start + PREFIX + length) ? 'yes' : 'no'
  // A name that can be read is as much as can be asked of a long request.
  if (header.client === undefined) return 'more'
  return isAscii(header.client) ? 'yes' : 'no'
}

/** Whole responses, one after the other; a second one must have a later number. */
export function probeResponse(bytes: Uint8Array, start: number, end: number): Verdict {
  let before = -1
  for (let at = start; at < end; ) {
    if (end - at < PREFIX + 4) return 'more'
    const length = int32(bytes, at)
    const correlation = int32(bytes, at + PREFIX)
    if (!isLength(length, 4) || length > BELIEVED || correlation <= before) return 'no'
    if (before >= 0) return 'yes'
    before = correlation
    at += PREFIX + length
    if (at === end) return 'yes'
  }
  return 'more'
}

function isAscii(name: string): boolean {
  for (let i = 0; i < name.length; i++) if (name.charCodeAt(i) > 0x7e) return false
  return true
}

/** The body must end where its frame does. */
function fits(bytes: Uint8Array, { api, version, client, end: from }: Header, end: number): boolean {
  const schema = schemas[api]
  if (schema === undefined || version > schema.last || schema.request.length === 0)
    return client !== undefined
  const reader = new BodyReader(bytes, from, end, version, version >= schema.flexible)
  try {
    reader.tags()
    reader.structure(schema.request)
  } catch (error) {
    if (error instanceof Malformed) return false
    throw error
  }
  return reader.at === end
}
