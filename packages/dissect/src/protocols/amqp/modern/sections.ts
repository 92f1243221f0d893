import { Malformed } from '@tapdeck/wire'
import type { FieldValue } from '../../../contract/message.ts'
import { AmqpCursor } from '../amqp-cursor.ts'
import { readValue } from './value.ts'

const MAX_SECTIONS = 256
const DATA = 0x75
/** Part 3 §3.2: the sections of a message. */
const SECTIONS: Readonly<Record<number, string | undefined>> = {
  112: 'header',
  113: 'delivery_annotations',
  114: 'message_annotations',
  115: 'properties',
  116: 'application_properties',
  118: 'sequence',
  119: 'value',
  120: 'footer',
}
const HEADER = ['durable', 'priority', 'ttl', 'first_acquirer', 'delivery_count']
const PROPERTIES = [
  'message_id',
  'user_id',
  'to',
  'subject',
  'reply_to',
  'correlation_id',
  'content_type',
  'content_encoding',
  'absolute_expiry_time',
  'creation_time',
  'group_id',
  'group_sequence',
  'reply_to_group_id',
]

interface Sections {
  readonly [name: string]: FieldValue
}

interface SplitMessage {
  readonly sections: Sections
  /** The application's own bytes. */
  readonly data?: Uint8Array
}

/** A message taken apart, as far as it was kept. */
export function readSections(payload: Uint8Array): SplitMessage {
  const sections: { [name: string]: FieldValue } = {}
  const data: Uint8Array[] = []
  const cursor = new AmqpCursor(payload)
  try {
    for (let i = 0; i < MAX_SECTIONS && cursor.left > 2; i++) readSection(cursor, sections, data)
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
  }
  if (data.length === 0) return { sections }
  return { sections, data: data.length === 1 ? data[0] : Buffer.concat(data) }
}

function readSection(cursor: AmqpCursor, into: { [name: string]: FieldValue }, data: Uint8Array[]): void {
  if (cursor.byte() !== 0) throw new Malformed('no section')
  const code = readValue(cursor)
  if (code === DATA) {
    const form = cursor.byte()
    const length = form === 0xb0 ? cursor.long() : cursor.byte()
    data.push(cursor.take(Math.min(length, cursor.left)))
    return
  }
  const value = readValue(cursor)
  const name = typeof code === 'number' ? SECTIONS[code] : undefined
  if (name === 'header') into[name] = named(value, HEADER)
  else if (name === 'properties') into[name] = named(value, PROPERTIES)
  else if (name !== undefined) into[name] = value
}

function named(value: FieldValue, names: readonly string[]): FieldValue {
  const fields: { [name: string]: FieldValue } = {}
  if (Array.isArray(value))
    for (const [index, one] of value.entries())
      if (one !== null && names[index] !== undefined) fields[names[index]] = one
  return fields
}
