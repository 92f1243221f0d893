import type { Catalog } from '@tapdeck/kfl'
import type { ArchivedSnapshots } from '@tapdeck/recording'
import type { RedactionRules } from '@tapdeck/redact'
import type { JobLauncher } from '../kubernetes/job-launcher.ts'
import type { Log } from '../log.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import { RemoteJob } from './bucket/remote-job.ts'
import { rulesChecksum } from './bucket/rules-checksum.ts'
import type { DissectionDatabases } from './dissection-databases.ts'
import { DissectionJob, type Outcome } from './dissection-job.ts'
import { countsOf, type DissectionRecord, isUnfinished } from './dissection-record.ts'
import { type DissectionRepository, keyOf } from './dissection-repository.ts'
import type { DissectionTask, Tally } from './dissection-task.ts'
import type { RunningJob } from './running-job.ts'
import { readTaskSources, taskOf } from './task-of.ts'
import { wantedPackets } from './wanted-packets.ts'

export interface DissectionQueueOptions {
  readonly snapshots: Snapshots
  readonly catalog: Catalog
  readonly log: Log
  readonly now: () => number
  /** The bundle that a dissecting thread runs. */
  readonly thread: URL
  readonly limits: DissectionLimits
  readonly bodyBytes: number
  readonly redaction: RedactionRules
  /** Of the hashes of credentials, in hexadecimal. */
  readonly credentialKey?: string | undefined
  /** The bucket that has the snapshots; absent: they are on this disk. */
  readonly archive?: ArchivedSnapshots | undefined
  /** Starts jobs elsewhere; absent: all dissections run in this process. */
  readonly launcher?: JobLauncher | undefined
  /** How often the state of a job elsewhere is read. */
  readonly pollMs?: number
}

export interface DissectionLimits {
  /** Jobs that run at the same time. */
  readonly parallel: number
  /** Threads that a job may use for a large file. */
  readonly threads: number
  /** Milliseconds that a job may run; 0: no limit. */
  readonly maxTime: number
  /** Milliseconds that a job elsewhere may be silent; 0: for ever. */
  readonly reportWithin: number
}

const POLL_MS = 3000
/** A job that takes the hub down with it is not tried for ever. */
const MAX_ATTEMPTS = 3
const NO_ROOM = 'no space: snapshots and dissections have reached tap.snapshots.local.storageSize'
const TOO_LONG = 'timeout: it ran longer than tap.delayedDissection.maxTime'

/** Runs the dissections that wait, some at a time, and notes what became of them. */
export class DissectionQueue {
  readonly #options: DissectionQueueOptions
  readonly #repository: DissectionRepository
  readonly #databases: DissectionDatabases
  readonly #changed: () => void
  /** `ended`: its outcome is on the storage. */
  readonly #jobs = new Map<string, { readonly job: RunningJob; readonly ended: Promise<void> }>()
  /** Jobs whose captures are being fetched from an object storage. */
  readonly #fetching = new Map<string, AbortController>()
  #limits: DissectionLimits
  #closed = false

  constructor(
    options: DissectionQueueOptions,
    repository: DissectionRepository,
    databases: DissectionDatabases,
    changed: () => void,
  ) {
    this.#options = options
    this.#limits = options.limits
    this.#repository = repository
    this.#databases = databases
    this.#changed = changed
  }

  get limits(): DissectionLimits {
    return this.#limits
  }

  /** Jobs that run keep their threads; the time limit applies to them at once. */
  configure(limits: DissectionLimits): void {
    this.#limits = limits
    this.startPending()
  }

  /** Undefined where it does not run. */
  job(key: string): RunningJob | undefined {
    return this.#jobs.get(key)?.job
  }

  /** Starts those again that ran or waited when the process ended, up to a number of attempts. */
  async resumeAll(): Promise<void> {
    for (const record of this.#repository.all()) if (isUnfinished(record)) await this.#resume(record)
    this.startPending()
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

  startPending(): void {
    if (this.#closed) return
    const all = this.#repository.all()
    let free = this.#limits.parallel - all.filter(({ status }) => status === 'running').length
    for (const record of all)
      if (record.status === 'pending' && !this.#repository.isAdding(record) && free-- > 0)
        this.#run(record).catch((error: Error) => this.#failStart(keyOf(record), error))
  }

  /** Cancels what waits or runs. */
  async stop(record: DissectionRecord): Promise<void> {
    this.#fetching.get(keyOf(record))?.abort()
    if (this.#jobs.has(keyOf(record))) await this.cancel(keyOf(record))
    else await this.#finish(record, { kind: 'cancelled' })
  }

  /** Ends a job that runs; resolves when its outcome is on the storage. */
  async cancel(key: string): Promise<void> {
    this.#fetching.get(key)?.abort()
    const running = this.#jobs.get(key)
    await running?.job.cancel()
    await running?.ended
  }

  /** Running jobs are ended; the next start of the hub runs them again. */
  async close(): Promise<void> {
    this.#closed = true
    for (const fetch of this.#fetching.values()) fetch.abort()
    await Promise.all(
      [...this.#jobs].map(async ([key, { job, ended }]) => {
        await job.detach()
        await ended
        await this.#uncountAttempt(key)
      }),
    )
  }

  /** An orderly stop says nothing against the job that it ended, and is not held against it. */
  async #uncountAttempt(key: string): Promise<void> {
    const record = this.#repository.find(key)
    if (record?.status !== 'running') return
    await this.#save(this.#repository.change(record, { attempts: Math.max(0, record.attempts - 1) }))
  }

  /** One that could not even begin, such as where there may be no more threads, must not keep the others waiting. */
  async #failStart(key: string, error: Error): Promise<void> {
    const { log } = this.#options
    log.error({ err: error }, 'dissection failed')
    const record = this.#repository.find(key)
    if (record === undefined || !isUnfinished(record) || this.#jobs.has(key)) return
    const reason = `cannot start the dissection: ${error.message}`
    await this.#finish(record, { kind: 'failed', reason }).catch((err) => log.error({ err }, reason))
    this.startPending()
  }

  async #run(waiting: DissectionRecord): Promise<void> {
    const { snapshots, thread, bodyBytes, redaction, credentialKey, now } = this.#options
    const key = keyOf(waiting)
    const files = snapshots.captures(waiting.snapshot_name)
    // Counted as running before anything is awaited, so that no more than allowed ever run.
    const record = this.#change(waiting, {
      status: 'running',
      started_at: new Date(now()).toISOString(),
      attempts: waiting.attempts + 1,
      nodes: files.map(({ node }) => node),
    })
    const sources = await readTaskSources(snapshots, record, files)
    if (this.#closed || this.#repository.find(key) !== record) return this.startPending()
    const named = this.#repository.change(record, { node_ips: sources.nodeAddresses })
    const task = taskOf(record, sources, {
      folder: this.#repository.indexFolder(record),
      bodyBytes,
      redaction,
      credentialKey,
      now: now(),
      threads: this.#limits.threads,
    })
    const elsewhere = this.#elsewhere(named, task)
    // It does not end with this process, whose crashes say nothing against it.
    if (elsewhere) {
      const followed = this.#repository.change(named, { attempts: waiting.attempts })
      return this.#follow(key, followed, elsewhere, async () => {})
    }
    const copies = await this.#copies(named, task)
    if (this.#closed || this.#repository.find(key) !== named) {
      await copies.end()
      return this.startPending()
    }
    const paths = new Map(copies.captures.map((capture) => [capture.node, capture.paths]))
    const taken = task.files.map((file) => ({ ...file, paths: paths.get(file.node) ?? file.paths }))
    const job = new DissectionJob({
      thread,
      task: { ...task, files: taken },
      progress: (tally) => void this.#progress(key, tally),
    })
    await this.#follow(key, named, job, copies.end)
  }

  async #follow(
    key: string,
    named: DissectionRecord,
    job: RunningJob,
    end: () => Promise<void>,
  ): Promise<void> {
    const ended = this.#watch(key, job, end)
    this.#jobs.set(key, { job, ended })
    await this.#save(named)
    await ended
    this.startPending()
  }

  /** The job of a snapshot in the bucket. Secrets never leave the hub: what needs them runs here. */
  #elsewhere(record: DissectionRecord, { files, folder }: DissectionTask): RemoteJob | undefined {
    const { archive, launcher, log, now, redaction, bodyBytes, snapshots, pollMs = POLL_MS } = this.#options
    const id = archive?.idOf(record.snapshot_name)
    if (archive === undefined || launcher === undefined || id === undefined) return undefined
    if (files.some(({ secrets = [] }) => secrets.length > 0)) return undefined
    return new RemoteJob({
      ...{ results: archive.dissections, launcher, log, now, pollMs, id, record, folder },
      rules: rulesChecksum(redaction, bodyBytes),
      credentialKey: this.#options.credentialKey,
      free: () => snapshots.room.free,
      reportWithin: () => this.#limits.reportWithin,
      progress: (tally) => void this.#progress(keyOf(record), tally),
      waiting: (reason) => this.#wait(keyOf(record), reason),
    })
  }

  /** The captures of a job as files on this disk. */
  async #copies(record: DissectionRecord, task: DissectionTask): ReturnType<Snapshots['files']> {
    const { snapshots, catalog } = this.#options
    const abort = new AbortController()
    this.#fetching.set(keyOf(record), abort)
    try {
      return await snapshots.files(record.snapshot_name, {
        reader: record.dissection_name,
        parties: wantedPackets(task, catalog),
        signal: abort.signal,
      })
    } finally {
      this.#fetching.delete(keyOf(record))
    }
  }

  async #watch(key: string, job: RunningJob, end: () => Promise<void>): Promise<void> {
    const outcome = await job.finished
    await end().catch(() => {})
    const record = this.#repository.find(key)
    if (record && !this.#closed) await this.#finish(record, outcome)
    this.#jobs.delete(key)
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

  #wait(key: string, waiting_for: string | undefined): void {
    const record = this.#repository.find(key)
    if (record?.status !== 'running' || record.waiting_for === waiting_for) return
    if (waiting_for !== undefined)
      this.#options.log.info({ dissection: key, reason: waiting_for }, 'a dissection job waits')
    this.#change(record, { waiting_for })
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
        waiting_for: undefined,
        ...(outcome.run !== undefined && { run: outcome.run }),
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
        waiting_for: undefined,
      })
    }
    const { status, call_count, errors } = after
    log.info({ dissection: keyOf(record), status, calls: call_count, errors }, 'a dissection ended')
    await this.#save(after)
  }

  #change(record: DissectionRecord, change: Partial<DissectionRecord>): DissectionRecord {
    const changed = this.#repository.change(record, change)
    this.#changed()
    return changed
  }

  async #save(record: DissectionRecord): Promise<void> {
    await this.#repository
      .save(record)
      .catch((error) => this.#options.log.warn({ err: error }, 'cannot save the state of a dissection'))
  }
}
