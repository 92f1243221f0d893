import { ByteWriter } from './byte-writer.ts'
import { writeJson } from './json-writer.ts'
import type { Message } from './message.ts'
import { SteadyBytes } from './steady-bytes.ts'

type Fields = NonNullable<Message['fields']>

const writer = new ByteWriter()
const packed = new WeakMap<Fields, SteadyBytes>()

/**
 * Fields that many messages have in common, as one object that nobody changes any more: whoever packs such a message
 * finds them packed. Worth it for what a statement or a session says again and again.
 */
export function shareFields<T extends Fields>(fields: T): T {
  if (packed.has(fields)) return fields
  writer.cut(0)
  writeJson(fields, writer)
  packed.set(fields, new SteadyBytes(writer.written().slice()))
  return fields
}

/** The JSON of shared fields; undefined of all others. */
export function packedFields(fields: Fields): SteadyBytes | undefined {
  return packed.get(fields)
}
