import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { ConfigReload } from './config-reload.ts'
import { ConfigWatch } from './config-watch.ts'
import type { HubOptions } from './hub-options.ts'
import { openAccess } from './modules/access-module.ts'
import { openCluster } from './modules/cluster-module.ts'
import type { HubModule } from './modules/hub-module.ts'
import { openSharedIndex } from './modules/index-module.ts'
import { openLive } from './modules/live-module.ts'
import { logModule } from './modules/log-module.ts'
import { openStorage } from './modules/storage-module.ts'
import { openSwitch } from './modules/switch-module.ts'
import { openWeb, type WebModule } from './modules/web-module.ts'
import type { HubServices } from './operations/hub-services.ts'
import type { SnapshotRetention } from './snapshots/snapshot-retention.ts'

export interface Hub extends Pick<WebModule, 'fetch' | 'routes' | 'listen'> {
  readonly services: HubServices
  readonly web: WebModule
  readonly retention: SnapshotRetention
  /** In the order in which they take a changed configuration. */
  readonly modules: readonly HubModule[]
  /** Reads the configuration again, now. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Wall-clock milliseconds that never jump. */
const steadyNow = () => performance.timeOrigin + performance.now()

/** Opens the modules of the hub. Throws if the configuration or the storage do not allow a start. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, log } = options
  const catalog = createCatalog(protocols)
  const access = await openAccess(options)
  const cluster = await openCluster(options, access.access)
  const indexing = await openSwitch(options, cluster.workers, steadyNow)
  const storage = await openStorage(options, cluster, catalog)
  const index = await openSharedIndex(options, cluster.workers, catalog)
  const live = await openLive(options, { ...access, ...cluster, ...indexing, ...storage, catalog })
  const services: HubServices = {
    access: access.access,
    redactions: access.redactions,
    workers: cluster.workers,
    recorderAdmission: cluster.recorderAdmission,
    liveLosses: cluster.liveLosses,
    recordingLosses: cluster.recordingLosses,
    streamLosses: cluster.streamLosses,
    coverage: cluster.coverage,
    directory: cluster.directory,
    targets: cluster.targets,
    clusterEvents: cluster.clusterEvents,
    kubernetes: cluster.kubernetes,
    switchboard: indexing.switchboard,
    snapshots: storage.snapshots,
    dissections: storage.dissections,
    savedFilters: storage.savedFilters,
    sharedIndex: index.sharedIndex,
    recordings: live.recordings,
    agents: live.agents,
    packetStreams: live.packetStreams,
    telemetry: live.telemetry,
    catalog,
    audit: access.audit,
    restartNeeded: () => reload.restartNeeded,
    configuration: { files: options.sources.files, running: () => reload.running },
    startedAt: Date.now(),
    now: Date.now,
  }
  const { audit } = access
  const { links, linkCertificates, unsaved } = cluster
  const web = await openWeb(options, {
    ...{ services, audit, streams: live.streams, steadyNow },
    ...{ links, linkCertificates, unsaved },
  })
  // A module that may reject a configuration comes before those that accept any. They are closed in reverse order:
  // recordings and snapshots still need the workers, and the workers the port.
  const modules = [access, cluster, web, indexing, storage, index, live, logModule(log)]
  const reload = new ConfigReload(options, modules, log)
  const watch = new ConfigWatch(
    options.sources,
    async (changed) => {
      await reload.apply(changed)
      watch.watch([changed.config.tap.inventory])
    },
    log,
  )
  watch.watch([config.tap.inventory])
  return {
    services,
    web,
    retention: storage.retention,
    modules,
    fetch: web.fetch,
    routes: web.routes,
    listen: (host, port) => web.listen(host, port),
    reload: () => watch.reload(),
    async close() {
      watch.close()
      web.stop()
      for (const module of modules.toReversed()) await module.close()
    },
  }
}
