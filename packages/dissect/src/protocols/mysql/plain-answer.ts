import type { Message } from '../../contract/message.ts'
import { shareFields } from '../../pack/shared-fields.ts'

type Fields = NonNullable<Message['fields']>
type Draft = { -readonly [Name in keyof Fields]: Fields[Name] }

/** What nearly all answers tell, and most tell no more. */
export interface PlainAnswer {
  readonly hasRows: boolean
  readonly rows: number
  readonly columns: number
  /** -1: unknown. */
  readonly affected: number
  readonly warnings: number
  readonly transaction: boolean | undefined
  readonly noIndex: boolean
  readonly slow: boolean
}

/** Counts below these are common enough for their answers to be packed once; and so many different ones at most. */
const COUNTS = 1024
const COLUMNS = 64
const MAX_COUNT = 4096
const shared = new Map<number, Fields>()

/** The same object for answers that say the same, as far as they are small. */
export function plainFields(answer: PlainAnswer): Fields {
  const key = keyOf(answer)
  if (key < 0) return draftFields(answer)
  let fields = shared.get(key)
  if (fields === undefined) {
    fields = draftFields(answer)
    if (shared.size < MAX_COUNT) shared.set(key, shareFields(fields))
  }
  return fields
}

/** A number for all that the answer says; -1 where it is too much for one. */
function keyOf(answer: PlainAnswer): number {
  const { hasRows, rows, columns, affected, warnings, transaction, noIndex, slow } = answer
  const count = hasRows ? rows : affected
  if (count >= COUNTS || columns >= COLUMNS || warnings > 0 || (hasRows && affected >= 0)) return -1
  let key = (count + 1) * COLUMNS + (hasRows ? columns : 0)
  key = key * 4 + (transaction === undefined ? 0 : transaction ? 1 : 2)
  key = key * 2 + warnings + 1
  key = key * 2 + (hasRows ? 1 : 0)
  key = key * 2 + (noIndex ? 1 : 0)
  return key * 2 + (slow ? 1 : 0)
}

/** The same as an object that more can be added to. */
export function draftFields(answer: PlainAnswer): Draft {
  const { hasRows, rows, columns, affected, warnings, transaction, noIndex, slow } = answer
  const fields: Draft = {}
  if (affected >= 0) fields.affected_rows = affected
  if (warnings >= 0) fields.warnings = warnings
  if (transaction !== undefined) fields.transaction = transaction
  if (noIndex) fields.no_index = true
  if (slow) fields.slow = true
  if (hasRows) {
    fields.rows = rows
    fields.columns = columns
  }
  return fields
}
