import type { WorkerReport, WorkerRequests } from '@tapdeck/api'
import type { CaptureRequests } from './capture/capture-message.ts'
import type { LiveRequests } from './live/live-message.ts'
import type { OsEvents } from './os/os-events.ts'
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
  /** Answers out of the recording, JSON already. */
  readonly rewind: {
    calls(query: WorkerRequests['rewind']['input'], signal: AbortSignal): Promise<string>
    call(query: WorkerRequests['rewind_call']['input'], signal: AbortSignal): Promise<string>
  }
  /** What processes do. Throws where that is not recorded. */
  events(): Promise<Pick<OsEvents, 'find' | 'window'>>
  /** Resolves once it is so: the switch reaches live indexing along with the packets. */
  setIndexing(enabled: boolean): Promise<void>
  setInventory(inventory: unknown): Promise<void>
  /** Nobody reads live calls any more. */
  forgetSubscriptions(): Promise<void>
  report(): Promise<WorkerReport>
}
