import type { Inventory } from '@tapdeck/inventory'
import type { RedactionRules } from '@tapdeck/redact'
import type { Loss } from '@tapdeck/wire'
import type { SnapshotSecret } from '../snapshots/snapshot-keys.ts'

/** What a dissection is to do. Plain data: it is handed to a thread. */
export interface DissectionTask {
  readonly files: readonly {
    readonly node: string
    /** To be read one after the other, as if they were one. */
    readonly paths: readonly string[]
    readonly size_bytes: number
    /** What processes of the node did meanwhile. */
    readonly events?: string
    /** TLS secrets of the node. */
    readonly secrets?: readonly SnapshotSecret[]
  }[]
  /** Where the indexes go, a folder for each file: `0`, `1`, … */
  readonly folder: string
  readonly inventory: Inventory
  /** Only calls that match are kept; empty: all. */
  readonly kfl: string
  /** Only these protocols; undefined: all. */
  readonly protocols?: readonly string[] | undefined
  /** What a filter takes for now, in Unix milliseconds. */
  readonly now: number
  /** Threads that share the flows of a large file. */
  readonly threads: number
  /** Bytes kept of each body. */
  readonly bodyBytes: number
  /** What is made unreadable before anything is kept. */
  readonly redaction: RedactionRules
  /** Of the hashes of credentials, in hexadecimal; undefined: they have none. */
  readonly credentialKey?: string | undefined
  /** TLS connections are opened, also with secrets in the files. */
  readonly decrypt: boolean
  /** What calls say of where they come from. */
  readonly captureSource: string
  /** Memory ceiling of the indexes' engines in bytes, all together. */
  readonly memory: number
}

/** A dissection goes when its snapshot goes: the packets of all its calls are there. */
export const ofSnapshot = () => Number.NEGATIVE_INFINITY

/** Internal errors that are reported. */
export const MAX_ERRORS = 20

/** How far one capture has got, or a share of it, and what was found. */
export interface ShareTally {
  /** Bytes of capture read, and packets. */
  bytes: number
  packets: number
  calls: number
  flows: number
  readonly protocols: Record<string, number>
  /** Those of them that were decrypted. */
  readonly decrypted: Record<string, number>
  readonly loss: Loss
  /** Mistakes of ours that the dissection survived. */
  readonly errors: string[]
}

export function emptyTally(): ShareTally {
  return { bytes: 0, packets: 0, calls: 0, flows: 0, protocols: {}, decrypted: {}, loss: {}, errors: [] }
}

/** The same of all captures. */
export interface Tally extends ShareTally {
  /** Bytes that are to be read: fewer than there are if a filter limits the packets. */
  readonly totalBytes: number
}
