import type { Redaction } from '../../contract/redaction.ts'
import { eachBatch } from './each-batch.ts'

/** Records are often compressed and never shown, so they are opaque. */
export const redact: Redaction = {
  eachValue(message, report) {
    eachBatch(message, (start, end) => report(undefined, start, end))
  },
}
