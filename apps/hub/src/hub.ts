import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { type BootSources, type Config, parseSize } from '@tapdeck/config'
import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { SnapshotStore } from '@tapdeck/recording'
import { Access, demand } from './access/access.ts'
import { LinkServer } from './cluster/link-server.ts'
import { Workers } from './cluster/workers.ts'
import { ConfigWatch } from './config-watch.ts'
import { Directory } from './directory.ts'
import { createApp } from './http/app.ts'
import { DashboardFiles } from './http/dashboard-files.ts'
import { discovery } from './http/discovery.ts'
import { healthz, readyz } from './http/health.ts'
import { metrics } from './http/metrics.ts'
import { openapi } from './http/openapi.ts'
import { toProblem } from './http/problem-response.ts'
import { createHttpServer, listen } from './http/server.ts'
import { Dissections } from './jobs/dissections.ts'
import { Snapshots } from './jobs/snapshots.ts'
import { StreamServer } from './live/stream-server.ts'
import type { Log } from './log.ts'
import type { Parts } from './operations/parts.ts'
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
  readonly log: Log
}

export interface Hub {
  readonly parts: Parts
  /** The app without its sockets. */
  readonly fetch: (request: Request) => Response | Promise<Response>
  /** Resolves with the port. */
  listen(host: string, port: number): Promise<number>
  /** Reads the configuration again, now. */
  reload(): Promise<void>
  close(): Promise<void>
}

/** Wall-clock milliseconds that never jump. */
const steady = () => performance.timeOrigin + performance.now()

/** Puts the rooms of the hub together. Throws where the configuration or the storage do not allow a start. */
export async function createHub(options: HubOptions): Promise<Hub> {
  const { config, log, dataFolder } = options
  const access = new Access(config.tap.auth)
  const folder = join(dataFolder, 'snapshots')
  await mkdir(folder, { recursive: true })
  const store = await SnapshotStore.open(folder, { maxBytes: snapshotRoom(config) })
  const catalog = createCatalog(protocols)
  const workers = new Workers()
  const directory = new Directory()
  await directory.load(config.tap.inventory)
  tellNames(workers, directory, log)
  const { dissection } = config.tap.capture
  const switchboard = new Switchboard(dissection, workers, log, steady)
  const snapshots = new Snapshots({ store, workers, directory, log, now: Date.now })
  const dissections = await Dissections.open({
    snapshots,
    catalog,
    log,
    now: Date.now,
    thread: options.dissectionThread,
    parallel: config.tap.delayedDissection.parallel,
    bodyBytes: parseSize(String(dissection.bodyBytes)) ?? 65_536,
  })
  const streams = new StreamServer({
    workers,
    switchboard,
    log,
    checkFilter: (kfl) => void compile(kfl, catalog, Date.now()),
    toProblem: (error) => toProblem(error, log).body(),
  })
  snapshots.on('change', () => streams.changed('snapshots'))
  dissections.on('change', () => streams.changed('dissections'))

  const startedAt = Date.now()
  const parts: Parts = {
    access,
    workers,
    switchboard,
    directory,
    catalog,
    snapshots,
    dissections,
    startedAt,
    now: Date.now,
  }
  const dashboard = await DashboardFiles.load(options.dashboardFolder)
  const description = openapi()
  const surface = discovery()
  const app = createApp({
    parts,
    log,
    pages: {
      '/healthz': healthz,
      '/readyz': readyz({
        dataFolder,
        workers,
        switchboard,
        expectsWorker: options.expectsWorker,
        now: steady,
      }),
      '/metrics': metrics(parts, streams),
      '/openapi.json': () => Response.json(description),
      '/mcp': ({ headers }) => {
        demand(access.resolve(headers), ['mcp:use'])
        return Response.json(surface)
      },
    },
    otherwise: (path, request) => dashboard.serve(path, request),
  })
  const links = new LinkServer(workers, options.workerCredential, log)
  const server = createHttpServer({ fetch: app.fetch, access, links, streams, log })

  const watch = new ConfigWatch(
    options.sources,
    async (fresh) => {
      await directory.load(fresh.tap.inventory)
      access.configure(fresh.tap.auth)
      switchboard.configure(fresh.tap.capture.dissection)
      dissections.parallel = fresh.tap.delayedDissection.parallel
      store.room.maxBytes = snapshotRoom(fresh)
      log.level = fresh.logLevel
      watch.watch([fresh.tap.inventory])
    },
    log,
  )
  watch.watch([config.tap.inventory])

  return {
    parts,
    fetch: app.fetch,
    listen: (host, port) => listen(server, host, port),
    reload: () => watch.reload(),
    async close() {
      watch.close()
      server.close()
      streams.close()
      await snapshots.close()
      await dissections.close()
      switchboard.close()
      links.close()
      server.closeAllConnections()
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

function snapshotRoom(config: Config): number {
  return parseSize(String(config.tap.snapshots.local.storageSize)) ?? 0
}
