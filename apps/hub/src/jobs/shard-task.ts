import type { Loss } from '@tapdeck/wire'
import type { DissectionTask } from './dissection-task.ts'

/** What the threads that share one file are to do. Plain data. */
export interface ShardTask {
  readonly task: DissectionTask
  readonly node: string
}

/** What a thread found in one parcel, or in a part of it. */
export interface ShardFinds {
  /** Parcels that it had read before this one. */
  readonly parcel: number
  readonly calls: Uint8Array<ArrayBuffer>
  /** All that it has lost so far. */
  readonly loss: Loss
  readonly faults: readonly string[]
}
