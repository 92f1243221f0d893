import { Malformed } from '@tapdeck/wire'
import type { Message } from '../../contract/message.ts'
import { API } from './api-key.ts'
import { BodyReader, type RecordsTaker } from './body-reader.ts'
import { schemas } from './schemas.ts'

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
  const reader = new BodyReader(body, 0, body.length, version, version >= schema.flexible, {
    build: true,
    records,
  })
  const into: Record<string, unknown> = {}
  try {
    if (side === 'request' || api !== API.API_VERSIONS) reader.tags()
    reader.structure(schema[side], into)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  return into
}
