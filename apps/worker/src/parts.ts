import type { WorkerReport } from '@tapdeck/api'
import type { CaptureRequests } from './capture/capture-message.ts'
import type { LiveRequests } from './live/live-message.ts'
import type { RequestTable } from './threads/serve-requests.ts'

/** Another thread that answers questions. */
export interface Thread<Requests extends RequestTable<Requests>> {
  ask<Name extends keyof Requests & string>(
    name: Name,
    input: Requests[Name]['input'],
  ): Promise<Requests[Name]['output']>
}

/** The threads of a worker, and what concerns both of them. */
export interface Parts {
  readonly capture: Thread<CaptureRequests>
  readonly live: Thread<LiveRequests>
  /** Resolves once it is so: the switch reaches live indexing along with the packets. */
  setIndexing(enabled: boolean): Promise<void>
  setInventory(inventory: unknown): Promise<void>
  /** Nobody reads live calls any more. */
  forgetSubscriptions(): Promise<void>
  report(): Promise<WorkerReport>
}
