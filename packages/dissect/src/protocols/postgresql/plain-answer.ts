import type { Frame } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import { PlacedMessage } from '../../message/placed-message.ts'
import { placeRows } from '../../sql/kept-rows.ts'
import { SUCCEEDED } from '../../sql/statement-text.ts'
import { textEnd } from './bytes.ts'
import { BACKEND, HEADER } from './message-type.ts'
import type { Parts } from './parts.ts'
import type { Session } from './session.ts'
import type { Step } from './step.ts'
import { type Transaction, tagAt, transactionState } from './tag.ts'

/**
 * Whether a frame is one answer from its first message until the server is ready, and contains nothing but the result, with
 * rows or without: `1`, `2`, `n` or rows, `C` and `Z`, of which the last two must be there. Most are.
 */
export function isPlainAnswer({ count, types }: Parts): boolean {
  if (count < 2 || types[count - 1] !== BACKEND.readyForQuery) return false
  let at = 0
  if (types[at] === BACKEND.parseComplete) at++
  if (types[at] === BACKEND.bindComplete) at++
  if (types[at] === BACKEND.noData || isRows(types[at])) at++
  return at === count - 2 && types[at] === BACKEND.commandComplete
}

function isRows(type: number): boolean {
  return type === BACKEND.dataRow || type === BACKEND.rowDescription
}

/** Reads such a frame. It says the same as message by message, but nothing of it must be remembered meanwhile. */
export function readPlainAnswer(
  session: Session,
  frame: Frame,
  { count, types, ends, messages }: Parts,
): Message | readonly Message[] | undefined {
  const { bytes, start, end } = frame
  const { steps } = session
  let rows = -1
  let rowsAt = 0
  let at = start
  for (let i = 0; i < count - 2; i++) {
    const type = types[i]
    if (type === BACKEND.parseComplete) steps.take('parse')
    else if (type === BACKEND.bindComplete) steps.take('bind')
    else if (type !== BACKEND.dataRow) steps.take('describe')
    if (isRows(type)) {
      rows = type === BACKEND.dataRow ? messages[i] : messages[i] - 1
      rowsAt = at
    }
    at = ends[i]
  }
  const readyAt = ends[count - 2]
  const state = transactionState(bytes[readyAt + HEADER])
  const executed = steps.take('execute')
  const isExecuted = executed !== undefined
  let key = isExecuted ? executed.key : -1
  const closer = steps.takeBatch(undefined)
  if (!isExecuted) {
    if (isAsked(closer)) key = closer.key
    // Who knows what it answers.
    else if (closer === undefined) key = session.nextKey()
    else return undefined
  }
  const message = new PlacedMessage('response')
  message.key = key
  message.start = frame.time
  message.end = frame.endTime
  message.size = (isExecuted ? readyAt : end) - start
  const tag = tagAt(bytes, at + HEADER, textEnd(bytes, at + HEADER, readyAt))
  tag.describe(message, rows, isExecuted ? undefined : state)
  message.note = SUCCEEDED
  if (rows >= 0) placeRows(session.connection, bytes, rowsAt, at, message)
  return isExecuted && isAsked(closer)
    ? [message, readyAlone(session, frame, closer.key, end - readyAt, state)]
    : message
}

/** Whether the end of a batch answers a question of its own. */
export function isAsked(closer: Step | undefined): closer is Step {
  return closer !== undefined && closer.kind !== 'execute' && closer.key >= 0
}

/** A query after what was executed in the same batch. */
function readyAlone(session: Session, frame: Frame, key: number, size: number, state: Transaction): Message {
  const answer = session.answering(frame.time)
  session.answer = undefined
  answer.size = size
  answer.transaction = state
  return answer.close(key, frame.endTime)
}
