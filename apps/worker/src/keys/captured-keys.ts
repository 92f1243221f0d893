import { type KeySource, KeyStore, parseKeyLogLine } from '@tapdeck/tls'
import type { StoredSecret } from './sealed-key-log.ts'

/** The secrets that a thread has, to open connections with. */
export class CapturedKeys {
  readonly #store = new KeyStore()

  add(secrets: readonly StoredSecret[]): void {
    for (const { line, source } of secrets) {
      const entry = parseKeyLogLine(line)
      if (entry !== undefined) this.#store.add(entry, source)
    }
  }

  /** For packets that were recorded: what is not there does not arrive later. */
  get recorded(): KeySource {
    return this.#store
  }

  /** For packets that were just captured: their secrets may be on the way. */
  get live(): KeySource {
    const store = this.#store
    return {
      secretsOf: (clientRandom) => store.secretsOf(clientRandom),
      originOf: (clientRandom) => store.originOf(clientRandom),
      isLate: true,
    }
  }
}
