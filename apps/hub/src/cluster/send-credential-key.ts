import type { Log } from '../log.ts'
import type { Workers } from './workers.ts'

/** Gives each worker that joins the key of the hashes of credentials, before it is asked to index. */
export function sendCredentialKey(workers: Workers, key: string, log: Log): void {
  workers.on('join', (worker) => {
    worker.ask('credential_key', { key }).catch((error: Error) => {
      if (!worker.gone)
        log.warn(
          { node: worker.node, detail: error.message },
          'a worker did not take the key for hashes of credentials; its calls have credentials without a hash',
        )
    })
  })
}
