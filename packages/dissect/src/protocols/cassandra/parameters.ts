import { consistencyName } from './consistency.ts'
import type { CqlCursor } from './cql-cursor.ts'
import type { Column } from './metadata.ts'
import { type Shown, shownValue } from './value.ts'

const FLAG = {
  VALUES: 0x01,
  PAGE_SIZE: 0x04,
  PAGING_STATE: 0x08,
  SERIAL: 0x10,
  TIMESTAMP: 0x20,
  NAMES: 0x40,
  KEYSPACE: 0x80,
  NOW: 0x100,
} as const
const BATCH_TYPES: readonly string[] = ['logged', 'unlogged', 'counter']

/** What goes with a statement; as far as it was kept. */
export interface Parameters {
  consistency?: string
  serial_consistency?: string
  parameters?: Shown[]
  parameter_names?: string[]
  page_size?: number
  paged?: true
  timestamp?: string
  keyspace?: string
  batch_type?: string
}

/** <query_parameters> of §4.1.4, into `into` as far as it goes. */
export function readParameters(
  cursor: CqlCursor,
  version: number,
  columns: readonly Column[],
  into: Parameters,
): void {
  into.consistency = consistencyName(cursor.short())
  const flags = version >= 5 ? cursor.int() : cursor.byte()
  if (flags & FLAG.VALUES) readValues(cursor, (flags & FLAG.NAMES) !== 0, columns, into)
  if (flags & FLAG.PAGE_SIZE) into.page_size = cursor.int()
  if (flags & FLAG.PAGING_STATE) {
    cursor.value()
    into.paged = true
  }
  readCommon(cursor, flags, into)
}

/** §4.1.7: the values of all its statements one after the other. */
export function readBatch(cursor: CqlCursor, version: number, into: Parameters): void {
  const type = cursor.byte()
  into.batch_type = BATCH_TYPES[type] ?? `type ${type}`
  for (let count = cursor.short(); count > 0; count--) {
    cursor.skip(cursor.byte() === 0 ? cursor.int() : cursor.short())
    readValues(cursor, false, [], into)
  }
  into.consistency = consistencyName(cursor.short())
  readCommon(cursor, version >= 5 ? cursor.int() : cursor.byte(), into)
}

function readValues(cursor: CqlCursor, named: boolean, columns: readonly Column[], into: Parameters): void {
  const count = cursor.short()
  if (count === 0) return
  into.parameters ??= []
  for (let i = 0; i < count; i++) {
    if (named) {
      into.parameter_names ??= []
      into.parameter_names.push(cursor.string())
    }
    into.parameters.push(shownValue(cursor.value(), columns[i]?.type))
  }
}

function readCommon(cursor: CqlCursor, flags: number, into: Parameters): void {
  if (flags & FLAG.SERIAL) into.serial_consistency = consistencyName(cursor.short())
  if (flags & FLAG.TIMESTAMP) into.timestamp = String(cursor.bigint())
  if (flags & FLAG.KEYSPACE) into.keyspace = cursor.string()
  if (flags & FLAG.NOW) cursor.int()
}
