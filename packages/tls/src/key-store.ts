import { formatKeyLogEntry, type KeyLabel, type KeyLogEntry, parseKeyLog } from './key-log.ts'

/** The secrets of one connection, by label. */
export type ConnectionSecrets = Readonly<Partial<Record<KeyLabel, Uint8Array>>>

/** Where the decryption of a connection looks for its secrets. */
export interface KeySource {
  /** `clientRandom`: 32 bytes as lower-case hex. */
  secretsOf(clientRandom: string): ConnectionSecrets | undefined
  /** Where the secrets of a connection came from, such as `keylog`. */
  originOf?(clientRandom: string): string | undefined
  /** Secrets may arrive after the packets that need them. */
  readonly isLate?: boolean
}

const DEFAULT_MAX_CONNECTIONS = 200_000

/** Secrets by connection. Bounded: the connection that was added first is removed first. */
export class KeyStore implements KeySource {
  readonly #connections = new Map<string, Partial<Record<KeyLabel, Uint8Array>>>()
  readonly #origins = new Map<string, string>()
  readonly #maxConnections: number
  /** Lines that could not be read, and connections removed for the bound. */
  skippedLines = 0
  evicted = 0

  constructor(maxConnections = DEFAULT_MAX_CONNECTIONS) {
    this.#maxConnections = maxConnections
  }

  get size(): number {
    return this.#connections.size
  }

  /** `origin`: where the secret came from. */
  add({ label, clientRandom, secret }: KeyLogEntry, origin?: string): void {
    if (origin !== undefined) this.#origins.set(clientRandom, origin)
    const known = this.#connections.get(clientRandom)
    if (known !== undefined) {
      known[label] = secret
      return
    }
    this.#connections.set(clientRandom, { [label]: secret })
    if (this.#connections.size <= this.#maxConnections) return
    const [oldest] = this.#connections.keys()
    if (oldest !== undefined) this.delete(oldest)
    this.evicted++
  }

  delete(clientRandom: string): void {
    this.#connections.delete(clientRandom)
    this.#origins.delete(clientRandom)
  }

  /** Adds a key log in NSS format. Returns how many secrets it had. */
  addKeyLog(text: string, origin?: string): number {
    const { entries, skipped } = parseKeyLog(text)
    for (const entry of entries) this.add(entry, origin)
    this.skippedLines += skipped
    return entries.length
  }

  secretsOf(clientRandom: string): ConnectionSecrets | undefined {
    return this.#connections.get(clientRandom)
  }

  originOf(clientRandom: string): string | undefined {
    return this.#origins.get(clientRandom)
  }

  /** The secrets of these connections, or of all, in NSS format. */
  toKeyLog(clientRandoms: Iterable<string> = this.#connections.keys()): string {
    let text = ''
    for (const clientRandom of clientRandoms)
      for (const [label, secret] of Object.entries(this.#connections.get(clientRandom) ?? {}))
        text += `${formatKeyLogEntry({ label: label as KeyLabel, clientRandom, secret })}\n`
    return text
  }
}
