import { int16, integerSize, textEnd } from './bytes.ts'

const UNSIGNED = 0x20
/** Text of any kind: what a column is taken for whose definition is cut. */
const TEXT = 0xfd

/** Where the name of a column is in its definition, and the type of the column. */
export const column = { name: 0, nameEnd: 0, type: 0, unsigned: false }

/** Catalog, schema, table and its original name, the column's name and its original, then what it is. */
export function locateColumn(bytes: Uint8Array, start: number, end: number): boolean {
  let at = start
  for (let i = 0; i < 4; i++) {
    at = textEnd(bytes, at, end)
    if (at < 0) return false
  }
  const nameEnd = textEnd(bytes, at, end)
  const rest = nameEnd < 0 ? -1 : textEnd(bytes, nameEnd, end)
  if (rest < 0) return false
  column.name = at + integerSize(bytes[at])
  column.nameEnd = nameEnd
  // MariaDB describes its own types before the fixed part, whose length is always 12.
  const fixed = bytes[rest] === 12 || rest >= end ? rest : textEnd(bytes, rest, end)
  const isCut = fixed < 0 || fixed + 11 > end
  column.type = isCut ? TEXT : bytes[fixed + 7]
  column.unsigned = !isCut && (int16(bytes, fixed + 8) & UNSIGNED) !== 0
  return true
}
