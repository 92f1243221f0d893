import type { Message } from '../../contract/message.ts'
import type { RecordsTaker } from './body-reader.ts'
import { int32 } from './frame.ts'
import { readBody } from './read-body.ts'
import { MAGIC, PREFIX } from './record-count.ts'

/** What goes before the records of a batch, and before the key of a message that stands alone: until then nothing is the application's. */
const BATCH_HEADER = 61
const MESSAGE_HEADER = MAGIC + 2

/** Where the records of each batch are in the body of a message, compressed or not: `[start, end)` of what was kept. */
export function eachBatch(message: Message, take: RecordsTaker): void {
  const { body } = message
  if (body === undefined) return
  readBody(message, message.kind === 'request' ? 'request' : 'response', (start, end) => {
    for (let at = start; at < end; ) {
      const header = at + MAGIC < end && body[at + MAGIC] < 2 ? MESSAGE_HEADER : BATCH_HEADER
      const length = at + PREFIX <= end ? int32(body, at + 8) : 0
      // What makes no sense is taken for content.
      const next = length < 5 ? end : Math.min(end, at + PREFIX + length)
      const from = length < 5 ? at : at + header
      if (from < next) take(from, next)
      at = next
    }
  })
}
