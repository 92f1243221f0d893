import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { Problem } from '@tapdeck/api'
import { type BootSources, type Config, durationMs, parseSize } from '@tapdeck/config'
import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { SnapshotStore } from '@tapdeck/recording'
import { Access } from './access/access.ts'
import { AuditLog } from './access/audit-log.ts'
import { Redactions } from './access/redactions.ts'
import { scopeOf } from './access/scope.ts'
import { Agents } from './agents/agents.ts'
import { CaptureFilter } from './cluster/capture-filter.ts'
import { LinkServer } from './cluster/link-server.ts'
import { LiveLosses } from './cluster/live-losses.ts'
import { Workers } from './cluster/workers.ts'
import { ConfigWatch } from './config-watch.ts'
import { Directory } from './directory.ts'
import { ClusterEvents } from './events/cluster-events.ts'
import { createApp } from './http/app.ts'
import { authPages } from './http/auth-pages.ts'
import { DashboardFiles } from './http/dashboard-files.ts'
import { healthz, readyz } from './http/health.ts'
import { Hosts } from './http/hosts.ts'
import { metrics } from './http/metrics.ts'
import { openapi } from './http/openapi.ts'
import { toProblem } from './http/problem-response.ts'
import { QueryGate } from './http/query-gate.ts'
import { createHttpServer, listen } from './http/server.ts'
import { TlsFiles } from './http/tls-files.ts'
import { dissectionThreads } from './jobs/dissection-threads.ts'
import { Dissections } from './jobs/dissections.ts'
import { type RetentionPolicy, SnapshotRetention } from './jobs/snapshot-retention.ts'
import { Snapshots } from './jobs/snapshots.ts'
import { Feeds } from './live/feeds.ts'
import { StreamServer } from './live/stream-server.ts'
import type { Log } from './log.ts'
import { McpEndpoint } from './mcp/mcp-endpoint.ts'
import { resourcesOf } from './mcp/resources.ts'
import type { Parts } from './operations/parts.ts'
import { mayAsk } from './query/redacted-source.ts'
import { Recordings } from './recordings/recordings.ts'
import { ChangeLog } from './switch/change-log.ts'
import { Switchboard } from './switch/switchboard.ts'

export interface HubOptions {
  readonly config: Config
  readonly sources: BootSources
  readonly dataFolder: string
  readonly workerCredential: string
  /** A worker was started together with this hub. */
  readonly expectsWorker: boolean
  readonly dashboardFolder: string
  /** The bundle of the thread that dissects. */
  readonly dissectionThread: URL
  /** The bundle of the thread that runs the script of a network agent. */
  readonly scriptThread: URL
  readonly log: Log
}

export interface Hub {
  readonly parts: Parts
  /** The app without its sockets. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** All that the router knows, in its own notation. */
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number>
  /** Reads the configuration again, now. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** How often snapshots are looked through for those whose time is over, and imports for those that nobody ends. */
const RETIRE_EVERY_MS = 60_000

/** Wall-clock milliseconds that never jump. */
const steady = () => performance.timeOrigin + performance.now()

/** Puts the rooms of the hub together. Throws where the configuration or the storage do not allow a start. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, log, dataFolder } = options
  const access = await Access.open({ auth: config.tap.auth, dataFolder, log, now: Date.now })
  const redactions = new Redactions(config.tap)
  const audit = new AuditLog(dataFolder, log)
  const folder = join(dataFolder, 'snapshots')
  await mkdir(folder, { recursive: true })
  const store = await SnapshotStore.open(folder, { maxBytes: snapshotRoom(config) })
  const catalog = createCatalog(protocols)
  const workers = new Workers()
  const liveLosses = await LiveLosses.open(workers, {
    file: join(dataFolder, 'live-losses.json'),
    log,
    now: Date.now,
  })
  const directory = new Directory()
  await directory.load(config.tap.inventory)
  tellNames(workers, directory, log)
  const { dissection } = config.tap.capture
  const changeLog = await ChangeLog.open(dataFolder, log)
  const switchboard = new Switchboard(dissection, workers, log, steady, changeLog)
  const feeds = new Feeds(workers, log)
  const clusterEvents = await ClusterEvents.open({
    folder: join(dataFolder, 'cluster-events'),
    maxBytes: parseSize(String(config.tap.capture.events.storageSize)) ?? 0,
    directory,
    workers,
    log,
    now: Date.now,
  })
  const snapshots = new Snapshots({ store, workers, directory, clusterEvents, log, now: Date.now })
  snapshots.importFolder = config.tap.snapshots.importFolder
  const dissections = await Dissections.open({
    snapshots,
    catalog,
    log,
    now: Date.now,
    thread: options.dissectionThread,
    parallel: config.tap.delayedDissection.parallel,
    threads: dissectionThreads(config.tap.delayedDissection.threads),
    maxTime: durationMs(config.tap.delayedDissection.maxTime),
    bodyBytes: parseSize(String(dissection.bodyBytes)) ?? 65_536,
    redaction: config.tap.redaction,
  })
  const retention = new SnapshotRetention(
    { snapshots, dissections, log, now: Date.now },
    retentionPolicy(config),
  )
  const retiring = setInterval(() => {
    void retention.sweep()
    void snapshots.giveUpIdle()
  }, RETIRE_EVERY_MS)
  const streams = new StreamServer({
    workers,
    switchboard,
    feeds,
    log,
    narrow(kfl, caller) {
      if (redactions.of(caller)) mayAsk(kfl, catalog, Date.now(), refuseRedacted)
      const scope = scopeOf(caller)
      if (scope) return scope.narrow(kfl, catalog, Date.now())
      compile(kfl, catalog, Date.now())
      return kfl
    },
    show: (caller) => redactions.of(caller),
    stillHolds: (caller) => access.stillHolds(caller),
    audit(what, { name: who, role, kind }, kfl) {
      const at = new Date().toISOString()
      audit.add({ at, who, role, kind, from: '', door: 'stream', what, status: 200, input: { kfl } })
    },
    toProblem: (error) => toProblem(error, log).body(),
  })
  const recordings = await Recordings.open({
    folder: join(dataFolder, 'recordings'),
    snapshots,
    dissections,
    workers,
    feeds,
    catalog,
    log,
    now: Date.now,
    count: (running) => switchboard.count('recordings', running),
    resume: (by) => void switchboard.turn(true, by, 'recording'),
  })
  const agents = await Agents.open({
    dataFolder,
    catalog,
    feeds,
    recordings,
    log,
    now: Date.now,
    scriptThread: options.scriptThread,
    count: (active) => switchboard.count('agents', active),
  })
  recordings.on('change', () => streams.changed('recordings'))
  agents.on('change', () => streams.changed('agents'))
  snapshots.on('change', () => streams.changed('snapshots'))
  dissections.on('change', () => streams.changed('dissections'))

  const startedAt = Date.now()
  const parts: Parts = {
    access,
    redactions,
    workers,
    liveLosses,
    switchboard,
    directory,
    clusterEvents,
    catalog,
    snapshots,
    dissections,
    recordings,
    agents,
    startedAt,
    now: Date.now,
  }
  const dashboard = await DashboardFiles.load(options.dashboardFolder)
  const description = openapi()
  const hosts = new Hosts()
  hosts.configure(config.hub)
  const gate = new QueryGate(config.hub.queriesAtOnce)
  const { cert, key } = config.tap.tls
  const tls = cert === '' ? undefined : new TlsFiles(cert, key, log)
  let { publicUrl } = config.hub
  const mcp = new McpEndpoint({
    dispatch: (request) => app.fetch(request),
    resources: resourcesOf(catalog),
    now: Date.now,
  })
  switchboard.on('change', () => mcp.announce({ indexing: switchboard.indexing }))
  const app: ReturnType<typeof createApp> = createApp({
    parts,
    log,
    audit,
    gate,
    hosts,
    secure: tls !== undefined,
    pages: [
      healthz,
      readyz({
        dataFolder,
        workers,
        switchboard,
        expectsWorker: options.expectsWorker,
        detailed: () => !access.identifies,
        now: steady,
      }),
      metrics(parts, streams, { audit, gate }),
      { method: 'GET', path: '/openapi.json', guard: 'open', answer: () => Response.json(description) },
      ...authPages({
        access,
        audit,
        now: Date.now,
        publicUrl: () => publicUrl.replace(/\/$/, '') || undefined,
        secure: tls !== undefined,
      }),
    ],
    mcp,
    otherwise: (path, request) => dashboard.serve(path, request),
  })
  const links = new LinkServer(workers, options.workerCredential, access, log)
  const server = createHttpServer({ fetch: app.fetch, access, links, streams, hosts, tls, log })

  const captureFilter = new CaptureFilter(workers, config.tap.bpfOverride, log)
  const watch = new ConfigWatch(
    options.sources,
    async (fresh) => {
      await directory.load(fresh.tap.inventory)
      access.configure(fresh.tap.auth)
      captureFilter.configure(fresh.tap.bpfOverride)
      redactions.configure(fresh.tap)
      hosts.configure(fresh.hub)
      gate.most = fresh.hub.queriesAtOnce
      publicUrl = fresh.hub.publicUrl
      switchboard.configure(fresh.tap.capture.dissection)
      dissections.parallel = fresh.tap.delayedDissection.parallel
      store.room.maxBytes = snapshotRoom(fresh)
      snapshots.importFolder = fresh.tap.snapshots.importFolder
      retention.policy = retentionPolicy(fresh)
      log.level = fresh.logLevel
      watch.watch([fresh.tap.inventory])
    },
    log,
  )
  watch.watch([config.tap.inventory])

  return {
    parts,
    fetch: app.fetch,
    routes: app.routes,
    listen(host, port) {
      hosts.bind(host)
      return listen(server, host, port)
    },
    reload: () => watch.reload(),
    async close() {
      watch.close()
      tls?.close()
      server.close()
      streams.close()
      mcp.close()
      clearInterval(retiring)
      await agents.close()
      await recordings.close()
      await snapshots.close()
      await dissections.close()
      switchboard.close()
      links.close()
      server.closeAllConnections()
      await access.close()
      await audit.flush()
      await clusterEvents.close()
      await liveLosses.close()
      await changeLog.flush()
    },
  }
}

/** Workers name addresses themselves: each is told what is known when it comes and whenever that changes. */
function tellNames(workers: Workers, directory: Directory, log: Log): void {
  const tell = (worker: (typeof workers.connected)[number]) =>
    worker.ask('inventory', { inventory: directory.inventory }).catch((error: Error) => {
      if (!worker.gone)
        log.warn({ node: worker.node, detail: error.message }, 'a worker did not take the names')
    })
  workers.on('join', tell)
  directory.on('change', () => {
    for (const worker of workers.connected) void tell(worker)
  })
}

function refuseRedacted(path: string): void {
  throw new Problem(403, 'redacted_field', `calls are shown redacted to this role: it may not ask by ${path}`)
}

function retentionPolicy(config: Config): RetentionPolicy {
  const { maxAge, maxSize } = config.tap.snapshots.local.retention
  return {
    maxAgeMs: durationMs(maxAge) || undefined,
    maxBytes: parseSize(String(maxSize)) || undefined,
  }
}

function snapshotRoom(config: Config): number {
  return parseSize(String(config.tap.snapshots.local.storageSize)) ?? 0
}
