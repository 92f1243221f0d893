import { appendFile, mkdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Log } from '../log.ts'
import type { AuditEntry } from './audit-entry.ts'
import { RefusedEntries } from './refused-entries.ts'
import { type AuditPage, type AuditQuery, searchAudit } from './search-audit.ts'

const FILE_BYTES = 16 * 1024 * 1024
const FILES = 8
const MAX_QUEUED = 20_000
const WRITE_EVERY_MS = 200
const MAX_TEXT = 2000

/** Who asked what, as JSON lines in `audit/audit.jsonl` of the data folder; older files are numbered, the oldest goes. */
export class AuditLog {
  readonly #folder: string
  readonly #log: Log
  readonly #refused = new RefusedEntries((entry) => this.add(entry))
  #waiting: string[] = []
  #lost = 0
  #lostTotal = 0
  #size: number | undefined
  #timer: NodeJS.Timeout | undefined
  #writing: Promise<void> = Promise.resolve()

  constructor(dataFolder: string, log: Log) {
    this.#folder = join(dataFolder, 'audit')
    this.#log = log
  }

  /** Entries that could not be written: it is reported in the log itself, too, as soon as it can be. */
  get lost(): number {
    return this.#lostTotal
  }

  add(entry: AuditEntry): void {
    if (this.#waiting.length >= MAX_QUEUED) {
      this.#lost++
      this.#lostTotal++
      return
    }
    this.#waiting.push(JSON.stringify({ ...entry, ...(entry.input && { input: shortened(entry.input) }) }))
    this.#timer ??= setTimeout(() => void this.flush(), WRITE_EVERY_MS).unref()
  }

  /** Adds a line for a caller that is not known. A flood of these is cut: some have a line, the others are counted in one. */
  addRefused(entry: AuditEntry): void {
    this.#refused.add(entry, Date.parse(entry.at))
  }

  /** The newest entries that match, newest first, with what was added until now. */
  async search(query: AuditQuery): Promise<AuditPage & { readonly lost: number }> {
    await this.flush()
    const files = Array.from({ length: FILES }, (_, number) => this.#file(number))
    return { ...(await searchAudit(files, query)), lost: this.#lostTotal }
  }

  /** Writes all that is known, at the end of the process. */
  close(): Promise<void> {
    this.#refused.close()
    return this.flush()
  }

  flush(): Promise<void> {
    clearTimeout(this.#timer)
    this.#timer = undefined
    this.#writing = this.#writing.then(() => this.#write())
    return this.#writing
  }

  async #write(): Promise<void> {
    const lines = this.#waiting
    if (lines.length === 0) return
    this.#waiting = []
    if (this.#lost > 0) lines.push(JSON.stringify({ at: new Date().toISOString(), lost: this.#lost }))
    const text = `${lines.join('\n')}\n`
    try {
      await this.#makeRoom(Buffer.byteLength(text))
      await appendFile(this.#file(0), text, { mode: 0o600 })
      this.#lost = 0
    } catch (error) {
      this.#lost += lines.length
      this.#lostTotal += lines.length
      this.#size = undefined
      this.#log.error({ err: error, entries: lines.length }, 'cannot write the audit log')
    }
  }

  async #makeRoom(bytes: number): Promise<void> {
    if (this.#size === undefined) {
      await mkdir(this.#folder, { recursive: true, mode: 0o700 })
      this.#size = await stat(this.#file(0)).then(
        ({ size }) => size,
        () => 0,
      )
    }
    if (this.#size > 0 && this.#size + bytes > FILE_BYTES) {
      await rm(this.#file(FILES - 1), { force: true })
      for (let number = FILES - 2; number >= 0; number--)
        await rename(this.#file(number), this.#file(number + 1)).catch(() => undefined)
      this.#size = 0
    }
    this.#size += bytes
  }

  #file(number: number): string {
    return join(this.#folder, number === 0 ? 'audit.jsonl' : `audit.${number}.jsonl`)
  }
}

function shortened(input: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(input)
      .filter(([, value]) => value !== undefined)
      .slice(0, 32)
      .map(([name, value]) => [name, short(value)]),
  )
}

function short(value: unknown): unknown {
  if (typeof value === 'string') return value.length > MAX_TEXT ? `${value.slice(0, MAX_TEXT)}…` : value
  if (Array.isArray(value)) return value.length > 16 ? `${value.length} items` : value.map(short)
  return typeof value === 'object' && value !== null ? '{…}' : value
}
