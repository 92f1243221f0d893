import type { Flow, Side } from '@tapdeck/wire'
import type { Call, Summary } from '../../contract/call.ts'
import type { Dissector } from '../../contract/dissector.ts'
import type { Message } from '../../contract/message.ts'
import type { EngineContext } from '../engine-context.ts'

export type CallDraft = { -readonly [K in keyof Call]: Call[K] }

const NO_SUMMARY: Summary = {}

/** A call without its common columns. */
export function draftCall(
  flow: Flow,
  ordinal: number,
  side: Side,
  protocol: string,
  request: Message | undefined,
  response: Message | undefined,
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
  return {
    flow,
    ordinal,
    protocol,
    side,
    request,
    response,
    start,
    end,
    missing: undefined,
    summary: NO_SUMMARY,
    tls: undefined,
  }
}

/** Adds the common columns and emits the call. `cutReason` becomes the failure if the protocol reports none. */
export function emitCall(
  engine: EngineContext,
  dissector: Dissector | undefined,
  call: CallDraft,
  cutReason?: string,
): void {
  try {
    if (dissector !== undefined) call.summary = dissector.summarize(call)
    if (cutReason !== undefined) call.summary = failed(call.summary, cutReason)
  } catch (error) {
    engine.fault(error, call.protocol)
  }
  engine.emit(call)
}

/** The columns with `cutReason` as failure, unless the protocol reports one. */
function failed(summary: Summary, cutReason: string): Summary {
  const { method, path, status, failure = cutReason } = summary
  return { method, path, status, failure }
}
