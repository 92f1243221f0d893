import { Malformed } from '@tapdeck/wire'
import type { CqlCursor } from './cql-cursor.ts'

/** Types by their number: [option] in §4.2.5.2. */
export const TYPE = {
  custom: 0x00,
  ascii: 0x01,
  bigint: 0x02,
  blob: 0x03,
  boolean: 0x04,
  counter: 0x05,
  decimal: 0x06,
  double: 0x07,
  float: 0x08,
  int: 0x09,
  text: 0x0a,
  timestamp: 0x0b,
  uuid: 0x0c,
  varchar: 0x0d,
  varint: 0x0e,
  timeuuid: 0x0f,
  inet: 0x10,
  date: 0x11,
  time: 0x12,
  smallint: 0x13,
  tinyint: 0x14,
  duration: 0x15,
  list: 0x20,
  map: 0x21,
  set: 0x22,
  udt: 0x30,
  tuple: 0x31,
} as const

/** A type with parameters: a list has one, a map two, a tuple and a user-defined type any number. */
export interface ColumnType {
  readonly id: number
  readonly of: readonly ColumnType[]
  /** Of the fields of a user's type. */
  readonly names?: readonly string[]
}

const MAX_DEPTH = 8
const NONE: readonly ColumnType[] = []

export function readType(cursor: CqlCursor, depth = 0): ColumnType {
  if (depth > MAX_DEPTH) throw new Malformed('types too deep')
  const id = cursor.short()
  switch (id) {
    case TYPE.custom:
      cursor.skip(cursor.short())
      return { id, of: NONE }
    case TYPE.list:
    case TYPE.set:
      return { id, of: [readType(cursor, depth + 1)] }
    case TYPE.map:
      return { id, of: [readType(cursor, depth + 1), readType(cursor, depth + 1)] }
    case TYPE.tuple: {
      const of: ColumnType[] = []
      for (let count = cursor.short(); count > 0; count--) of.push(readType(cursor, depth + 1))
      return { id, of }
    }
    case TYPE.udt:
      return readUserType(cursor, depth)
    default:
      return { id, of: NONE }
  }
}

function readUserType(cursor: CqlCursor, depth: number): ColumnType {
  cursor.skip(cursor.short())
  cursor.skip(cursor.short())
  const names: string[] = []
  const of: ColumnType[] = []
  for (let count = cursor.short(); count > 0; count--) {
    names.push(cursor.string())
    of.push(readType(cursor, depth + 1))
  }
  return { id: TYPE.udt, of, names }
}
