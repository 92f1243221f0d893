import type { Flow, Side } from '@tapdeck/wire'
import type { Call, MissingHalf, Summary } from '../call.ts'
import type { Dissector } from '../dissector.ts'
import type { Message } from '../message.ts'
import type { EngineContext } from './engine-context.ts'

type CallDraft = { -readonly [K in keyof Call]: Call[K] }

const NO_SUMMARY: Summary = {}

/** A call out of its halves, still without its common columns. */
function draftCall(
  flow: Flow,
  ordinal: number,
  side: Side,
  protocol: string,
  request: Message | undefined,
  response: Message | undefined,
  missing: MissingHalf | undefined,
): CallDraft {
  let start = 0
  let end = 0
  if (request !== undefined) {
    start = request.start ?? 0
    end = request.end ?? 0
  }
  if (response !== undefined) {
    if (request === undefined) start = response.start ?? 0
    end = Math.max(end, response.end ?? 0)
  }
  return { flow, ordinal, protocol, side, request, response, start, end, missing, summary: NO_SUMMARY }
}

/**
 * Makes a call out of its halves, with the columns that its protocol gives it, and hands it out. `cut` says how its
 * response was cut off, which is a failure where the protocol knows of none.
 */
export function tell(
  engine: EngineContext,
  dissector: Dissector | undefined,
  protocol: string,
  flow: Flow,
  ordinal: number,
  side: Side,
  request: Message | undefined,
  response: Message | undefined,
  missing?: MissingHalf,
  cut?: string,
): void {
  const call = draftCall(flow, ordinal, side, protocol, request, response, missing)
  try {
    if (dissector !== undefined) call.summary = dissector.summarize(call)
    if (cut !== undefined) call.summary = failed(call.summary, cut)
  } catch (error) {
    engine.fault(error, protocol)
  }
  engine.emit(call)
}

/** The columns of a call that failed by `cut`, unless its protocol knows of a failure. */
function failed(summary: Summary, cut: string): Summary {
  const { method, path, status, failure = cut } = summary
  return { method, path, status, failure }
}
