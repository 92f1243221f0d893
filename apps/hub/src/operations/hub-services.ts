import type { Catalog } from '@tapdeck/kfl'
import type { Access } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import type { Redactions } from '../access/redactions.ts'
import type { Agents } from '../agents/agents.ts'
import type { CaptureTargets } from '../cluster/capture-targets.ts'
import type { Coverage } from '../cluster/coverage.ts'
import type { LossTimes } from '../cluster/loss-times.ts'
import type { RecorderAdmission } from '../cluster/recorder-admission.ts'
import type { Workers } from '../cluster/workers.ts'
import type { RestartNeeded, RunningKey } from '../config-reload.ts'
import type { Directory } from '../directory.ts'
import type { Dissections } from '../dissections/dissections.ts'
import type { ClusterEvents } from '../events/cluster-events.ts'
import type { ClusterWatch } from '../kubernetes/cluster-watch.ts'
import type { PacketStreams } from '../packets/packet-streams.ts'
import type { SharedIndex } from '../query/shared-index.ts'
import type { Recordings } from '../recordings/recordings.ts'
import type { SavedFilters } from '../saved-filters.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { Switchboard } from '../switch/switchboard.ts'
import type { Telemetry } from '../telemetry/telemetry.ts'

/** The services that operations use. */
export interface HubServices {
  readonly access: Access
  readonly redactions: Redactions
  readonly audit: AuditLog
  readonly workers: Workers
  readonly recorderAdmission: RecorderAdmission
  readonly liveLosses: LossTimes
  readonly recordingLosses: LossTimes
  readonly streamLosses: LossTimes
  readonly coverage: Coverage
  readonly switchboard: Switchboard
  readonly directory: Directory
  readonly targets: CaptureTargets
  readonly clusterEvents: ClusterEvents
  /** Absent: no cluster is watched. */
  readonly kubernetes: ClusterWatch | undefined
  readonly catalog: Catalog
  readonly snapshots: Snapshots
  readonly dissections: Dissections
  readonly recordings: Recordings
  readonly agents: Agents
  readonly packetStreams: PacketStreams
  readonly savedFilters: SavedFilters
  /** The index in which all nodes store their calls; absent: each has its own. */
  readonly sharedIndex: SharedIndex | undefined
  readonly telemetry: Telemetry
  /** Changed configuration keys that the running hub does not apply. */
  readonly restartNeeded: () => readonly RestartNeeded[]
  /** The configuration as it runs, secrets included. */
  readonly configuration: { readonly files: readonly string[]; readonly running: () => readonly RunningKey[] }
  readonly startedAt: number
  /** The wall clock, Unix milliseconds. */
  readonly now: () => number
}
