import type { Caller } from './caller.ts'
import type { Redactions } from './redactions.ts'

/** Whether command lines are hidden from a caller: it lacks the capability, or sees payloads redacted. */
export function hidesCommandLines(caller: Caller, redactions: Redactions): boolean {
  return !caller.capabilities.includes('events:cmdline') || redactions.of(caller) !== undefined
}
