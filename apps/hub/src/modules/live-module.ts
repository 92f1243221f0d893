import { join } from 'node:path'
import { type Catalog, compile } from '@tapdeck/kfl'
import { parsePortRange } from '@tapdeck/units'
import type { Caller } from '../access/caller.ts'
import type { Redactions } from '../access/redactions.ts'
import { visibilityOf } from '../access/visibility.ts'
import { Agents } from '../agents/agents.ts'
import { toProblem } from '../http/problem-response.ts'
import type { HubOptions } from '../hub-options.ts'
import { LiveSubscriptions } from '../live/live-subscriptions.ts'
import { StreamServer } from '../live/stream-server.ts'
import { PacketStreams } from '../packets/packet-streams.ts'
import { assertNoRedactedFields } from '../query/redacted-source.ts'
import { Recordings } from '../recordings/recordings.ts'
import { Telemetry } from '../telemetry/telemetry.ts'
import type { AccessModule } from './access-module.ts'
import type { ClusterModule } from './cluster-module.ts'
import type { HubModule } from './hub-module.ts'
import type { StorageModule } from './storage-module.ts'
import type { SwitchModule } from './switch-module.ts'

/** What follows live calls: the streams of the dashboards, recordings and network agents. */
export interface LiveModule extends HubModule {
  readonly streams: StreamServer
  readonly packetStreams: PacketStreams
  readonly recordings: Recordings
  readonly agents: Agents
  readonly telemetry: Telemetry
}

type Dependencies = AccessModule &
  ClusterModule &
  StorageModule &
  SwitchModule & { readonly catalog: Catalog }

export async function openLive(
  { config, dataFolder, state, log, scriptThread }: HubOptions,
  services: Omit<Dependencies, keyof HubModule>,
): Promise<LiveModule> {
  const { access, audit, redactions, workers, directory, coverage, unsaved } = services
  const { switchboard, snapshots, dissections, catalog } = services
  const now = Date.now
  const subscriptions = new LiveSubscriptions(workers, log, (nodes) => directory.isSettled(nodes))
  const streams = new StreamServer({
    workers,
    switchboard,
    subscriptions,
    log,
    narrow: (kfl, caller) => narrowed(kfl, caller, redactions, catalog),
    show: (caller) => redactions.of(caller),
    isCredentialValid: (caller) => access.isCredentialValid(caller),
    audit(what, { name: who, role, kind }, from, kfl) {
      const at = new Date().toISOString()
      audit.add({ at, who, role, kind, from, door: 'stream', what, status: 200, input: { kfl } })
    },
    toProblem: (error) => toProblem(error, log).body(),
  })
  const packetStreams = new PacketStreams({
    ...{ workers, directory, subscriptions, keys: snapshots.keys, now },
    searching: (count) => streams.countOthers(count),
  })
  const recordings = await Recordings.open({
    folder: join(dataFolder, 'recordings'),
    state,
    snapshots,
    dissections,
    workers,
    coverage,
    subscriptions,
    catalog,
    log,
    unsaved,
    now,
    count: (running) => switchboard.count('recordings', running),
    resume: (by) =>
      switchboard
        .turn(true, by, 'recording')
        .catch((error) => log.warn({ err: error }, 'cannot turn indexing on for a recording')),
  })
  let activeAgents = 0
  const countAgents = () => switchboard.count('agents', activeAgents + (telemetry.isOn ? 1 : 0))
  const telemetry: Telemetry = new Telemetry({
    ...{ subscriptions, catalog, now, changed: countAgents },
    ports: parsePortRange(config.tap.capture.ownPorts),
  })
  const agents = await Agents.open({
    state,
    catalog,
    subscriptions,
    recordings,
    log,
    now,
    scriptThread,
    count(active) {
      activeAgents = active
      countAgents()
    },
  })
  await telemetry.configure(config.tap.telemetry.otlp)
  recordings.on('change', () => streams.changed('recordings'))
  agents.on('change', () => streams.changed('agents'))
  snapshots.on('change', () => streams.changed('snapshots'))
  dissections.on('change', () => streams.changed('dissections'))
  return {
    streams,
    packetStreams,
    recordings,
    agents,
    telemetry,
    keys: ['tap.telemetry'],
    configure: ({ tap }) => telemetry.configure(tap.telemetry.otlp),
    async close() {
      packetStreams.close()
      streams.close()
      await telemetry.close()
      await agents.close()
      await recordings.close()
    },
  }
}

/** The filter of a stream, limited to what the caller may see. Throws if the filter is wrong or not allowed. */
function narrowed(kfl: string, caller: Caller, redactions: Redactions, catalog: Catalog): string {
  if (redactions.of(caller)) assertNoRedactedFields(kfl, catalog, Date.now())
  const visibility = visibilityOf(caller)
  if (visibility) return visibility.narrow(kfl, catalog, Date.now())
  compile(kfl, catalog, Date.now())
  return kfl
}
