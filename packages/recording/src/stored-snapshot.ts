import type { EventKind } from './events/recorded-event.ts'
import type { Snapshot, SnapshotNode } from './snapshot.ts'

export const META = 'snapshot.json'

export interface StoredFile {
  readonly node: string
  readonly file: string
  readonly sha256: string
  /** When it was last written; absent in what older versions wrote. */
  readonly modified?: number
}

export interface StoredEvents {
  readonly kind: EventKind
  readonly node?: string
  readonly file: string
  readonly sha256: string
  readonly size_bytes: number
  readonly count: number
}

/** What `snapshot.json` holds. */
export interface Stored {
  readonly snapshot: Snapshot
  readonly files: readonly StoredFile[]
  /** Absent in what older versions wrote. */
  readonly events?: readonly StoredEvents[]
}

export function nodeState(name: string, status: SnapshotNode['status']): SnapshotNode {
  return { name, status, size_bytes: 0, packet_count: 0, dropped_packets: 0 }
}

export function totalled(
  snapshot: Snapshot,
  nodes: readonly SnapshotNode[],
  events: readonly StoredEvents[] = [],
): Snapshot {
  return {
    ...snapshot,
    nodes,
    node_count: nodes.length,
    size_bytes: [...nodes, ...events].reduce((sum, part) => sum + part.size_bytes, 0),
    packet_count: nodes.reduce((sum, node) => sum + node.packet_count, 0),
  }
}

export function unreadable(name: string): Snapshot {
  return {
    name,
    status: 'failed',
    progress: 0,
    size_bytes: 0,
    node_count: 0,
    packet_count: 0,
    duration: '0s',
    start_ts: null,
    end_ts: null,
    created_at: new Date(0).toISOString(),
    partial: true,
    nodes: [],
    events: { cluster: 0, os: 0 },
    source: 'recording',
    tags: [],
    notes: '',
    error: `its ${META} cannot be read`,
  }
}
