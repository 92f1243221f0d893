import type { Drops } from './drops.ts'
import type { EventKind } from './events/recorded-event.ts'
import type { RandomReader } from './random-reader.ts'
import type { SegmentIndex } from './segment-index/segment-index.ts'

/** What the packets of a node cover. Times are Unix milliseconds, null without packets. */
export interface CoveredTime {
  readonly start_ts: number | null
  readonly end_ts: number | null
  /** Part of the window was not there any more, or could not be read. */
  readonly partial: boolean
}

export type SnapshotStatus = 'pending' | 'in_progress' | 'completed' | 'failed'

/** What one node gave to a snapshot. */
export interface SnapshotNode {
  readonly name: string
  readonly status: SnapshotStatus
  readonly size_bytes: number
  readonly packet_count: number
  readonly dropped_packets: number
  /** The same, by where they were lost; absent where only the sum is known. */
  readonly drops?: Drops
  readonly error?: string
  /** Absent where it is not known: of imports, and in what older versions wrote. */
  readonly covered?: CoveredTime
  /** Why it did not bring its packets into the bucket itself. */
  readonly upload_error?: string
}

/** A named, immutable time window taken out of the recordings of some nodes. Times are Unix milliseconds. */
export interface Snapshot {
  readonly name: string
  readonly status: SnapshotStatus
  /** 0 to 100. */
  readonly progress: number
  readonly size_bytes: number
  readonly node_count: number
  readonly packet_count: number
  readonly duration: string
  readonly start_ts: number | null
  readonly end_ts: number | null
  /** RFC 3339 UTC. */
  readonly created_at: string
  /** The window holds times that were not recorded, or a node could not give its part. */
  readonly partial: boolean
  /** Times in the window of which nothing was recorded, oldest first; absent where there are none. */
  readonly gaps?: readonly SnapshotGap[]
  /** Times in the window in which packets were dropped, oldest first; absent where none is known. */
  readonly losses?: readonly SnapshotLoss[]
  /** It is completed, all its bytes lie on disk and have a checksum. Of what was linked it is taken afterwards. */
  readonly verified: boolean
  readonly nodes: readonly SnapshotNode[]
  readonly events: { readonly cluster: number; readonly os: number }
  readonly error?: string
  /** How often it was begun again after the hub had ended meanwhile; absent: never. */
  readonly restarts?: number
  /** Taken out of recordings, or brought as files. */
  readonly source: SnapshotSource
  /** What people add to it; it may change when nothing else does any more. */
  readonly tags: readonly string[]
  readonly notes: string
}

/** Times are Unix milliseconds. */
export interface SnapshotGap {
  readonly node: string
  readonly from_ts: number
  readonly to_ts: number
  readonly reason: string
  readonly detail: string
}

/** Packets of a node that were on the wire and are not in the snapshot. Times are Unix milliseconds. */
export interface SnapshotLoss {
  readonly node: string
  readonly from_ts: number
  readonly to_ts: number
  readonly kernel_drops?: number
  readonly disk_drops?: number
}

export type SnapshotSource = 'recording' | 'import'

/** What is known when a snapshot is asked for. */
export interface SnapshotRequest {
  readonly duration: string
  readonly start_ts: number | null
  readonly end_ts: number | null
  readonly created_at: string
  readonly nodes: readonly string[]
  /** Default: `recording`. */
  readonly source?: SnapshotSource
}

/** What changes while it is made. */
export type SnapshotChange = Partial<
  Pick<
    Snapshot,
    | 'status'
    | 'progress'
    | 'duration'
    | 'start_ts'
    | 'end_ts'
    | 'partial'
    | 'gaps'
    | 'losses'
    | 'events'
    | 'error'
  >
>

/** What may be added to a snapshot at any time. */
export type SnapshotRemarks = Partial<Pick<Snapshot, 'tags' | 'notes'>>

/** One file of a snapshot: packets of one node as pcapng. */
export interface SnapshotFile {
  readonly node: string
  readonly path: string
  readonly size_bytes: number
  /** Absent while it is not taken yet. */
  readonly sha256?: string
  /** Throws what the file system or the object storage throws. */
  open(): Promise<RandomReader>
  /** The index of a file that is not on this disk; absent for others. */
  index?(): Promise<SegmentIndex | undefined>
}

/** The packets of one node: files to be read one after the other, as if they were one. */
export interface SnapshotCapture {
  readonly node: string
  readonly paths: readonly string[]
  readonly size_bytes: number
  /** The same as long as the bytes are. */
  readonly version: string
}

/** The events of a kind that a snapshot carries: of one node, or of the cluster. */
export interface SnapshotEvents {
  readonly kind: EventKind
  readonly node?: string
  readonly path: string
  readonly size_bytes: number
  readonly count: number
}
