import { Malformed } from '@tapdeck/wire'
import type { Message } from '../../message.ts'
import { API } from './api-key.ts'
import { BodyReader, type RecordsTaker } from './body-reader.ts'
import { int32 } from './frame.ts'
import { MAGIC, PREFIX } from './record-count.ts'
import { schemas } from './schemas.ts'

/** What goes before the records of a batch, and before the key of a message that stands alone: until then nothing is the application's. */
const BATCH_HEADER = 61
const MESSAGE_HEADER = MAGIC + 2

/** Reads the body of a message by its schema, as far as it goes; undefined where it has none. */
export function readBody(
  { body, fields }: Message,
  side: 'request' | 'response',
  records?: RecordsTaker,
): Record<string, unknown> | undefined {
  const api = fields?.api
  const version = fields?.version
  if (body === undefined || typeof api !== 'number' || typeof version !== 'number') return undefined
  const schema = schemas[api]
  if (schema === undefined || version > schema.last) return undefined
  const reader = new BodyReader(body, 0, body.length, version, version >= schema.flexible, true, records)
  const into: Record<string, unknown> = {}
  try {
    if (side === 'request' || api !== API.API_VERSIONS) reader.tags()
    reader.structure(schema[side], into)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return into
}

/** Where the records of each batch stand in the body of a message, packed or not: `[start, end)` of what was kept. */
export function eachBatch(message: Message, take: RecordsTaker): void {
  const { body } = message
  if (body === undefined) return
  readBody(message, message.kind === 'request' ? 'request' : 'response', (start, end) => {
    for (let at = start; at < end; ) {
      const header = at + MAGIC < end && body[at + MAGIC] < 2 ? MESSAGE_HEADER : BATCH_HEADER
      const length = at + PREFIX <= end ? int32(body, at + 8) : 0
      // What makes no sense is taken for content.
      const next = length < 5 ? end : Math.min(end, at + PREFIX + length)
      const from = length < 5 ? at : at + header
      if (from < next) take(from, next)
      at = next
    }
  })
}
