import { Malformed } from '@tapdeck/wire'
import { AmqpCursor } from '../amqp-cursor.ts'
import { plainUser } from '../plain-user.ts'
import { seekArgument } from './arguments.ts'
import { readTable } from './field-table.ts'
import { HEADER } from './frame.ts'
import { METHOD, type Method } from './methods.ts'

/** The argument of a method that holds a password or the like. */
export function secretOf({ id }: Method): string | undefined {
  if (id === METHOD.START_OK || id === METHOD.SECURE_OK) return 'response'
  return id === METHOD.UPDATE_SECRET ? 'new_secret' : undefined
}

/** Takes the secret out of a copied method frame. Returns the name of the user, if it is next to it. */
export function hideSecret(head: Uint8Array, method: Method): string | undefined {
  const secret = secretOf(method)
  if (secret === undefined) return undefined
  const cursor = new AmqpCursor(head, Math.min(HEADER + 4, head.length))
  try {
    if (!seekArgument(cursor, method, secret)) return undefined
    const length = cursor.long()
    const start = cursor.at
    const end = Math.min(start + length, head.length)
    const user = end < start + length ? undefined : userOf(head, method, start, end)
    head.fill(0x2a, start, end)
    return user
  } catch (error) {
    if (!(error instanceof Malformed)) throw error
    // Cut short, or not what it should be: nothing of it is kept.
    head.fill(0x2a, Math.min(HEADER + 4, head.length))
    return undefined
  }
}

function userOf(head: Uint8Array, method: Method, start: number, end: number): string | undefined {
  if (method.id !== METHOD.START_OK) return undefined
  const cursor = new AmqpCursor(head, HEADER + 4)
  seekArgument(cursor, method, 'mechanism')
  const mechanism = cursor.text(cursor.byte())
  if (mechanism === 'PLAIN') return plainUser(head.subarray(start, end))
  if (mechanism !== 'AMQPLAIN') return undefined
  return loginOf(head, start, end)
}

/** RabbitMQ's AMQPLAIN is a table without its length. */
function loginOf(head: Uint8Array, start: number, end: number): string | undefined {
  const sized = new Uint8Array(4 + end - start)
  new DataView(sized.buffer).setUint32(0, end - start)
  sized.set(head.subarray(start, end), 4)
  try {
    const { LOGIN } = readTable(new AmqpCursor(sized))
    return typeof LOGIN === 'string' ? LOGIN : undefined
  } catch (error) {
    if (error instanceof Malformed) return undefined
    throw error
  }
}
