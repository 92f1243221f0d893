import { mkdirSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { type FileHandle, open } from 'node:fs/promises'
import { join } from 'node:path'
import { openRecords, type SealingKey, sealRecord } from '@tapdeck/tls'
import type { CapturedSecret } from './key-source.ts'

/** A secret as it is stored. */
export type StoredSecret = Pick<CapturedSecret, 'line' | 'at' | 'source'>

/** The keys that the hub gave: the first seals, all of them open. */
export interface SealingKeys {
  readonly seal: SealingKey
  readonly open: ReadonlyMap<string, Uint8Array>
}

export interface SealedKeyLogOptions {
  readonly folder: string
  readonly maxBytes: number
  /** Unix milliseconds. */
  now(): number
  /** Secrets that were read from disk. */
  loaded(secrets: readonly StoredSecret[]): void
  /** Nothing can be written; called once for each new reason. */
  failed(reason: string): void
}

/** What the log holds and what it refused. Counters only grow. */
export interface KeyLogStatus {
  /** Secrets written. */
  readonly written: number
  readonly bytes: number
  /** Secrets that wait for a sealing key. */
  readonly waiting: number
  /** Secrets that were dropped, because they could not be written. */
  readonly refused: number
  /** Stored records that no key of the hub opens, and places with damage. */
  readonly locked: number
  readonly damaged: number
  /** Files that were deleted before their packets, because the log was full. */
  readonly evicted: number
}

/** A file is complete after this time or size; whole files are deleted. */
const FILE_MS = 10 * 60_000
const FILE_BYTES = 1024 * 1024
/** Secrets that wait for a sealing key or for the disk. */
const MAX_WAITING = 20_000
/** Secrets of a handshake are written together. */
const GATHER_MS = 50
/** A secret may be read somewhat later than the packets that it opens. */
const LATE_MS = 60_000
/** Secrets in one sealed record. */
const MAX_BATCH = 1000
const NAME = /^keys-(\d{1,16})\.sealed$/

/**
 * The TLS secrets of this node, next to the recording: sealed by a key that only the hub stores, bounded, and deleted with
 * the packets that they open. Without the hub's key nothing is written, and secrets wait in memory.
 */
export class SealedKeyLog {
  readonly #options: SealedKeyLogOptions
  #keys: SealingKeys | undefined
  #waiting: StoredSecret[] = []
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()
  #file: { readonly handle: FileHandle; readonly since: number; bytes: number } | undefined
  #isLoaded = false
  #failure = ''
  #counts = { written: 0, refused: 0, locked: 0, damaged: 0, evicted: 0 }

  constructor(options: SealedKeyLogOptions) {
    this.#options = options
  }

  get status(): KeyLogStatus {
    const bytes = this.#files().reduce((sum, { size }) => sum + size, 0)
    return { ...this.#counts, bytes, waiting: this.#waiting.length }
  }

  /** The hub gave its keys; at each connection, and after a rotation. */
  setKeys(keys: SealingKeys): void {
    const isRotated = this.#keys?.seal.id !== keys.seal.id
    this.#keys = keys
    if (!this.#isLoaded) this.#load()
    if (isRotated) this.#writing = this.#writing.then(() => this.#closeFile())
    if (this.#waiting.length > 0) this.#schedule()
  }

  add({ line, at, source }: CapturedSecret): void {
    if (this.#waiting.length >= MAX_WAITING) {
      this.#waiting.shift()
      this.#counts.refused++
    }
    this.#waiting.push({ line, at, source })
    if (this.#keys !== undefined) this.#schedule()
  }

  /** Deletes what only opens packets before this time (Unix milliseconds). */
  forgetBefore(oldest: number): void {
    const files = this.#files()
    // A file ends where the next one begins.
    for (const [index, { path }] of files.entries()) {
      const next = files[index + 1]
      if (next !== undefined && next.since + LATE_MS < oldest) rmSync(path, { force: true })
    }
  }

  /** Deletes everything, also what waits. */
  clear(): void {
    this.#waiting = []
    for (const { path } of this.#files()) rmSync(path, { force: true })
  }

  async close(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    while (this.#keys !== undefined && this.#waiting.length > 0) await this.#write()
    await this.#writing
    await this.#closeFile()
  }

  #schedule(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined
      void this.#write()
    }, GATHER_MS).unref()
  }

  #write(): Promise<void> {
    this.#writing = this.#writing.then(() => this.#append())
    return this.#writing
  }

  async #append(): Promise<void> {
    const keys = this.#keys
    if (keys === undefined || this.#waiting.length === 0) return
    const batch = this.#waiting.splice(0, MAX_BATCH)
    if (this.#waiting.length > 0) this.#schedule()
    const sealed = sealRecord(keys.seal, Buffer.from(JSON.stringify(batch)))
    try {
      const file = await this.#openFile()
      await file.handle.appendFile(sealed)
      file.bytes += sealed.length
      this.#counts.written += batch.length
      this.#failure = ''
      this.#evict()
    } catch (error) {
      this.#counts.refused += batch.length
      await this.#closeFile()
      const reason = error instanceof Error ? error.message : String(error)
      if (reason !== this.#failure) this.#options.failed(reason)
      this.#failure = reason
    }
  }

  async #openFile() {
    const now = this.#options.now()
    const current = this.#file
    if (current !== undefined && current.bytes < FILE_BYTES && now - current.since < FILE_MS) return current
    await this.#closeFile()
    mkdirSync(this.#options.folder, { recursive: true, mode: 0o700 })
    const newest = this.#files().at(-1)?.since ?? 0
    const since = Math.max(Math.floor(now), newest + 1)
    const handle = await open(join(this.#options.folder, `keys-${since}.sealed`), 'ax', 0o600)
    this.#file = { handle, since, bytes: 0 }
    return this.#file
  }

  async #closeFile(): Promise<void> {
    const file = this.#file
    this.#file = undefined
    await file?.handle.close().catch(() => {})
  }

  #evict(): void {
    const files = this.#files()
    let bytes = files.reduce((sum, { size }) => sum + size, 0)
    for (const { path, size } of files.slice(0, -1)) {
      if (bytes <= this.#options.maxBytes) return
      rmSync(path, { force: true })
      bytes -= size
      this.#counts.evicted++
    }
  }

  #load(): void {
    this.#isLoaded = true
    const keys = this.#keys
    if (keys === undefined) return
    for (const { path } of this.#files()) {
      const { records, locked, damaged } = openRecords(readFileSync(path), keys.open)
      this.#counts.locked += locked
      this.#counts.damaged += damaged
      for (const record of records) this.#options.loaded(JSON.parse(String(record)))
    }
  }

  /** Oldest first. */
  #files(): { readonly path: string; readonly since: number; readonly size: number }[] {
    const { folder } = this.#options
    return namesIn(folder)
      .flatMap((name) => {
        const since = NAME.exec(name)?.[1]
        const path = join(folder, name)
        const size = statSync(path, { throwIfNoEntry: false })?.size
        return since === undefined || size === undefined ? [] : [{ path, since: Number(since), size }]
      })
      .sort((a, b) => a.since - b.since)
  }
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
