import type { Inventory } from '@tapdeck/inventory'
import type { Loss } from '@tapdeck/wire'

/** What a dissection is to do. Plain data: it is handed to a thread. */
export interface DissectionTask {
  readonly files: readonly { readonly node: string; readonly path: string; readonly size_bytes: number }[]
  /** Where the indexes go, a folder for each file: `0`, `1`, … */
  readonly folder: string
  readonly inventory: Inventory
  /** Only calls that match are kept; empty: all. */
  readonly kfl: string
  /** Only these protocols; undefined: all. */
  readonly protocols?: readonly string[] | undefined
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** Memory ceiling of the index's engine in bytes. */
  readonly memory: number
}

/** What calls of a recording say of where they come from. */
export const captureSource = 'af_packet'

/** How far a dissection has got, and what it found. */
export interface Tally {
  /** Files that are done. */
  files: number
  /** Bytes of capture read, of all there are. */
  bytes: number
  readonly totalBytes: number
  packets: number
  calls: number
  flows: number
  readonly protocols: Record<string, number>
  readonly loss: Loss
  /** Mistakes of ours that the dissection survived. */
  readonly errors: string[]
}
