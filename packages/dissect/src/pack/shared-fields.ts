import { ByteWriter } from '../bytes/byte-writer.ts'
import type { Message } from '../contract/message.ts'
import { CachedBytes } from '../memory/cached-bytes.ts'
import { writeJson } from './json-writer.ts'

type Fields = NonNullable<Message['fields']>

const writer = new ByteWriter()
const packed = new WeakMap<Fields, CachedBytes>()

/**
 * Marks an immutable object as the fields of many messages, so that its JSON is packed once. For what a statement or
 * session repeats.
 */
export function shareFields<T extends Fields>(fields: T): T {
  if (packed.has(fields)) return fields
  writer.cut(0)
  writeJson(fields, writer)
  packed.set(fields, new CachedBytes(writer.written().slice()))
  return fields
}

/** The JSON of shared fields; undefined for others. */
export function packedFields(fields: Fields): CachedBytes | undefined {
  return packed.get(fields)
}
