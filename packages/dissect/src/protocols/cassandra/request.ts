import type { Connection } from '../../contract/dissector.ts'
import type { FieldValue } from '../../contract/message.ts'
import { cutText } from '../../sql/statement-text.ts'
import { word } from '../../text/text.ts'
import type { CqlCursor } from './cql-cursor.ts'
import { OPCODE } from './opcode.ts'
import { hex, type PreparedStatements } from './prepared.ts'

export type Facts = { [name: string]: FieldValue }

/** A request's parts: the statement, what of the body is of interest, and what both do not say. */
export interface Asked {
  head?: Uint8Array
  /** Where in the body begins what is kept of it; -1: nothing is. */
  kept: number
  facts: Facts
}

const AND = Uint8Array.of(0x3b, 0x20)

/** Reads as far as the cursor goes into `into`. */
export function readRequest(
  opcode: number,
  cursor: CqlCursor,
  into: Asked,
  connection: Connection,
  prepared: PreparedStatements,
): void {
  switch (opcode) {
    case OPCODE.QUERY:
    case OPCODE.PREPARE:
      readText(cursor, into, connection)
      break
    case OPCODE.EXECUTE:
      readExecute(cursor, into, prepared)
      break
    case OPCODE.BATCH:
      readBatch(cursor, into, connection, prepared)
      break
    case OPCODE.AUTH_RESPONSE:
      readCredentials(cursor, into)
      break
  }
}

function readText(cursor: CqlCursor, into: Asked, { copy, limits }: Connection): void {
  const length = cursor.int()
  const { at } = cursor
  const stop = cutText(cursor.bytes, at, Math.min(cursor.end, at + Math.max(0, length)), limits.body)
  into.head = copy(cursor.bytes, at, stop)
  if (stop - at < length) into.facts.cut = true
  into.kept = cursor.end
  cursor.skip(length)
  into.kept = cursor.at
}

function readExecute(cursor: CqlCursor, into: Asked, prepared: PreparedStatements): void {
  const id = hex(cursor.shortBytes())
  into.facts.id = id
  into.kept = cursor.at
  const statement = prepared.get(id)
  if (statement === undefined) into.facts.unknown = true
  else {
    into.head = statement.text
    into.facts.text = statement.length
  }
}

/** The texts of all, one after the other. */
function readBatch(
  cursor: CqlCursor,
  into: Asked,
  connection: Connection,
  prepared: PreparedStatements,
): void {
  cursor.byte()
  const count = cursor.short()
  into.facts.statements = count
  const texts: Uint8Array[] = []
  let room = connection.limits.body
  try {
    for (let i = 0; i < count && room > 0; i++) {
      const text = statementOf(cursor, prepared, into.facts)
      if (text !== undefined) {
        texts.push(...(texts.length === 0 ? [] : [AND]), text)
        room -= text.length
      }
      for (let values = cursor.short(); values > 0; values--) cursor.value()
    }
  } finally {
    const joined = Buffer.concat(texts)
    const stop = cutText(joined, 0, joined.length, connection.limits.body)
    if (joined.length > 0) into.head = connection.copy(joined, 0, stop)
  }
}

function statementOf(cursor: CqlCursor, prepared: PreparedStatements, facts: Facts): Uint8Array | undefined {
  if (cursor.byte() === 0) return cursor.take(cursor.int())
  const known = prepared.get(hex(cursor.shortBytes()))
  if (known === undefined) facts.unknown = true
  return known?.text.subarray(0, known.length)
}

/** SASL PLAIN (RFC 4616): whom to act for, who it is, and the password, which is not kept. */
function readCredentials(cursor: CqlCursor, into: Asked): void {
  into.kept = -1
  const token = cursor.value()
  if (typeof token === 'string') return
  const first = token.indexOf(0)
  const second = token.indexOf(0, first + 1)
  if (first < 0 || second < 0) return
  const user = word(token, first + 1, second)
  if (user !== '') into.facts.user = user
}
