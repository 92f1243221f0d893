import type { IncomingMessage } from 'node:http'
import type { Duplex } from 'node:stream'
import { linkPath, Problem, streamPath } from '@tapdeck/api'
import { type Access, requireCapability } from '../access/access.ts'
import type { AuditLog } from '../access/audit-log.ts'
import { noteRefused } from '../access/note-refused.ts'
import { requireSameSite } from '../access/same-origin.ts'
import type { LinkServer } from '../cluster/link-server.ts'
import type { StreamServer } from '../live/stream-server.ts'
import type { Hosts } from './hosts.ts'
import { isLoopback } from './plain-http.ts'
import { requireSameOrigin } from './serve-operation.ts'

/** Takes an upgrade over, or throws a problem. */
export type Upgrade = (request: IncomingMessage, socket: Duplex, head: Buffer) => Promise<void>

export interface UpgradeOptions {
  readonly access: Access
  readonly audit: AuditLog
  readonly links: LinkServer
  readonly streams: StreamServer
  readonly hosts: Hosts
  /** Workers of other machines use the port for workers. */
  readonly hasLinkPort: boolean
}

/** The WebSockets of the hub's port: streams of the dashboard, and workers. */
export function mainUpgrades(options: UpgradeOptions): Upgrade {
  const { access, audit, links, streams, hosts, hasLinkPort } = options
  return async (request, socket, head) => {
    hosts.check(request.headers.host)
    const pathname = pathOf(request.url ?? '/')
    const from = request.socket.remoteAddress ?? ''
    const refused = noting(audit, from)
    if (pathname === linkPath && hasLinkPort && !isLoopback(from))
      throw new Problem(403, 'link_port', 'Workers of other machines use the port hub.link.port, with TLS')
    if (pathname === linkPath) return links.upgrade(request, socket, head).catch(refused('worker_link'))
    if (pathname !== streamPath) throw noEndpoint(pathname)
    const headers = headersOf(request)
    requireSameSite(headers)
    const caller = await access.resolve(headers, from).catch(refused('open_stream'))
    try {
      requireSameOrigin(caller, headers)
      requireCapability(caller, ['dissection:live'])
    } catch (error) {
      const { name: who, role, kind } = caller
      const at = new Date().toISOString()
      audit.add({ at, who, role, kind, from, door: 'stream', what: 'open_stream', status: 403 })
      throw error
    }
    streams.upgrade(request, socket, head, caller)
  }
}

/** The WebSocket of the port for workers: nothing else is there. */
export function workerUpgrades({ audit, links }: Pick<UpgradeOptions, 'audit' | 'links'>): Upgrade {
  return async (request, socket, head) => {
    const pathname = pathOf(request.url ?? '/')
    if (pathname !== linkPath) throw noEndpoint(pathname)
    const refused = noting(audit, request.socket.remoteAddress ?? '')
    await links.upgrade(request, socket, head).catch(refused('worker_link'))
  }
}

function noting(audit: AuditLog, from: string) {
  return (what: string) => (error: unknown) => {
    const at = new Date().toISOString()
    throw noteRefused(audit, { at, from, door: 'stream', what }, error)
  }
}

function noEndpoint(pathname: string): Problem {
  return new Problem(404, 'unknown_route', `No WebSocket endpoint at ${pathname.slice(0, 200)}`)
}

/** Throws 400 for what is no address, such as `//`. */
function pathOf(url: string): string {
  if (!URL.canParse(url, 'http://hub'))
    throw new Problem(400, 'broken_request', `Malformed request target ${JSON.stringify(url.slice(0, 200))}`)
  return new URL(url, 'http://hub').pathname
}

function headersOf(request: IncomingMessage): Headers {
  const headers = new Headers()
  for (const [name, values] of Object.entries(request.headersDistinct))
    for (const value of values ?? []) headers.append(name, value)
  return headers
}
