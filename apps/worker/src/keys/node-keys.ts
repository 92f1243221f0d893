import type { WorkerReport } from '@tapdeck/api'
import { type KeyLogEntry, parseKeyLogLine, type SealingKey, sealRecord } from '@tapdeck/tls'
import type { Log } from '../log.ts'
import { HitRate } from './hit-rate.ts'
import type { CapturedSecret, KeySource, KeySourceStatus } from './key-source.ts'
import { SealedKeyLog, type SealingKeys, type StoredSecret } from './sealed-key-log.ts'

export interface NodeKeysOptions {
  readonly sources: readonly KeySource[]
  readonly folder: string
  readonly maxBytes: number
  readonly log: Log
  /** New secrets, for the threads that dissect. */
  deliver(secrets: readonly StoredSecret[]): void
  /** All secrets that could be read at this time were delivered. Unix milliseconds. */
  caughtUp(readUntil: number): void
  now?(): number
}

/** Secrets in memory. The oldest are dropped first; they stay on disk. */
const MAX_SECRETS = 200_000
/** A secret may be read somewhat before or after the packets that it opens. */
const LATE_MS = 60_000
/** Secrets of one handshake arrive together. */
const DELIVER_MS = 10
/** How often it is reported how far the sources are read. */
const CAUGHT_UP_MS = 100
const SECRETS_A_RECORD = 5000
/** The hub refuses longer reasons. */
const MAX_REASON = 2000

type Counter = Exclude<keyof KeySourceStatus, 'reason'>

/** The TLS secrets of this node: from their sources to the sealed log, to the threads that dissect, and into snapshots. */
export class NodeKeys {
  readonly #options: NodeKeysOptions
  readonly #log: SealedKeyLog
  /** By label and client random, in the order of arrival. */
  readonly #secrets = new Map<string, StoredSecret>()
  #undelivered: StoredSecret[] = []
  #timer: NodeJS.Timeout | undefined
  #caughtUpTimer: NodeJS.Timeout | undefined
  #seal: SealingKey | undefined
  readonly #rate = new HitRate()

  constructor(options: NodeKeysOptions) {
    this.#options = options
    const { folder, maxBytes, log } = options
    this.#log = new SealedKeyLog({
      folder,
      maxBytes,
      now: options.now ?? Date.now,
      loaded: (secrets) => {
        for (const secret of secrets) this.#hold(secret)
      },
      failed: (reason) => log.error(`TLS secrets cannot be written: ${reason}`),
    })
  }

  start(): void {
    for (const source of this.#options.sources) source.start((secret) => this.add(secret))
    this.#caughtUpTimer = setInterval(() => this.#caughtUp(), CAUGHT_UP_MS).unref()
  }

  /** What is reported about the keys of this node: counts and reasons, no key. */
  get report(): NonNullable<WorkerReport['tls_keys']> {
    const all = this.#options.sources.map((source) => source.status())
    const sum = (name: Counter) => all.reduce((total, status) => total + status[name], 0)
    const { written, bytes, waiting, refused, locked, damaged, evicted } = this.#log.status
    const hits = sum('hits')
    const reasons = all.flatMap(({ reason = [] }) => reason)
    return {
      ...(reasons.length > 0 && { reason: reasons.join(' ').slice(0, MAX_REASON) }),
      secrets: sum('secrets'),
      bad_lines: sum('badLines'),
      files: sum('files'),
      probes: sum('probes'),
      hits,
      hits_per_second: this.#rate.update(hits, (this.#options.now ?? Date.now)()),
      missed: sum('missed'),
      learning_failures: sum('learningFailures'),
      over_budget: sum('overBudget'),
      log: { bytes, held: this.#secrets.size, written, waiting, refused, locked, damaged, evicted },
    }
  }

  /** All secrets in memory, for a thread that starts. */
  get all(): readonly StoredSecret[] {
    return [...this.#secrets.values()]
  }

  setKeys(keys: SealingKeys): void {
    this.#seal = keys.seal
    this.#log.setKeys(keys)
  }

  add(secret: CapturedSecret): void {
    if (this.#hold(secret)) this.#log.add(secret)
  }

  /** The secrets of a window that were taken after a time, as sealed records. None without a key of the hub. */
  *window(
    start: number,
    end: number,
    after = 0,
  ): Generator<{ readonly count: number; readonly bytes: Buffer }> {
    const seal = this.#seal
    if (seal === undefined) return
    const from = Math.max(start - LATE_MS, after)
    const wanted = this.all.filter(({ at }) => at >= from && at <= end + LATE_MS)
    for (let at = 0; at < wanted.length; at += SECRETS_A_RECORD) {
      const part = wanted.slice(at, at + SECRETS_A_RECORD)
      yield { count: part.length, bytes: sealRecord(seal, Buffer.from(JSON.stringify(part))) }
    }
  }

  /** The packets before this time are gone, and their secrets go, too. Unix milliseconds. */
  forgetBefore(oldest: number): void {
    this.#log.forgetBefore(oldest)
    for (const [key, { at }] of this.#secrets) {
      if (at >= oldest - LATE_MS) return
      this.#secrets.delete(key)
    }
  }

  async stop(): Promise<void> {
    for (const source of this.#options.sources) source.stop()
    clearTimeout(this.#timer)
    clearInterval(this.#caughtUpTimer)
    await this.#log.close()
  }

  /** False if it is known already, or is no secret. */
  #hold({ line, at, source }: StoredSecret): boolean {
    const entry = parseKeyLogLine(line)
    if (entry === undefined) return false
    const key = keyOf(entry)
    if (this.#secrets.has(key)) return false
    const secret = { line, at, source }
    this.#secrets.set(key, secret)
    if (this.#secrets.size > MAX_SECRETS) {
      const [oldest] = this.#secrets.keys()
      if (oldest !== undefined) this.#secrets.delete(oldest)
    }
    this.#undelivered.push(secret)
    this.#timer ??= setTimeout(() => this.#deliver(), DELIVER_MS).unref()
    return true
  }

  #deliver(): void {
    clearTimeout(this.#timer)
    this.#timer = undefined
    const batch = this.#undelivered
    if (batch.length === 0) return
    this.#undelivered = []
    this.#options.deliver(batch)
  }

  #caughtUp(): void {
    const readUntil = Math.min(...this.#options.sources.map((source) => source.readUntil))
    this.#deliver()
    this.#options.caughtUp(readUntil)
  }
}

function keyOf({ label, clientRandom }: KeyLogEntry): string {
  return `${label} ${clientRandom}`
}
