import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { CallSource } from '../query/call-source.ts'
import { BucketResults } from './bucket/bucket-results.ts'
import { rulesChecksum } from './bucket/rules-checksum.ts'
import { DissectionDatabases } from './dissection-databases.ts'
import { type DissectionLimits, DissectionQueue, type DissectionQueueOptions } from './dissection-queue.ts'
import { type DissectionRecord, isUnfinished, newRecord, type StartRequest } from './dissection-record.ts'
import { DissectionRepository, keyOf } from './dissection-repository.ts'
import { requireKnownProtocol } from './require-known-protocol.ts'

export interface DissectionsOptions extends DissectionQueueOptions {
  readonly catalog: Catalog
}

/** Dissections: those that are done, and the queue of those to be done. */
export class Dissections extends EventEmitter<{ change: [] }> {
  readonly #options: DissectionsOptions
  readonly #repository: DissectionRepository
  readonly #databases: DissectionDatabases
  /**
   * Those whose files are being deleted, another of the same name would lose its own; and snapshots that are being deleted
   * or renamed, whatever began below them would be lost.
   */
  readonly #leaving = new Set<string>()
  readonly #queue: DissectionQueue
  readonly #results: BucketResults | undefined

  private constructor(options: DissectionsOptions) {
    super()
    this.#options = options
    this.#repository = new DissectionRepository(options.snapshots)
    this.#databases = new DissectionDatabases(this.#repository, options.catalog)
    const [repository, databases] = [this.#repository, this.#databases]
    const { archive, snapshots, redaction, bodyBytes } = options
    const rules = rulesChecksum(redaction, bodyBytes)
    this.#results = archive && new BucketResults({ archive, snapshots, repository, databases, rules })
    this.#queue = new DissectionQueue(options, this.#repository, this.#databases, () => this.emit('change'))
  }

  /** Reads what is there. Jobs that ran or waited when the process ended start again, up to a number of attempts. */
  static async open(options: DissectionsOptions): Promise<Dissections> {
    const dissections = new Dissections(options)
    await dissections.#repository.load()
    await dissections.#queue.resumeAll()
    return dissections
  }

  get limits(): DissectionLimits {
    return this.#queue.limits
  }

  /** Jobs that run keep their threads; the time limit applies to them at once. */
  configure(limits: DissectionLimits): void {
    this.#queue.configure(limits)
  }

  /** Newest first. */
  list(snapshot?: string): DissectionRecord[] {
    const all = this.#repository
      .all()
      .filter((one) => snapshot === undefined || one.snapshot_name === snapshot)
    return all.reverse().sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  }

  /** Compares with the results that jobs stored in the bucket. */
  async refresh(problem: (text: string) => void): Promise<void> {
    if (await this.#results?.refresh(problem)) this.emit('change')
  }

  /** Whether one of a snapshot waits or runs. */
  isBusy(snapshot: string): boolean {
    return this.list(snapshot).some(isUnfinished)
  }

  get(snapshot: string, name: string): DissectionRecord {
    return this.#repository.get(snapshot, name)
  }

  /** What answers questions about a database, `<snapshot>/<name>`. */
  sources(db: string): CallSource[] {
    const [snapshot = '', name = ''] = db.split('/')
    return this.#databases.sources(this.#repository.get(snapshot, name), this.#queue.job(db))
  }

  async start(request: StartRequest): Promise<DissectionRecord> {
    const { snapshot_name, dissection_name, kfl = '', protocols: wanted } = request
    const { snapshots, catalog, now } = this.#options
    const { status, source } = snapshots.get(snapshot_name)
    if (status !== 'completed')
      throw new Problem(409, 'snapshot_not_completed', `Snapshot "${snapshot_name}" is ${status}`, {
        hint: status === 'failed' ? 'Create another snapshot.' : 'Poll it until it is completed.',
      })
    compile(kfl, catalog, now())
    for (const name of wanted ?? []) requireKnownProtocol(name)
    const key = `${snapshot_name}/${dissection_name}`
    if (this.#repository.has(key))
      throw new Problem(409, 'name_taken', `A dissection named "${key}" already exists`, {
        hint: 'Choose another name, or delete it first.',
      })
    if (this.#leaving.has(key)) throw new Problem(409, 'busy', `The dissection "${key}" is being deleted`)
    if (this.#leaving.has(snapshot_name))
      throw new Problem(409, 'busy', `Snapshot "${snapshot_name}" is being deleted or renamed`)
    await this.#repository.add(newRecord(request, source === 'import' ? 'file' : 'af_packet', now()))
    this.#queue.startPending()
    this.emit('change')
    return this.get(snapshot_name, dissection_name)
  }

  /** Cancels what waits or runs. */
  async stop(snapshot: string, name: string): Promise<DissectionRecord> {
    const record = this.get(snapshot, name)
    if (!isUnfinished(record))
      throw new Problem(409, 'not_running', `The dissection "${keyOf(record)}" is ${record.status}`)
    await this.#queue.stop(record)
    return this.get(snapshot, name)
  }

  /** Throws 409 while it waits or runs. */
  async remove(snapshot: string, name: string): Promise<void> {
    const record = this.get(snapshot, name)
    if (isUnfinished(record))
      throw new Problem(409, 'busy', `The dissection "${keyOf(record)}" is ${record.status}`, {
        hint: 'Stop it first.',
      })
    await this.#whileLeaving(keyOf(record), async () => {
      await this.#results?.remove(record)
      this.#repository.forget(record)
      await this.#databases.forget(record)
      await this.#repository.removeFiles(record)
    })
    this.emit('change')
  }

  /** Takes the dissections of a snapshot along while it gets another name. Throws 409 while one waits or runs. */
  async moveSnapshot(snapshot: string, to: string, move: () => Promise<void>): Promise<void> {
    const records = this.list(snapshot)
    const busy = records.find(isUnfinished)
    if (busy)
      throw new Problem(409, 'busy', `The dissection "${keyOf(busy)}" is ${busy.status}`, {
        hint: 'Wait for it, or stop it first.',
      })
    let name = snapshot
    await this.#whileLeaving(snapshot, async () => {
      for (const record of records) {
        this.#repository.forget(record)
        await this.#databases.forget(record)
      }
      try {
        await move()
        name = to
      } finally {
        for (const record of records) await this.#repository.putBack({ ...record, snapshot_name: name })
      }
    })
    this.emit('change')
  }

  /** Stops and forgets all of a snapshot, and removes that. */
  async forgetSnapshot(snapshot: string, remove: () => Promise<void>): Promise<void> {
    await this.#whileLeaving(snapshot, async () => {
      const keys = this.list(snapshot).map(keyOf)
      await Promise.all(keys.map((key) => this.#queue.cancel(key)))
      for (const key of keys) {
        // It may have waited for one of the others.
        await this.#queue.cancel(key)
        const record = this.#repository.find(key)
        if (record === undefined) continue
        this.#repository.forget(record)
        await this.#databases.forget(record)
      }
      await remove()
    })
    this.emit('change')
  }

  async #whileLeaving(name: string, work: () => Promise<void>): Promise<void> {
    this.#leaving.add(name)
    try {
      await work()
    } finally {
      this.#leaving.delete(name)
    }
  }

  /** Running jobs are ended; the next start of the hub runs them again. */
  async close(): Promise<void> {
    this.removeAllListeners()
    await this.#queue.close()
    await this.#databases.close()
  }
}
