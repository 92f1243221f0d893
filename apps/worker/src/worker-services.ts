import type { WorkerReport, WorkerRequests } from '@tapdeck/api'
import type { CaptureRequests } from './capture/capture-message.ts'
import type { NodeKeys } from './keys/node-keys.ts'
import type { LiveRequests } from './live/live-message.ts'
import type { TargetOptions } from './live/targets.ts'
import type { OsEvents } from './os/os-events.ts'
import type { RequestTable } from './threads/serve-requests.ts'

/** A thread that answers requests. */
export interface Thread<Requests extends RequestTable<Requests>> {
  ask<Name extends keyof Requests & string>(
    name: Name,
    input: Requests[Name]['input'],
  ): Promise<Requests[Name]['output']>
}

/** The threads of a worker, and the operations that involve several of them. */
export interface WorkerServices {
  readonly capture: Thread<CaptureRequests>
  readonly live: Thread<LiveRequests>
  /** Queries to the recording; answers are JSON text. */
  readonly rewind: {
    calls(query: WorkerRequests['rewind']['input'], signal: AbortSignal): Promise<string>
    call(query: WorkerRequests['rewind_call']['input'], signal: AbortSignal): Promise<string>
  }
  /** Events of processes. Throws if they are not recorded. */
  events(): Promise<Pick<OsEvents, 'find' | 'window'>>
  /** The TLS secrets of this node; absent: none are collected. */
  readonly keys?: Pick<NodeKeys, 'setKeys' | 'window'> | undefined
  /** Resolves when the switch has taken effect: it reaches live indexing together with the packets. */
  setIndexing(enabled: boolean): Promise<void>
  /** Which pods are indexed from now on. */
  setTargets(targets: TargetOptions): Promise<void>
  /** The key, in hexadecimal, that credentials are hashed with from now on. */
  setCredentialKey(key: string): Promise<void>
  /** Replaces all names. */
  setInventory(inventory: unknown): Promise<void>
  /** Applies a change of the names; with `more`, the rest of it follows. */
  applyNames(delta: unknown, more: boolean): Promise<void>
  /** Ends all live subscriptions. */
  forgetSubscriptions(): Promise<void>
  report(): Promise<WorkerReport>
}
