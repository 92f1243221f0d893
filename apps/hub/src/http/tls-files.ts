import { readFileSync, unwatchFile, watchFile } from 'node:fs'
import { createSecureContext } from 'node:tls'
import type { Log } from '../log.ts'
import type { TlsMaterial, TlsSource } from './tls-source.ts'

/** Polled, because a mounted Secret is a link that moves. */
const LOOK_EVERY_MS = 1000

/** The certificate chain and the key of the hub, read again when they are renewed. */
export class TlsFiles implements TlsSource {
  readonly #cert: string
  readonly #key: string
  readonly #log: Log

  readonly #keys: string

  /** `keys`: the configuration keys of the files, for messages. */
  constructor({ cert, key }: { readonly cert: string; readonly key: string }, keys: string, log: Log) {
    this.#cert = cert
    this.#key = key
    this.#keys = keys
    this.#log = log
  }

  /** Throws where they cannot be read or do not belong together. */
  read(): TlsMaterial {
    try {
      const files = { cert: readFileSync(this.#cert), key: readFileSync(this.#key) }
      createSecureContext(files)
      return files
    } catch (error) {
      throw new Error(`${this.#keys}: cannot use ${this.#cert} and ${this.#key}: ${(error as Error).message}`)
    }
  }

  /** Hands renewed files on. What is broken, or only half renewed, changes nothing. */
  watch(use: (files: TlsMaterial) => void): void {
    const renew = () => {
      try {
        use(this.read())
        this.#log.info('TLS certificate reloaded')
      } catch (error) {
        this.#log.warn(
          { detail: (error as Error).message },
          'invalid TLS certificate, keeping the previous one',
        )
      }
    }
    for (const file of [this.#cert, this.#key])
      watchFile(file, { interval: LOOK_EVERY_MS, persistent: false }, (now, before) => {
        if (now.mtimeMs !== before.mtimeMs || now.ino !== before.ino) renew()
      })
  }

  close(): void {
    for (const file of [this.#cert, this.#key]) unwatchFile(file)
  }
}
