import type { Door } from '@tapdeck/api'
import type { Catalog } from '@tapdeck/kfl'
import type { Access } from '../access/access.ts'
import type { Caller } from '../access/caller.ts'
import type { Redactions } from '../access/redactions.ts'
import type { Agents } from '../agents/agents.ts'
import type { LiveLosses } from '../cluster/live-losses.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Directory } from '../directory.ts'
import type { ClusterEvents } from '../events/cluster-events.ts'
import type { Dissections } from '../jobs/dissections.ts'
import type { Snapshots } from '../jobs/snapshots.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { Switchboard } from '../switch/switchboard.ts'

/** What operations work with: the rooms of the hub. */
export interface Parts {
  readonly access: Access
  readonly redactions: Redactions
  readonly workers: Workers
  readonly liveLosses: LiveLosses
  readonly switchboard: Switchboard
  readonly directory: Directory
  readonly clusterEvents: ClusterEvents
  readonly catalog: Catalog
  readonly snapshots: Snapshots
  readonly dissections: Dissections
  readonly recordings: Recordings
  readonly agents: Agents
  readonly startedAt: number
  /** The wall clock, Unix milliseconds. */
  readonly now: () => number
}

/** Who asks, through which door. */
export interface Asked {
  readonly caller: Caller
  readonly door: Door | 'alias'
  readonly headers: Headers
  readonly signal: AbortSignal
  /** The bytes of the request, where an operation takes bytes. */
  readonly bytes?: ReadableStream<Uint8Array>
}
