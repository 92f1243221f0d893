import type { Flow, Side } from '@tapdeck/wire'
import type { Call, MissingHalf, Summary } from '../call.ts'
import type { Message } from '../message.ts'

export type CallDraft = { -readonly [K in keyof Call]: Call[K] }

const NO_SUMMARY: Summary = {}

/** A call out of its halves, still without its common columns. */
export function draftCall(
  flow: Flow,
  ordinal: number,
  side: Side,
  protocol: string,
  request: Message | undefined,
  response: Message | undefined,
  missing: MissingHalf | undefined,
): CallDraft {
  const call: CallDraft = { flow, ordinal, protocol, side, start: 0, end: 0, summary: NO_SUMMARY }
  if (request !== undefined) {
    call.request = request
    call.start = request.start ?? 0
    call.end = request.end ?? 0
  }
  if (response !== undefined) {
    call.response = response
    if (request === undefined) call.start = response.start ?? 0
    call.end = Math.max(call.end, response.end ?? 0)
  }
  if (missing !== undefined) call.missing = missing
  return call
}
