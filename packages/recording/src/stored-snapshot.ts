import type { Archived } from './archive/archived.ts'
import type { EventKind } from './events/recorded-event.ts'
import type { Snapshot, SnapshotNode, SnapshotRequest } from './snapshot.ts'

export const META = 'snapshot.json'
/** Ends the name of a folder with the files of a node that was handed over. */
export const SEGMENTS = '.segments'

export interface StoredFile {
  readonly node: string
  /** Below the snapshot's folder. */
  readonly file: string
  /** Absent while it is not taken yet. */
  readonly sha256?: string
  /** When it was last written; absent in what older versions wrote. */
  readonly modified?: number
  /** Absent where the node has one file: it is the node's. */
  readonly size_bytes?: number
  readonly packet_count?: number
  /** Its node brought it into the bucket: it was never on this disk. */
  readonly remote?: true
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
  /** Absent where it is on this disk alone. */
  readonly archive?: Archived
}

/** Whether its captures are read from the bucket. */
export function isArchived({ archive }: Stored): boolean {
  return archive?.done === true
}

export function isUnfinished({ status }: Snapshot): boolean {
  return status === 'in_progress' || status === 'pending'
}

/** Whether a capture is read from the bucket. */
export function isRemote(entry: Stored, { remote }: StoredFile): boolean {
  return remote === true || isArchived(entry)
}

/** What the captures take that are or were on this disk. */
export function captureBytes(entry: Stored): number {
  return entry.files.reduce((sum, file) => sum + (file.remote ? 0 : shareOf(entry, file).size_bytes), 0)
}

/** What a snapshot takes of the disk, without the indexes beside its files. */
export function diskBytes(entry: Stored): number {
  const { snapshot, events = [], files } = entry
  if (isArchived(entry)) return events.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  const remote = files.filter((file) => file.remote)
  return remote.reduce((rest, file) => rest - shareOf(entry, file).size_bytes, snapshot.size_bytes)
}

/** Throws where a snapshot cannot take another file of a node. */
export function requireOpen({ snapshot, files }: Stored, node: string): void {
  const { name, status } = snapshot
  if (status === 'completed') throw new Error(`snapshot "${name}" is complete and does not change`)
  if (files.some((known) => known.node === node))
    throw new Error(`node "${node}" is in snapshot "${name}" already`)
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
    // A node that failed holds nothing of the window.
    node_count: nodes.filter(({ status }) => status !== 'failed').length,
    size_bytes: [...nodes, ...events].reduce((sum, part) => sum + part.size_bytes, 0),
    packet_count: nodes.reduce((sum, node) => sum + node.packet_count, 0),
  }
}

/** A snapshot with what is known of a node now. */
export function withNode(entry: Stored, node: SnapshotNode): Stored {
  const known = entry.snapshot.nodes
  const nodes = known.some((other) => other.name === node.name)
    ? known.map((other) => (other.name === node.name ? node : other))
    : [...known, node]
  return { ...entry, snapshot: totalled(entry.snapshot, nodes, entry.events) }
}

/** A snapshot with one file of events more. */
export function withEvents(entry: Stored, kept: StoredEvents): Stored {
  const { snapshot } = entry
  const { kind, count } = kept
  const counts = { ...snapshot.events, [kind]: snapshot.events[kind] + count }
  const events = [...(entry.events ?? []), kept]
  return { ...entry, events, snapshot: totalled({ ...snapshot, events: counts }, snapshot.nodes, events) }
}

/** A snapshot of which only the nodes that are complete remain. */
export function restarted({ events: _, ...entry }: Stored, restarts: number): Stored {
  const nodes = entry.snapshot.nodes.map((node) =>
    node.status === 'completed' ? node : nodeState(node.name, 'pending'),
  )
  const begun = { ...entry.snapshot, progress: 0, restarts, events: { cluster: 0, os: 0 } }
  return { ...entry, snapshot: totalled(begun, nodes) }
}

/** What one file of a node says of its size and packets. */
export function shareOf(
  { snapshot }: Stored,
  { node, size_bytes, packet_count }: StoredFile,
): { readonly size_bytes: number; readonly packet_count: number } {
  const found = snapshot.nodes.find((known) => known.name === node)
  return {
    size_bytes: size_bytes ?? found?.size_bytes ?? 0,
    packet_count: packet_count ?? found?.packet_count ?? 0,
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
    verified: false,
    nodes: [],
    events: { cluster: 0, os: 0 },
    source: 'recording',
    tags: [],
    notes: '',
    error: `its ${META} cannot be read`,
  }
}

/** A snapshot of which nothing is there yet. */
export function newSnapshot(name: string, request: SnapshotRequest): Snapshot {
  const nodes = [...new Set(request.nodes)].map((node) => nodeState(node, 'pending'))
  return totalled(
    {
      name,
      status: 'in_progress',
      progress: 0,
      size_bytes: 0,
      node_count: 0,
      packet_count: 0,
      duration: request.duration,
      start_ts: request.start_ts,
      end_ts: request.end_ts,
      created_at: request.created_at,
      partial: false,
      verified: false,
      nodes: [],
      events: { cluster: 0, os: 0 },
      source: request.source ?? 'recording',
      tags: [],
      notes: '',
    },
    nodes,
  )
}
