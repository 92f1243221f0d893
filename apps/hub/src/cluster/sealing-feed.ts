import type { Log } from '../log.ts'
import type { KeyringSource } from './sealing-keyring.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

const ROTATE_EVERY_MS = 3_600_000
const RETRY_MS = 10_000

/**
 * Gives the keys that seal TLS secrets to each worker that reports that it collects them, and again after a rotation. The report
 * decides, not the configuration of the hub: an upgrade that turns key capture on restarts the workers and not the hub.
 */
export class SealingFeed {
  readonly #keyring: KeyringSource
  readonly #log: Log
  readonly #timer: NodeJS.Timeout
  /** Workers that got the keys, get them now, or are tried again later. */
  readonly #served = new WeakSet<Worker>()

  constructor(workers: Workers, keyring: KeyringSource, log: Log) {
    this.#keyring = keyring
    this.#log = log
    workers.on('join', (worker) => this.#serve(worker))
    workers.on('report', (worker) => this.#serve(worker))
    this.#timer = setInterval(() => void this.#rotate(workers), ROTATE_EVERY_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #serve(worker: Worker): void {
    if (!collectsKeys(worker) || this.#served.has(worker)) return
    this.#served.add(worker)
    void this.#send(worker)
  }

  async #rotate(workers: Workers): Promise<void> {
    const collecting = workers.connected.filter(collectsKeys)
    if (collecting.length === 0) return
    try {
      const keyring = await this.#keyring()
      if (await keyring.rotate()) for (const worker of collecting) void this.#send(worker)
    } catch (error) {
      this.#log.error({ err: error }, 'cannot rotate the keys for TLS secrets')
    }
  }

  async #send(worker: Worker): Promise<void> {
    try {
      const { keys } = await this.#keyring()
      await worker.ask('tls_keys', { keys: [...keys] })
    } catch (error) {
      if (worker.gone) return
      setTimeout(() => this.#served.delete(worker), RETRY_MS).unref()
      this.#log.warn(
        { node: worker.node, detail: String(error) },
        'a worker did not take the keys for TLS secrets; it stores none until it has them',
      )
    }
  }
}

/** Whether a worker collects TLS secrets. */
export function collectsKeys({ report }: Worker): boolean {
  return report.tls_keys !== undefined
}
