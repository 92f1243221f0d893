import type { Flow, Loss } from '@tapdeck/wire'
import type { Budget } from '../budget.ts'
import type { Call } from '../call.ts'
import type { Connection } from '../dissector.ts'
import type { Limits } from '../limits.ts'
import type { ReusedFrame } from '../reused-frame.ts'
import type { Candidates } from './candidates.ts'
import type { FollowedFlow } from './followed-flow.ts'
import type { FrameReader } from './frame-reader.ts'
import type { PlainFlow } from './plain-flow.ts'
import type { SpareHalves } from './spare-halves.ts'

/** What all followed flows of an engine share. */
export interface EngineContext {
  readonly limits: Limits
  readonly loss: Loss
  readonly budget: Budget
  readonly candidates: Candidates
  /** The one view that every frame is shown through. */
  readonly frame: ReusedFrame
  readonly reader: FrameReader
  readonly spareHalves: SpareHalves
  readonly copy: Connection['copy']
  readonly arena: Connection['arena']
  wants(protocol: string): boolean
  emit(call: Call): void
  /** Exchanges the flow's sides; false where nobody can. */
  flip(flow: Flow): boolean
  /** An error that is no `Malformed`: a mistake in a protocol. */
  fault(error: unknown, protocol: string): void
  /** This flow has something that may expire. */
  watch(flow: FollowedFlow | PlainFlow): void
  unwatch(flow: FollowedFlow | PlainFlow): void
}
