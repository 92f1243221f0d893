import type { AuditLog } from '../access/audit-log.ts'
import type { LinkServer } from '../cluster/link-server.ts'
import { createApp } from '../http/app.ts'
import { authPages } from '../http/auth-pages.ts'
import { DashboardFiles } from '../http/dashboard-files.ts'
import { healthz, readyz } from '../http/health.ts'
import { Hosts } from '../http/hosts.ts'
import { metrics } from '../http/metrics.ts'
import { openapi } from '../http/openapi.ts'
import { PlainHttp } from '../http/plain-http.ts'
import { QueryGate } from '../http/query-gate.ts'
import { createHttpServer, listen } from '../http/server.ts'
import { TlsFiles } from '../http/tls-files.ts'
import type { TlsSource } from '../http/tls-source.ts'
import { mainUpgrades } from '../http/upgrades.ts'
import { WorkerPort } from '../http/worker-port.ts'
import type { HubOptions } from '../hub-options.ts'
import type { StreamServer } from '../live/stream-server.ts'
import { McpEndpoint } from '../mcp/mcp-endpoint.ts'
import { resourcesOf } from '../mcp/resources.ts'
import type { HubServices } from '../operations/hub-services.ts'
import type { Unsaved } from '../state/unsaved.ts'
import type { HubModule } from './hub-module.ts'

/** The port of the hub: operations over HTTP and MCP, the pages, and the upgrades to WebSockets. */
export interface WebModule extends HubModule {
  readonly gate: QueryGate
  readonly mcp: McpEndpoint
  readonly hosts: Hosts
  readonly plain: PlainHttp
  readonly publicUrl: string | undefined
  readonly fetch: (request: Request) => Response | Promise<Response>
  readonly routes: readonly { readonly method: string; readonly path: string }[]
  listen(host: string, port: number): Promise<number>
  /** Accepts no more connections. Requests that run may end. */
  stop(): void
}

export interface WebServices {
  readonly services: HubServices
  readonly audit: AuditLog
  readonly streams: StreamServer
  readonly links: LinkServer
  readonly unsaved: Unsaved
  /** Of the port for workers; absent: there is none, or its certificate is given. */
  readonly linkCertificates: TlsSource | undefined
  readonly steadyNow: () => number
}

export async function openWeb(
  { config, dataFolder, log, dashboardFolder, expectsWorker }: HubOptions,
  { services, audit, streams, links, linkCertificates, unsaved, steadyNow }: WebServices,
): Promise<WebModule> {
  const { access, workers, coverage, kubernetes, switchboard, catalog } = services
  const dashboard = await DashboardFiles.load(dashboardFolder)
  const description = openapi()
  const hosts = new Hosts()
  hosts.configure(config.hub)
  const gate = new QueryGate(config.hub.queriesAtOnce)
  const tls = config.tap.tls.cert === '' ? undefined : new TlsFiles(config.tap.tls, 'tap.tls', log)
  const plain = new PlainHttp(() => access.identifies)
  plain.configure(config.hub)
  const secure = tls !== undefined
  let publicUrl = withoutSlash(config.hub.publicUrl)
  const mcp = new McpEndpoint({
    dispatch: (request, from, onProgress) =>
      app.fetch(request, { incoming: { socket: { remoteAddress: from } }, onProgress }),
    resources: resourcesOf(catalog),
    now: Date.now,
    maxChars: config.hub.mcpMaxChars,
  })
  switchboard.on('change', () => mcp.announce({ indexing: switchboard.indexing }))
  const app: ReturnType<typeof createApp> = createApp({
    services,
    log,
    audit,
    gate,
    hosts,
    secure,
    pages: [
      healthz,
      readyz({
        dataFolder,
        workers,
        coverage,
        knowsNodes: () => kubernetes?.knowsNodes ?? true,
        switchboard,
        unsaved,
        expectsWorker,
        detailed: () => !access.identifies,
        now: steadyNow,
      }),
      metrics(services, streams, { audit, gate }),
      { method: 'GET', path: '/openapi.json', guard: 'open', answer: () => Response.json(description) },
      ...authPages({ access, audit, now: Date.now, publicUrl: () => publicUrl, secure }),
    ],
    mcp,
    otherwise: (path, request) => dashboard.serve(path, request),
  })
  const workerPort = WorkerPort.open(config.hub.link, linkCertificates, { audit, links, plain, log })
  const hasLinkPort = workerPort !== undefined
  const upgrade = mainUpgrades({ access, audit, links, streams, hosts, hasLinkPort })
  const server = createHttpServer({ fetch: app.fetch, upgrade, tls, plain, log })
  return {
    gate,
    mcp,
    hosts,
    plain,
    get publicUrl() {
      return publicUrl
    },
    fetch: app.fetch,
    routes: app.routes,
    async listen(host, port) {
      hosts.bind(host)
      const open = await listen(server, host, port)
      await workerPort?.listen(host)
      return open
    },
    keys: [
      ...['hub.allowedHosts', 'hub.publicUrl', 'hub.queriesAtOnce', 'hub.mcpMaxChars'],
      ...['hub.plainHttp', 'hub.trustedProxies'],
    ],
    configure({ hub }) {
      plain.configure(hub)
      hosts.configure({ ...hub, host: config.hub.host })
      gate.most = hub.queriesAtOnce
      mcp.maxChars = hub.mcpMaxChars
      publicUrl = withoutSlash(hub.publicUrl)
    },
    stop() {
      tls?.close()
      server.close()
      workerPort?.stop()
      mcp.close()
    },
    close() {
      server.closeAllConnections()
      workerPort?.close()
    },
  }
}

function withoutSlash(url: string): string | undefined {
  return url.replace(/\/$/, '') || undefined
}
