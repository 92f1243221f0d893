import { formatKeyLogEntry, type KeyLabel, type KeyLogEntry, parseKeyLog } from './key-log.ts'

/** The secrets of one connection, by label. */
export type ConnectionSecrets = Readonly<Partial<Record<KeyLabel, Uint8Array>>>

/** Where the decryption of a connection looks for its secrets. */
export interface KeySource {
  /** `clientRandom`: 32 bytes as lower-case hex. */
  secretsOf(clientRandom: string): ConnectionSecrets | undefined
}

const DEFAULT_MAX_CONNECTIONS = 200_000

/** Secrets by connection. Bounded: the connection that was added first is removed first. */
export class KeyStore implements KeySource {
  readonly #connections = new Map<string, Partial<Record<KeyLabel, Uint8Array>>>()
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

  add({ label, clientRandom, secret }: KeyLogEntry): void {
    const known = this.#connections.get(clientRandom)
    if (known !== undefined) {
      known[label] = secret
      return
    }
    this.#connections.set(clientRandom, { [label]: secret })
    if (this.#connections.size <= this.#maxConnections) return
    const [oldest] = this.#connections.keys()
    if (oldest !== undefined) this.#connections.delete(oldest)
    this.evicted++
  }

  /** Adds a key log in NSS format. Returns how many secrets it had. */
  addKeyLog(text: string): number {
    const { entries, skipped } = parseKeyLog(text)
    for (const entry of entries) this.add(entry)
    this.skippedLines += skipped
    return entries.length
  }

  secretsOf(clientRandom: string): ConnectionSecrets | undefined {
    return this.#connections.get(clientRandom)
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
