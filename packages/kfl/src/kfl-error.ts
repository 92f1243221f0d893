import { PlacedError } from '@tapdeck/spelling'

/** What is wrong with a filter, where, and how to mend it. */
export class KflError extends PlacedError {
  override readonly name = 'KflError'
}
