import type { Message } from '../../contract/message.ts'
import { attempt } from './attempt.ts'
import { consistencyName } from './consistency.ts'
import { CqlCursor } from './cql-cursor.ts'
import { FLAG } from './envelope.ts'
import { errorName } from './error-code.ts'
import { type Column, readPrepared, readRowsMetadata } from './metadata.ts'
import { KIND, OPCODE, opcodeName, resultName } from './opcode.ts'
import { type Shown, shownValue } from './value.ts'

/** Everything a response or an event says. */
export interface ResponsePicture {
  opcode: string
  result?: string
  tracing_id?: string
  warnings?: string[]
  keyspace?: string
  table?: string
  columns?: string[]
  rows?: number
  more_pages?: boolean
  values?: Record<string, Shown>[]
  error?: { code: number; name: string; message?: string; [detail: string]: Shown | undefined }
  event?: string
  change?: string
  target?: string
  address?: string
  authenticator?: string
  options?: Record<string, string[]>
}

/** `prepared` are the columns of the statement, for rows that come without a description of their own. */
export function pictureResponse({ body, fields }: Message, prepared: readonly Column[]): ResponsePicture {
  const opcode = Number(fields?.opcode)
  const flags = Number(fields?.flags ?? 0)
  const cursor = new CqlCursor(body ?? new Uint8Array(0))
  const picture: ResponsePicture = { opcode: opcodeName(opcode) }
  if (typeof fields?.code === 'number') picture.error = { code: fields.code, name: errorName(fields.code) }
  if (typeof fields?.kind === 'number') picture.result = resultName(fields.kind)
  attempt(() => {
    if (flags & FLAG.TRACING) picture.tracing_id = cursor.uuid()
    if (flags & FLAG.WARNING) picture.warnings = cursor.stringList()
    if (flags & FLAG.PAYLOAD) cursor.skipBytesMap()
    switch (opcode) {
      case OPCODE.ERROR:
        readError(cursor, picture)
        break
      case OPCODE.RESULT:
        readResult(cursor, picture, prepared, Number(fields?.version))
        break
      case OPCODE.EVENT:
        readEvent(cursor, picture)
        break
      case OPCODE.AUTHENTICATE:
        picture.authenticator = cursor.string()
        break
      case OPCODE.SUPPORTED:
        picture.options = { ...cursor.stringMultimap() }
        break
    }
  })
  return picture
}

function readResult(
  cursor: CqlCursor,
  picture: ResponsePicture,
  prepared: readonly Column[],
  version: number,
): void {
  switch (cursor.int()) {
    case KIND.ROWS:
      readRows(cursor, picture, prepared)
      break
    case KIND.SET_KEYSPACE:
      picture.keyspace = cursor.string()
      break
    case KIND.PREPARED: {
      cursor.shortBytes()
      const { values, rows } = readPrepared(cursor, version)
      const keyspace = values.keyspace ?? rows.keyspace
      const table = values.table ?? rows.table
      if (keyspace !== undefined) picture.keyspace = keyspace
      if (table !== undefined) picture.table = table
      if (rows.columns.length > 0) picture.columns = rows.columns.map(({ name }) => name)
      break
    }
    case KIND.SCHEMA_CHANGE:
      readChange(cursor, picture)
      break
  }
}

function readRows(cursor: CqlCursor, picture: ResponsePicture, prepared: readonly Column[]): void {
  const { count, columns: described, keyspace, table, morePages } = readRowsMetadata(cursor)
  const columns = described.length > 0 ? described : prepared
  if (keyspace !== undefined) picture.keyspace = keyspace
  if (table !== undefined) picture.table = table
  if (columns.length > 0) picture.columns = columns.map(({ name }) => name)
  picture.more_pages = morePages
  const rows = cursor.int()
  if (rows < 0) return
  picture.rows = rows
  picture.values = []
  // A row without columns has no bytes: there may be any number of them.
  for (let i = 0; i < rows && count > 0; i++) {
    const row: Record<string, Shown> = {}
    for (let j = 0; j < count; j++)
      row[columns[j]?.name ?? String(j)] = shownValue(cursor.value(), columns[j]?.type)
    picture.values.push(row)
  }
}

function readChange(cursor: CqlCursor, picture: ResponsePicture): void {
  picture.change = cursor.string()
  picture.target = cursor.string()
  picture.keyspace = cursor.string()
  if (picture.target !== 'KEYSPACE') picture.table = cursor.string()
}

function readEvent(cursor: CqlCursor, picture: ResponsePicture): void {
  picture.event = cursor.string()
  if (picture.event === 'SCHEMA_CHANGE') readChange(cursor, picture)
  else {
    picture.change = cursor.string()
    picture.address = cursor.inet()
  }
}

/** §9: what else some errors say. */
function readError(cursor: CqlCursor, { error }: ResponsePicture): void {
  const code = cursor.int()
  if (error === undefined) return
  error.message = cursor.string()
  switch (code) {
    case 0x1000:
      error.consistency = consistencyName(cursor.short())
      error.required = cursor.int()
      error.alive = cursor.int()
      break
    case 0x1100:
    case 0x1200:
    case 0x1300:
    case 0x1500:
    case 0x1700:
      error.consistency = consistencyName(cursor.short())
      error.received = cursor.int()
      error.required = cursor.int()
      if (code === 0x1100) error.write_type = cursor.string()
      if (code === 0x1200) error.data_present = cursor.byte() !== 0
      break
    case 0x1400:
      error.keyspace = cursor.string()
      error.function = cursor.string()
      break
    case 0x2400:
      error.keyspace = cursor.string()
      error.table = cursor.string()
      break
  }
}
