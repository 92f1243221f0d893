import { isIP } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { Log } from '../log.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** A machine of many pods may have hundreds; each makes the workers' filter longer. */
const MOST = 64
const LOOPBACK = /^(127\.|::1$)/
const OWN_LINK = /^fe80:/i

/**
 * Where this hub is: each worker is told when it comes, so that it can tell our traffic from that of others who have the same
 * port elsewhere. Loopback is not told: on other machines it is somebody else's.
 */
export class HubPlace {
  readonly #log: Log
  readonly #addresses: typeof ownAddresses
  #host = ''
  #port = 0

  constructor(workers: Workers, log: Log, addresses = ownAddresses) {
    this.#log = log
    this.#addresses = addresses
    workers.on('join', (worker) => void this.#tell(worker))
  }

  /** The hub listens there. */
  bind(host: string, port: number): void {
    this.#host = host
    this.#port = port
  }

  async #tell(worker: Worker): Promise<void> {
    // Where it listens on one address alone, that is the one.
    const isOne = isIP(this.#host) !== 0 && !/^(0\.0\.0\.0|::)$/.test(this.#host)
    const all = isOne ? [this.#host] : this.#addresses()
    const addresses = all
      .filter((address) => !LOOPBACK.test(address) && !OWN_LINK.test(address))
      .slice(0, MOST)
    try {
      await worker.ask('hub_place', { addresses, port: this.#port })
    } catch (error) {
      if (worker.gone) return
      const detail = error instanceof Error ? error.message : String(error)
      this.#log.warn({ node: worker.node, detail }, 'a worker did not take where the hub is')
    }
  }
}

function ownAddresses(): readonly string[] {
  return Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
}
