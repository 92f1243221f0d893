import type { Message } from '../../contract/message.ts'
import { ATTRIBUTES, BATCH_HEADER, MAGIC, PREFIX } from './batch.ts'
import { codecOf } from './decompress.ts'
import { int16, int32 } from './frame.ts'
import { readBody } from './read-body.ts'

/** Bytes before the key of a message of an old version. */
const MESSAGE_HEADER = MAGIC + 2

/** Receives where the records of a batch are: `[start, end)` of what was kept. */
export type BatchTaker = (start: number, end: number, isCompressed: boolean) => void

/** Where the records of each batch are in the body of a message. */
export function eachBatch(message: Message, take: BatchTaker): void {
  const { body } = message
  if (body === undefined) return
  readBody(message, message.kind === 'request' ? 'request' : 'response', (start, end) => {
    for (let at = start; at < end; ) {
      const isMessage = at + MAGIC < end && body[at + MAGIC] < 2
      const header = isMessage ? MESSAGE_HEADER : BATCH_HEADER
      const attributes = isMessage ? body[at + MESSAGE_HEADER - 1] : int16(body, at + ATTRIBUTES)
      const length = at + PREFIX <= end ? int32(body, at + 8) : 0
      // What makes no sense is taken for content.
      const next = length < 5 ? end : Math.min(end, at + PREFIX + length)
      const from = length < 5 ? at : at + header
      if (from < next) take(from, next, codecOf(attributes) !== undefined)
      at = next
    }
  })
}
