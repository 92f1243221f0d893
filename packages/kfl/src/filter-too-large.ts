import type { ErrorPlace } from '@tapdeck/spelling'
import { KflError } from './kfl-error.ts'

/** A filter that is over one of the bounds in `limits.ts`. It may be correct, but it costs too much. */
export class FilterTooLarge extends KflError {
  readonly limit: number
  readonly hint: string

  constructor(message: string, place: ErrorPlace, limit: number, hint: string) {
    super(message, place)
    this.limit = limit
    this.hint = hint
  }
}
