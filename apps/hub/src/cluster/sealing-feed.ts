import type { Log } from '../log.ts'
import type { SealingKeyring } from './sealing-keyring.ts'
import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

const ROTATE_EVERY_MS = 3_600_000

/** Gives the keys that seal TLS secrets to each worker when it joins, and again after a rotation. */
export class SealingFeed {
  readonly #keyring: SealingKeyring
  readonly #log: Log
  readonly #timer: NodeJS.Timeout

  constructor(workers: Workers, keyring: SealingKeyring, log: Log) {
    this.#keyring = keyring
    this.#log = log
    workers.on('join', (worker) => void this.#send(worker))
    this.#timer = setInterval(() => {
      keyring
        .rotate()
        .then((isRotated) => {
          if (isRotated) for (const worker of workers.connected) void this.#send(worker)
        })
        .catch((error: Error) => log.error({ err: error }, 'cannot rotate the keys for TLS secrets'))
    }, ROTATE_EVERY_MS).unref()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  async #send(worker: Worker): Promise<void> {
    try {
      await worker.ask('tls_keys', { keys: [...this.#keyring.keys] })
    } catch (error) {
      if (!worker.gone)
        this.#log.warn(
          { node: worker.node, detail: String(error) },
          'a worker did not take the keys for TLS secrets; it stores none',
        )
    }
  }
}
