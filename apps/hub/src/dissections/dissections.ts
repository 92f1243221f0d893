import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import type { Inventory } from '@tapdeck/inventory'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { RedactionRules } from '@tapdeck/redact'
import type { Log } from '../log.ts'
import type { CallSource } from '../query/call-source.ts'
import type { SnapshotSecret } from '../snapshots/snapshot-keys.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { DissectionDatabases } from './dissection-databases.ts'
import { DissectionJob, type Outcome } from './dissection-job.ts'
import {
  countsOf,
  type DissectionRecord,
  isUnfinished,
  newRecord,
  type StartRequest,
} from './dissection-record.ts'
import { DissectionRepository, keyOf } from './dissection-repository.ts'
import type { Tally } from './dissection-task.ts'
import { requireKnownProtocol } from './require-known-protocol.ts'

export interface DissectionsOptions {
  readonly snapshots: Snapshots
  readonly catalog: Catalog
  readonly log: Log
  readonly now: () => number
  /** The bundle that a dissecting thread runs. */
  readonly thread: URL
  readonly limits: DissectionLimits
  readonly bodyBytes: number
  readonly redaction: RedactionRules
}

export interface DissectionLimits {
  /** Jobs that run at the same time. */
  readonly parallel: number
  /** Threads that a job may use for a large file. */
  readonly threads: number
  /** Milliseconds that a job may run; 0: no limit. */
  readonly maxTime: number
}

const INDEX_MEMORY = 512 * 1024 * 1024
/** A job that takes the hub down with it is not tried for ever. */
const MAX_ATTEMPTS = 3
const NO_ROOM = 'no space: snapshots and dissections have reached tap.snapshots.local.storageSize'
const TOO_LONG = 'timeout: it ran longer than tap.delayedDissection.maxTime'

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
  /** `ended`: its outcome is on the storage. */
  readonly #jobs = new Map<string, { readonly job: DissectionJob; readonly ended: Promise<void> }>()
  #limits: DissectionLimits
  #closed = false

  private constructor(options: DissectionsOptions) {
    super()
    this.#options = options
    this.#limits = options.limits
    this.#repository = new DissectionRepository(options.snapshots)
    this.#databases = new DissectionDatabases(this.#repository, options.catalog)
  }

  /** Reads what is there. Jobs that ran or waited when the process ended start again, up to a number of attempts. */
  static async open(options: DissectionsOptions): Promise<Dissections> {
    const dissections = new Dissections(options)
    await dissections.#repository.load()
    for (const record of dissections.#repository.all())
      if (isUnfinished(record)) await dissections.#resume(record)
    dissections.#startPending()
    return dissections
  }

  get limits(): DissectionLimits {
    return this.#limits
  }

  /** Jobs that run keep their threads; the time limit applies to them at once. */
  configure(limits: DissectionLimits): void {
    this.#limits = limits
    this.#startPending()
  }

  /** Newest first. */
  list(snapshot?: string): DissectionRecord[] {
    const all = this.#repository
      .all()
      .filter((one) => snapshot === undefined || one.snapshot_name === snapshot)
    return all.reverse().sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
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
    return this.#databases.sources(this.#repository.get(snapshot, name), this.#jobs.get(db)?.job)
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
    this.#startPending()
    this.emit('change')
    return this.get(snapshot_name, dissection_name)
  }

  /** Cancels what waits or runs. */
  async stop(snapshot: string, name: string): Promise<DissectionRecord> {
    const record = this.get(snapshot, name)
    if (!isUnfinished(record))
      throw new Problem(409, 'not_running', `The dissection "${keyOf(record)}" is ${record.status}`)
    if (this.#jobs.has(keyOf(record))) await this.#cancel(keyOf(record))
    else await this.#finish(record, { kind: 'cancelled' })
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
      await Promise.all(keys.map((key) => this.#cancel(key)))
      for (const key of keys) {
        // It may have waited for one of the others.
        await this.#cancel(key)
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
    this.#closed = true
    this.removeAllListeners()
    await Promise.all(
      [...this.#jobs.keys()].map(async (key) => {
        await this.#cancel(key)
        await this.#uncountAttempt(key)
      }),
    )
    await this.#databases.close()
  }

  /** An orderly stop says nothing against the job that it ended, and is not held against it. */
  async #uncountAttempt(key: string): Promise<void> {
    const record = this.#repository.find(key)
    if (record?.status !== 'running') return
    await this.#save(this.#repository.change(record, { attempts: record.attempts - 1 }))
  }

  async #resume(record: DissectionRecord): Promise<void> {
    const { log } = this.#options
    if (record.attempts >= MAX_ATTEMPTS) {
      const reason = `interrupted: the hub crashed ${record.attempts} times during this dissection`
      await this.#finish(record, { kind: 'failed', reason })
      return
    }
    await this.#repository.removeIndexes(record)
    const { status } = record
    log.info(
      { dissection: keyOf(record), status, attempts: record.attempts },
      'restarting an interrupted dissection',
    )
    await this.#save(
      this.#change(record, { status: 'pending', progress: 0, started_at: null, errors: [], size_bytes: 0 }),
    )
  }

  #startPending(): void {
    if (this.#closed) return
    const all = this.#repository.all()
    let free = this.#limits.parallel - all.filter(({ status }) => status === 'running').length
    for (const record of all)
      if (record.status === 'pending' && !this.#repository.isAdding(record) && free-- > 0)
        this.#run(record).catch((error: Error) => this.#failStart(keyOf(record), error))
  }

  /** One that could not even begin, such as where there may be no more threads, must not keep the others waiting. */
  async #failStart(key: string, error: Error): Promise<void> {
    const { log } = this.#options
    log.error({ err: error }, 'dissection failed')
    const record = this.#repository.find(key)
    if (record === undefined || !isUnfinished(record) || this.#jobs.has(key)) return
    const reason = `cannot start the dissection: ${error.message}`
    await this.#finish(record, { kind: 'failed', reason }).catch((err) => log.error({ err }, reason))
    this.#startPending()
  }

  async #run(waiting: DissectionRecord): Promise<void> {
    const { snapshots, thread, bodyBytes, redaction, now } = this.#options
    const key = keyOf(waiting)
    const files = snapshots.captures(waiting.snapshot_name)
    // Counted as running before anything is awaited, so that no more than allowed ever run.
    const record = this.#change(waiting, {
      status: 'running',
      started_at: new Date(now()).toISOString(),
      attempts: waiting.attempts + 1,
      nodes: files.map(({ node }) => node),
    })
    const inventory = await snapshots.names(record.snapshot_name)
    const secrets = new Map<string, readonly SnapshotSecret[] | undefined>()
    if (record.decrypt)
      for (const { node } of files) secrets.set(node, await snapshots.keys?.read(record.snapshot_name, node))
    if (this.#closed || this.#repository.find(key) !== record) return this.#startPending()
    const named = this.#repository.change(record, { node_ips: addressesOf(inventory) })
    const job = new DissectionJob({
      thread,
      task: {
        files: files.map(({ node, paths, size_bytes }) => {
          const events = snapshots.eventFiles(waiting.snapshot_name).find((file) => file.node === node)
          const opening = secrets.get(node)
          return {
            ...{ node, paths, size_bytes },
            ...(events && { events: events.path }),
            ...(opening && { secrets: opening }),
          }
        }),
        folder: this.#repository.indexFolder(record),
        inventory,
        captureSource: record.capture_source,
        kfl: record.kfl,
        decrypt: record.decrypt,
        protocols: record.protocols,
        bodyBytes,
        redaction,
        now: now(),
        threads: this.#limits.threads,
        memory: INDEX_MEMORY,
      },
      progress: (tally) => void this.#progress(key, tally),
    })
    const ended = this.#watch(key, job)
    this.#jobs.set(key, { job, ended })
    await this.#save(named)
    await ended
    this.#startPending()
  }

  async #watch(key: string, job: DissectionJob): Promise<void> {
    const outcome = await job.finished
    const record = this.#repository.find(key)
    if (record && !this.#closed) await this.#finish(record, outcome)
    this.#jobs.delete(key)
  }

  async #cancel(key: string): Promise<void> {
    const running = this.#jobs.get(key)
    await running?.job.cancel()
    await running?.ended
  }

  async #progress(key: string, tally: Tally): Promise<void> {
    const record = this.#repository.find(key)
    if (record?.status !== 'running') return
    const progress = tally.totalBytes > 0 ? Math.floor((100 * tally.bytes) / tally.totalBytes) : 0
    const changed = this.#change(record, { ...countsOf(tally), progress: Math.min(99, progress) })
    const refusal = await this.#refusal(changed)
    if (refusal === undefined) return
    if (this.#repository.find(key) === changed) this.#change(changed, { errors: [refusal] })
    await this.#jobs.get(key)?.job.cancel()
  }

  /** Why a job may not go on; undefined where it may. */
  async #refusal(record: DissectionRecord): Promise<string | undefined> {
    const { now, snapshots } = this.#options
    const { maxTime } = this.#limits
    if (maxTime > 0 && now() - Date.parse(record.started_at ?? '') > maxTime) return TOO_LONG
    return (await this.#repository.size(record)) > snapshots.room.free ? NO_ROOM : undefined
  }

  async #finish(record: DissectionRecord, outcome: Outcome): Promise<void> {
    const { log, now, snapshots } = this.#options
    const finished_at = new Date(now()).toISOString()
    await snapshots.recount(record.snapshot_name)
    const size_bytes = outcome.kind === 'done' ? await this.#repository.size(record) : 0
    const done = outcome.kind === 'done' && size_bytes <= snapshots.room.free
    let after: DissectionRecord
    if (done)
      after = this.#change(record, {
        ...countsOf(outcome.tally),
        status: 'completed',
        progress: 100,
        finished_at,
        size_bytes,
      })
    else {
      await this.#databases.forget(record)
      await this.#repository.removeIndexes(record)
      const reason =
        outcome.kind === 'failed' ? outcome.reason : outcome.kind === 'done' ? NO_ROOM : undefined
      const errors = reason === undefined ? record.errors : [...record.errors, reason]
      const status = errors.length > 0 && outcome.kind !== 'cancelled' ? 'failed' : 'cancelled'
      after = this.#change(record, {
        status: errors.includes(NO_ROOM) || errors.includes(TOO_LONG) ? 'failed' : status,
        errors,
        finished_at,
        size_bytes: 0,
      })
    }
    const { status, call_count, errors } = after
    log.info({ dissection: keyOf(record), status, calls: call_count, errors }, 'a dissection ended')
    await this.#save(after)
  }

  #change(record: DissectionRecord, change: Partial<DissectionRecord>): DissectionRecord {
    const changed = this.#repository.change(record, change)
    this.emit('change')
    return changed
  }

  async #save(record: DissectionRecord): Promise<void> {
    await this.#repository
      .save(record)
      .catch((error) => this.#options.log.warn({ err: error }, 'cannot save the state of a dissection'))
  }
}

function addressesOf({ nodes = [] }: Inventory): Record<string, string> {
  return Object.fromEntries(nodes.flatMap(({ name, ips }) => (ips.length > 0 ? [[name, ips[0]!]] : [])))
}
