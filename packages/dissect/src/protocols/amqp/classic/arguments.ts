import type { FieldValue } from '../../../contract/message.ts'
import { utf8Lossy } from '../../../text/text.ts'
import type { AmqpCursor } from '../amqp-cursor.ts'
import { readTable } from './field-table.ts'
import type { Method } from './methods.ts'

/** All arguments of a method into `values`; as many as there are where it was cut short. */
export function readArguments(
  cursor: AmqpCursor,
  method: Method,
  values: { [name: string]: FieldValue },
): void {
  let bits = 0
  let bit = 8
  for (const { name, type } of method.arguments) {
    if (type === 'bit') {
      if (bit === 8) {
        bits = cursor.byte()
        bit = 0
      }
      values[name] = ((bits >> bit++) & 1) === 1
      continue
    }
    bit = 8
    if (type === 'shortstr') values[name] = cursor.text(cursor.byte())
    else if (type === 'longstr') values[name] = utf8Lossy(cursor.take(cursor.long()))
    else if (type === 'table') values[name] = readTable(cursor)
    else values[name] = type === 'octet' ? cursor.byte() : cursor[type]()
  }
}

/** Skips to the argument of that name, so that one can be read without the others. */
export function seekArgument(cursor: AmqpCursor, method: Method, wanted: string): boolean {
  let bit = 8
  for (const { name, type } of method.arguments) {
    if (type === 'bit') {
      if (bit === 8) bit = 0
      if (name === wanted) return true
      if (++bit === 8) cursor.skip(1)
      continue
    }
    if (bit < 8) cursor.skip(1)
    bit = 8
    if (name === wanted) return true
    if (type === 'shortstr') cursor.skip(cursor.byte())
    else if (type === 'longstr' || type === 'table') cursor.skip(cursor.long())
    else cursor.skip(WIDTH[type])
  }
  return false
}

const WIDTH = { octet: 1, short: 2, long: 4, longlong: 8 } as const

/** The bit `no_wait` of a method that has one. */
export function waitsForNothing(cursor: AmqpCursor, method: Method): boolean {
  let bit = 0
  let found = false
  for (const { name, type } of method.arguments) {
    if (name === 'no_wait') {
      found = true
      break
    }
    bit = type === 'bit' ? bit + 1 : 0
  }
  if (!found || !seekArgument(cursor, method, 'no_wait')) return false
  return ((cursor.byte() >> bit) & 1) === 1
}
