import type { Server } from 'node:http'
import { Problem } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { problemResponse } from './problem-response.ts'
import { createHttpServer, listen, type ServerOptions } from './server.ts'
import { TlsFiles } from './tls-files.ts'
import type { TlsSource } from './tls-source.ts'
import { type UpgradeOptions, workerUpgrades } from './upgrades.ts'

type Services = Pick<UpgradeOptions, 'audit' | 'links'> & Pick<ServerOptions, 'plain' | 'log'>

/**
 * The port that takes workers only, and only with TLS. Workers are on the network of their nodes, which a network policy cannot select: so
 * this port is open to all, and neither the page nor the API is there.
 */
export class WorkerPort {
  readonly #port: number
  readonly #server: Server
  readonly #files: TlsFiles | undefined

  private constructor(port: number, server: Server, files: TlsFiles | undefined) {
    this.#port = port
    this.#server = server
    this.#files = files
  }

  /** Undefined if there is no such port. `own`: certificates of the hub's own authority. */
  static open(
    link: Config['hub']['link'],
    own: TlsSource | undefined,
    { audit, links, plain, log }: Services,
  ): WorkerPort | undefined {
    if (link.port === 0) return undefined
    const files = link.cert === '' ? undefined : new TlsFiles(link, 'hub.link', log)
    const tls = files ?? own
    if (!tls) throw new Error('hub.link.port: there is no certificate for this port')
    const upgrade = workerUpgrades({ audit, links })
    const nothing = () =>
      problemResponse(
        new Problem(404, 'unknown_route', 'This port takes workers only. The API is at hub.port.'),
      )
    return new WorkerPort(link.port, createHttpServer({ fetch: nothing, upgrade, tls, plain, log }), files)
  }

  listen(host: string): Promise<number> {
    return listen(this.#server, host, this.#port)
  }

  /** Accepts no more connections. */
  stop(): void {
    this.#files?.close()
    this.#server.close()
  }

  close(): void {
    this.#server.closeAllConnections()
  }
}
