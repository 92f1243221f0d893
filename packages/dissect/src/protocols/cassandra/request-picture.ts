import type { Message } from '../../contract/message.ts'
import { statementText } from '../../sql/statement-text.ts'
import { verbOf } from '../../sql/verb.ts'
import { attempt } from './attempt.ts'
import { skipExtras } from './body-shape.ts'
import { CqlCursor } from './cql-cursor.ts'
import { type Column, readPrepared } from './metadata.ts'
import { OPCODE, opcodeName } from './opcode.ts'
import { type Parameters, readBatch, readParameters } from './parameters.ts'

/** Everything a request says. */
export interface RequestPicture {
  readonly opcode: string
  readonly statement: string | undefined
  readonly verb: string | undefined
  readonly values: Parameters
  /** Of the rows, where the statement was prepared: the answer may leave them out. */
  readonly columns: readonly Column[]
  readonly table: string | undefined
  readonly options: Readonly<Record<string, string>> | undefined
  readonly events: readonly string[] | undefined
}

/** The statement's text alone: an execution's head goes on with what the server said of it. */
export function statementOf({ head, fields }: Message): Uint8Array | undefined {
  const length = fields?.text
  return typeof length === 'number' ? head?.subarray(0, length) : head
}

export function pictureRequest(message: Message): RequestPicture {
  const { head, body, fields } = message
  const opcode = Number(fields?.opcode)
  const version = Number(fields?.version)
  const text = statementOf(message)
  const values: Parameters = {}
  let known: ReturnType<typeof readPrepared> | undefined
  let options: Record<string, string> | undefined
  let events: string[] | undefined
  attempt(() => {
    if (head !== undefined && text !== undefined && text.length < head.length)
      known = readPrepared(new CqlCursor(head, text.length), version)
  })
  attempt(() => {
    const cursor = new CqlCursor(body ?? new Uint8Array(0))
    switch (opcode) {
      case OPCODE.QUERY:
        readParameters(cursor, version, [], values)
        break
      case OPCODE.EXECUTE:
        if (version >= 5) cursor.shortBytes()
        readParameters(cursor, version, known?.values.columns ?? [], values)
        break
      case OPCODE.PREPARE:
        if (version >= 5 && cursor.int() & 1) values.keyspace = cursor.string()
        break
      case OPCODE.BATCH:
        skipExtras(opcode, Number(fields?.flags ?? 0), cursor)
        readBatch(cursor, version, values)
        break
      case OPCODE.STARTUP:
        options = cursor.stringMap()
        break
      case OPCODE.REGISTER:
        events = cursor.stringList()
        break
    }
  })
  const keyspace = values.keyspace ?? known?.values.keyspace ?? known?.rows.keyspace
  return {
    opcode: opcodeName(opcode),
    statement: text === undefined ? undefined : statementText(text),
    verb: text === undefined ? undefined : verbOf(text),
    values: keyspace === undefined ? values : { ...values, keyspace },
    columns: known?.rows.columns ?? [],
    table: known?.values.table ?? known?.rows.table,
    options: options === undefined ? undefined : { ...options },
    events,
  }
}
