import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import type { Inventory } from '@tapdeck/inventory'
import { type Catalog, compile } from '@tapdeck/kfl'
import type { RedactionRules } from '@tapdeck/redact'
import type { Log } from '../log.ts'
import type { CallSource } from '../query/call-source.ts'
import { demandProtocol } from './demand-protocol.ts'
import { DissectionDatabases } from './dissection-databases.ts'
import { DissectionJob, type Outcome } from './dissection-job.ts'
import { type DissectionRecord, newRecord, type StartRequest } from './dissection-record.ts'
import { DissectionShelf, keyOf } from './dissection-shelf.ts'
import type { Tally } from './dissection-task.ts'
import type { Snapshots } from './snapshots.ts'

export interface DissectionsOptions {
  readonly snapshots: Snapshots
  readonly catalog: Catalog
  readonly log: Log
  readonly now: () => number
  /** The bundle that a dissecting thread runs. */
  readonly thread: URL
  readonly parallel: number
  readonly bodyBytes: number
  readonly redaction: RedactionRules
  /** Threads that a job may use for a large file. */
  readonly threads: number
  /** Milliseconds that a job may run; 0: as long as it takes. */
  readonly maxTime: number
}

const INDEX_MEMORY = 512 * 1024 * 1024
/** A job that takes the hub down with it is not tried for ever. */
const MOST_ATTEMPTS = 3
const NO_ROOM = 'no room: snapshots and dissections fill their storage'
const TOO_LONG = 'too long: it ran longer than tap.delayedDissection.maxTime'

/** Dissections: those that are done, and the queue of those to be done. */
export class Dissections extends EventEmitter<{ change: [] }> {
  readonly #options: DissectionsOptions
  readonly #shelf: DissectionShelf
  readonly #databases: DissectionDatabases
  /**
   * Those whose files are being deleted, another of the same name would lose its own; and snapshots that are being deleted
   * or renamed, whatever began below them would be lost.
   */
  readonly #leaving = new Set<string>()
  /** `ended`: its outcome is on the shelf. */
  readonly #jobs = new Map<string, { readonly job: DissectionJob; readonly ended: Promise<void> }>()
  #parallel: number
  #closed = false

  private constructor(options: DissectionsOptions) {
    super()
    this.#options = options
    this.#parallel = options.parallel
    this.#shelf = new DissectionShelf(options.snapshots)
    this.#databases = new DissectionDatabases(this.#shelf, options.catalog)
  }

  /** Reads what is there. What ran or waited when the process ended begins anew, unless it has been so too often. */
  static async open(options: DissectionsOptions): Promise<Dissections> {
    const dissections = new Dissections(options)
    await dissections.#shelf.load()
    for (const record of dissections.#shelf.all()) if (isUnfinished(record)) await dissections.#resume(record)
    dissections.#pump()
    return dissections
  }

  set parallel(parallel: number) {
    this.#parallel = parallel
    this.#pump()
  }

  /** Newest first. */
  list(snapshot?: string): DissectionRecord[] {
    const all = this.#shelf.all().filter((one) => snapshot === undefined || one.snapshot_name === snapshot)
    return all.reverse().sort((a, b) => Date.parse(b.created_at) - Date.parse(a.created_at))
  }

  /** Whether one of a snapshot waits or runs. */
  isBusy(snapshot: string): boolean {
    return this.list(snapshot).some(isUnfinished)
  }

  get(snapshot: string, name: string): DissectionRecord {
    return this.#shelf.get(snapshot, name)
  }

  /** What answers questions about a database, `<snapshot>/<name>`. */
  sources(db: string): CallSource[] {
    const [snapshot = '', name = ''] = db.split('/')
    return this.#databases.sources(this.#shelf.get(snapshot, name), this.#jobs.get(db)?.job)
  }

  async start(request: StartRequest): Promise<DissectionRecord> {
    const { snapshot_name, dissection_name, kfl = '', protocols: wanted } = request
    const { snapshots, catalog, now } = this.#options
    const { status, source } = snapshots.get(snapshot_name)
    if (status !== 'completed')
      throw new Problem(409, 'snapshot_not_completed', `snapshot "${snapshot_name}" is ${status}`, {
        hint: status === 'failed' ? 'Make another one.' : 'Poll it until it is completed.',
      })
    compile(kfl, catalog, now())
    for (const name of wanted ?? []) demandProtocol(name)
    const key = `${snapshot_name}/${dissection_name}`
    if (this.#shelf.has(key))
      throw new Problem(409, 'name_taken', `there is a dissection "${key}" already`, {
        hint: 'Choose another name, or delete it first.',
      })
    if (this.#leaving.has(key)) throw new Problem(409, 'busy', `the dissection "${key}" is being deleted`)
    if (this.#leaving.has(snapshot_name))
      throw new Problem(409, 'busy', `snapshot "${snapshot_name}" is being deleted or renamed`)
    await this.#shelf.add(newRecord(request, source === 'import' ? 'file' : 'af_packet', now()))
    this.#pump()
    this.emit('change')
    return this.get(snapshot_name, dissection_name)
  }

  /** Cancels what waits or runs. */
  async stop(snapshot: string, name: string): Promise<DissectionRecord> {
    const record = this.get(snapshot, name)
    if (!isUnfinished(record))
      throw new Problem(409, 'not_running', `the dissection "${keyOf(record)}" is ${record.status}`)
    if (this.#jobs.has(keyOf(record))) await this.#cancel(keyOf(record))
    else await this.#finish(record, { kind: 'cancelled' })
    return this.get(snapshot, name)
  }

  /** Throws 409 while it waits or runs. */
  async remove(snapshot: string, name: string): Promise<void> {
    const record = this.get(snapshot, name)
    if (isUnfinished(record))
      throw new Problem(409, 'busy', `the dissection "${keyOf(record)}" is ${record.status}`, {
        hint: 'Stop it first.',
      })
    await this.#whileLeaving(keyOf(record), async () => {
      this.#shelf.forget(record)
      await this.#databases.forget(record)
      await this.#shelf.removeFiles(record)
    })
    this.emit('change')
  }

  /** Takes the dissections of a snapshot along while it gets another name. Throws 409 while one waits or runs. */
  async moveSnapshot(snapshot: string, to: string, move: () => Promise<void>): Promise<void> {
    const records = this.list(snapshot)
    const busy = records.find(isUnfinished)
    if (busy)
      throw new Problem(409, 'busy', `the dissection "${keyOf(busy)}" is ${busy.status}`, {
        hint: 'Wait for it, or stop it first.',
      })
    let name = snapshot
    await this.#whileLeaving(snapshot, async () => {
      for (const record of records) {
        this.#shelf.forget(record)
        await this.#databases.forget(record)
      }
      try {
        await move()
        name = to
      } finally {
        for (const record of records) await this.#shelf.putBack({ ...record, snapshot_name: name })
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
        const record = this.#shelf.find(key)
        if (record === undefined) continue
        this.#shelf.forget(record)
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

  /** What runs is ended; it is found at the next start, and begins anew. */
  async close(): Promise<void> {
    this.#closed = true
    this.removeAllListeners()
    await Promise.all(
      [...this.#jobs.keys()].map(async (key) => {
        await this.#cancel(key)
        await this.#excuse(key)
      }),
    )
    await this.#databases.close()
  }

  /** An orderly stop says nothing against the job that it ended, and is not held against it. */
  async #excuse(key: string): Promise<void> {
    const record = this.#shelf.find(key)
    if (record?.status !== 'running') return
    await this.#save(this.#shelf.change(record, { attempts: record.attempts - 1 }))
  }

  async #resume(record: DissectionRecord): Promise<void> {
    const { log } = this.#options
    if (record.attempts >= MOST_ATTEMPTS) {
      const reason = `interrupted: the hub fell over ${record.attempts} times while it ran`
      await this.#finish(record, { kind: 'failed', reason })
      return
    }
    await this.#shelf.removeIndexes(record)
    const { status } = record
    log.info({ dissection: keyOf(record), status, attempts: record.attempts }, 'a dissection begins anew')
    await this.#save(
      this.#change(record, { status: 'pending', progress: 0, started_at: null, errors: [], size_bytes: 0 }),
    )
  }

  #pump(): void {
    if (this.#closed) return
    const all = this.#shelf.all()
    let free = this.#parallel - all.filter(({ status }) => status === 'running').length
    for (const record of all)
      if (record.status === 'pending' && !this.#shelf.isAdding(record) && free-- > 0)
        this.#run(record).catch((error: Error) => this.#fallOver(keyOf(record), error))
  }

  /** One that could not even begin, such as where there may be no more threads, must not keep the others waiting. */
  async #fallOver(key: string, error: Error): Promise<void> {
    const { log } = this.#options
    log.error({ err: error }, 'a dissection fell over')
    const record = this.#shelf.find(key)
    if (record === undefined || !isUnfinished(record) || this.#jobs.has(key)) return
    const reason = `it could not be started: ${error.message}`
    await this.#finish(record, { kind: 'failed', reason }).catch((err) => log.error({ err }, reason))
    this.#pump()
  }

  async #run(waiting: DissectionRecord): Promise<void> {
    const { snapshots, thread, bodyBytes, redaction, threads, now } = this.#options
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
    if (this.#closed || this.#shelf.find(key) !== record) return this.#pump()
    const named = this.#shelf.change(record, { node_ips: addressesOf(inventory) })
    const job = new DissectionJob({
      thread,
      task: {
        files: files.map(({ node, paths, size_bytes }) => {
          const events = snapshots.eventFiles(waiting.snapshot_name).find((file) => file.node === node)
          return { node, paths, size_bytes, ...(events && { events: events.path }) }
        }),
        folder: this.#shelf.indexFolder(record),
        inventory,
        captureSource: record.capture_source,
        kfl: record.kfl,
        protocols: record.protocols,
        bodyBytes,
        redaction,
        now: now(),
        threads,
        memory: INDEX_MEMORY,
      },
      progress: (tally) => void this.#progress(key, tally),
    })
    const ended = this.#watch(key, job)
    this.#jobs.set(key, { job, ended })
    await this.#save(named)
    await ended
    this.#pump()
  }

  async #watch(key: string, job: DissectionJob): Promise<void> {
    const outcome = await job.finished
    const record = this.#shelf.find(key)
    if (record && !this.#closed) await this.#finish(record, outcome)
    this.#jobs.delete(key)
  }

  async #cancel(key: string): Promise<void> {
    const running = this.#jobs.get(key)
    await running?.job.cancel()
    await running?.ended
  }

  async #progress(key: string, tally: Tally): Promise<void> {
    const record = this.#shelf.find(key)
    if (record?.status !== 'running') return
    const progress = tally.totalBytes > 0 ? Math.floor((100 * tally.bytes) / tally.totalBytes) : 0
    const changed = this.#change(record, { ...counts(tally), progress: Math.min(99, progress) })
    const refusal = await this.#refusal(changed)
    if (refusal === undefined) return
    if (this.#shelf.find(key) === changed) this.#change(changed, { errors: [refusal] })
    await this.#jobs.get(key)?.job.cancel()
  }

  /** Why a job may not go on; undefined where it may. */
  async #refusal(record: DissectionRecord): Promise<string | undefined> {
    const { now, maxTime, snapshots } = this.#options
    if (maxTime > 0 && now() - Date.parse(record.started_at ?? '') > maxTime) return TOO_LONG
    return (await this.#shelf.size(record)) > snapshots.room.free ? NO_ROOM : undefined
  }

  async #finish(record: DissectionRecord, outcome: Outcome): Promise<void> {
    const { log, now, snapshots } = this.#options
    const finished_at = new Date(now()).toISOString()
    await snapshots.recount(record.snapshot_name)
    const size_bytes = outcome.kind === 'done' ? await this.#shelf.size(record) : 0
    const done = outcome.kind === 'done' && size_bytes <= snapshots.room.free
    let after: DissectionRecord
    if (done)
      after = this.#change(record, {
        ...counts(outcome.tally),
        status: 'completed',
        progress: 100,
        finished_at,
        size_bytes,
      })
    else {
      await this.#databases.forget(record)
      await this.#shelf.removeIndexes(record)
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
    const changed = this.#shelf.change(record, change)
    this.emit('change')
    return changed
  }

  async #save(record: DissectionRecord): Promise<void> {
    await this.#shelf
      .save(record)
      .catch((error) => this.#options.log.warn({ err: error }, 'the record of a dissection is not saved'))
  }
}

function addressesOf({ nodes = [] }: Inventory): Record<string, string> {
  return Object.fromEntries(nodes.flatMap(({ name, ips }) => (ips.length > 0 ? [[name, ips[0]!]] : [])))
}

function isUnfinished({ status }: DissectionRecord): boolean {
  return status === 'pending' || status === 'running'
}

function counts(tally: Tally): Partial<DissectionRecord> {
  return {
    call_count: tally.calls,
    flow_count: tally.flows,
    packet_count: tally.packets,
    bytes: tally.bytes,
    protocol_counts: { ...tally.protocols },
    loss: { ...tally.loss } as Record<string, number>,
    errors: [...tally.errors],
  }
}
