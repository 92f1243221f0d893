import type { Loss } from '@tapdeck/wire'
import type { DissectionTask } from './dissection-task.ts'

/** A capture in files that each thread reads for itself, one after the other, as if they were one. */
export type PlainFiles = readonly { readonly path: string; readonly size: number }[]

/** What the threads that share one capture are to do. Plain data. */
export interface ShardTask {
  readonly task: DissectionTask
  readonly node: string
  /** Undefined where the chunks are shared. */
  readonly files: PlainFiles | undefined
}

/** What a thread found since it last told. */
export interface ShardFinds {
  readonly calls: Uint8Array<ArrayBuffer>
  /** All that is still to come came up at this packet, by number, or at a later one. */
  readonly place: number
  /** How much it has read so far. */
  readonly bytes: number
  readonly packets: number
  /** All that it has lost so far. */
  readonly loss: Loss
  readonly faults: readonly string[]
}
