import type { FieldValue } from '../../../contract/message.ts'
import type { AmqpCursor } from '../amqp-cursor.ts'
import { readTable, time } from './field-table.ts'

/** AMQP 0-9-1 §4.2.6.1: class, weight, body size; then flags from the top bit on, and the properties they name. */
export const CONTENT_HEADER = 12

const PROPERTIES = [
  ['content_type', 'text'],
  ['content_encoding', 'text'],
  ['headers', 'table'],
  ['delivery_mode', 'octet'],
  ['priority', 'octet'],
  ['correlation_id', 'text'],
  ['reply_to', 'text'],
  ['expiration', 'text'],
  ['message_id', 'text'],
  ['timestamp', 'time'],
  ['type', 'text'],
  ['user_id', 'text'],
  ['app_id', 'text'],
  ['cluster_id', 'text'],
] as const

/** Reads the flags and the properties behind them into `into`. */
export function readProperties(cursor: AmqpCursor, into: { [name: string]: FieldValue }): void {
  const flags = cursor.short()
  let more = flags & 1
  while (more) more = cursor.short() & 1
  for (const [index, [name, type]] of PROPERTIES.entries()) {
    if (((flags >> (15 - index)) & 1) === 0) continue
    if (type === 'text') into[name] = cursor.text(cursor.byte())
    else if (type === 'octet') into[name] = cursor.byte()
    else if (type === 'time') into[name] = time(cursor.longlong())
    else into[name] = readTable(cursor)
  }
}
