import type { Redaction } from '../../contract/redaction.ts'
import { eachBatch } from './each-batch.ts'

/** What is in records is the application's, in any encoding, so they are opaque. */
export const redact: Redaction = {
  eachValue(message, report) {
    eachBatch(message, (start, end) => report(undefined, start, end))
  },
  eachCompressed(message, report) {
    eachBatch(message, (start, end, isCompressed) => {
      if (isCompressed) report(start, end)
    })
  },
}
