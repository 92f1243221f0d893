import type { JsonBytes } from '../json/json-bytes.ts'
import type { PresentedMessage, Summary } from './call.ts'

/** The JSON line of a call as `Dissector.write` sees it: the buffer, and the positions of the columns already written. */
export interface LineWriter {
  readonly out: JsonBytes
  /** Offsets in `out` of the column values, so that a dissector can copy them; 0 where the call has no such column. */
  readonly method: number
  readonly methodEnd: number
  readonly path: number
  readonly pathEnd: number
  readonly status: number
  readonly statusEnd: number
  /** Writes a value, or copies it where the line has it already. */
  value(value: unknown): void
  /** Records where headers or a body (see `LINE`) begin; they end at the current position. */
  mark(mark: number, start: number): void
  /** Writes a response from its presented form, for dissectors that write only some responses themselves. */
  response(message: PresentedMessage, status: Summary['status']): void
}
