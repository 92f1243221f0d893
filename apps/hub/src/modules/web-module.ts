import type { AuditLog } from '../access/audit-log.ts'
import type { LinkServer } from '../cluster/link-server.ts'
import { createApp } from '../http/app.ts'
import { authPages } from '../http/auth-pages.ts'
import { DashboardFiles } from '../http/dashboard-files.ts'
import { healthz, readyz } from '../http/health.ts'
import { Hosts } from '../http/hosts.ts'
import { metrics } from '../http/metrics.ts'
import { openapi } from '../http/openapi.ts'
import { QueryGate } from '../http/query-gate.ts'
import { createHttpServer, listen } from '../http/server.ts'
import { TlsFiles } from '../http/tls-files.ts'
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
  readonly steadyNow: () => number
}

export async function openWeb(
  { config, dataFolder, log, dashboardFolder, expectsWorker }: HubOptions,
  { services, audit, streams, links, unsaved, steadyNow }: WebServices,
): Promise<WebModule> {
  const { access, workers, switchboard, catalog } = services
  const dashboard = await DashboardFiles.load(dashboardFolder)
  const description = openapi()
  const hosts = new Hosts()
  hosts.configure(config.hub)
  const gate = new QueryGate(config.hub.queriesAtOnce)
  const { cert, key } = config.tap.tls
  const tls = cert === '' ? undefined : new TlsFiles(cert, key, log)
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
  const server = createHttpServer({ fetch: app.fetch, access, audit, links, streams, hosts, tls, log })
  return {
    gate,
    mcp,
    hosts,
    get publicUrl() {
      return publicUrl
    },
    fetch: app.fetch,
    routes: app.routes,
    listen(host, port) {
      hosts.bind(host)
      return listen(server, host, port)
    },
    keys: ['hub.allowedHosts', 'hub.publicUrl', 'hub.queriesAtOnce', 'hub.mcpMaxChars'],
    configure({ hub }) {
      hosts.configure({ ...hub, host: config.hub.host })
      gate.most = hub.queriesAtOnce
      mcp.maxChars = hub.mcpMaxChars
      publicUrl = withoutSlash(hub.publicUrl)
    },
    stop() {
      tls?.close()
      server.close()
      mcp.close()
    },
    close() {
      server.closeAllConnections()
    },
  }
}

function withoutSlash(url: string): string | undefined {
  return url.replace(/\/$/, '') || undefined
}
