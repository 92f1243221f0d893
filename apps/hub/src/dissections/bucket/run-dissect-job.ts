import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { type Config, durationMs } from '@tapdeck/config'
import { protocols } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import type { ObjectStore } from '@tapdeck/objects'
import { type ArchivedSnapshots, findArchived, SnapshotStore } from '@tapdeck/recording'
import { parseSize } from '@tapdeck/units'
import type { Log } from '../../log.ts'
import { SnapshotNames } from '../../snapshots/snapshot-names.ts'
import { DissectionJob } from '../dissection-job.ts'
import { countsOf, type DissectionRecord, newRecord, type StartRequest } from '../dissection-record.ts'
import { dissectionThreads } from '../dissection-threads.ts'
import { requireKnownProtocol } from '../require-known-protocol.ts'
import { readTaskSources, taskOf } from '../task-of.ts'
import { wantedPackets } from '../wanted-packets.ts'
import { BEAT_MS, JobClaim, JobRefused } from './job-claim.ts'
import { rulesChecksum } from './rules-checksum.ts'

export interface DissectJobOptions {
  readonly config: Config
  readonly objects: ObjectStore
  /** An empty folder below this one is used, and deleted at the end. */
  readonly folder: string
  readonly request: StartRequest
  /** A hub has asked for it: filter and protocols are those of the bucket. */
  readonly requested: boolean
  /** The bundle that a dissecting thread runs. */
  readonly thread: URL
  readonly log: Log
  readonly now: () => number
  readonly beatMs?: number
  readonly signal: AbortSignal
}

const FOLDER = 'tapdeck-dissect-job-'
const catalog = createCatalog(protocols)

/**
 * Dissects a snapshot of a bucket on this machine, and stores the result in the bucket. Resolves with its record; throws
 * where there is no result. What it leaves in the bucket then is the reason.
 */
export async function runDissectJob(options: DissectJobOptions): Promise<DissectionRecord> {
  const { objects, folder, request, now } = options
  compile(request.kfl ?? '', catalog, now())
  for (const name of request.protocols ?? []) requireKnownProtocol(name)
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await removeAbandoned(folder)
  const root = await mkdtemp(join(folder, `${FOLDER}${process.pid}-`))
  try {
    const id = await findArchived(objects, root, request.snapshot_name)
    const maxBytes = parseSize(String(options.config.tap.snapshots.local.storageSize)) ?? 0
    const store = await SnapshotStore.open(root, { maxBytes, objects })
    return await new RemoteDissection(options, store, id).run()
  } finally {
    await rm(root, { recursive: true, force: true })
  }
}

/** Jobs that were killed leave their files. */
async function removeAbandoned(folder: string): Promise<void> {
  for (const name of await readdir(folder)) {
    const pid = name.startsWith(FOLDER) ? Number.parseInt(name.slice(FOLDER.length), 10) : Number.NaN
    if (pid > 0 && !isAlive(pid))
      await rm(join(folder, name), { recursive: true, force: true }).catch(() => {})
  }
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** One job at work. */
class RemoteDissection {
  readonly #options: DissectJobOptions
  readonly #store: SnapshotStore
  readonly #archive: ArchivedSnapshots
  readonly #id: string
  /** Aborted when the job is to end, with the reason. */
  readonly #stop = new AbortController()
  #counts: Partial<DissectionRecord> = {}

  constructor(options: DissectJobOptions, store: SnapshotStore, id: string) {
    this.#options = options
    this.#store = store
    this.#archive = store.archive!
    this.#id = id
  }

  async run(): Promise<DissectionRecord> {
    const { request, requested, signal, config, now, beatMs = BEAT_MS } = this.#options
    const source = this.#store.get(request.snapshot_name)?.source
    const record = newRecord(request, source === 'import' ? 'file' : 'af_packet', now())
    const { redaction, capture } = config.tap
    const claim = await JobClaim.take({
      results: this.#archive.dissections,
      id: this.#id,
      record,
      rules: rulesChecksum(redaction, bodyBytesOf(capture)),
      ...{ requested, beatMs, signal },
    })
    if (claim === undefined) return (await this.#completed(record)) ?? record
    const halt = () => this.#stop.abort(new JobRefused('the job was stopped'))
    signal.addEventListener('abort', halt)
    const beating = this.#beatEvery(claim, beatMs)
    try {
      if (signal.aborted) halt()
      return await this.#dissect(claim, beating)
    } catch (error) {
      await beating.end()
      // A request that was aborted says nothing of why.
      const reason = this.#stop.signal.aborted ? this.#stop.signal.reason : error
      await this.#fail(claim, reason)
      throw reason
    } finally {
      signal.removeEventListener('abort', halt)
      await beating.end()
    }
  }

  async #completed({ dissection_name }: DissectionRecord): Promise<DissectionRecord | undefined> {
    return (await this.#archive.dissections.read(this.#id, dissection_name))?.record as
      | DissectionRecord
      | undefined
  }

  async #dissect(claim: JobClaim, beating: { end(): Promise<void> }): Promise<DissectionRecord> {
    const { config, thread, log, now } = this.#options
    const { signal } = this.#stop
    const { snapshot_name: name } = this.#options.request
    const captures = this.#store.captures(name)
    const sources = await readTaskSources(
      {
        names: async (one) => (await new SnapshotNames(this.#store).read(one)) ?? { pods: [], services: [] },
        eventFiles: (one) => this.#store.eventFiles(one),
      },
      claim.record,
      captures,
    )
    await claim.beat({
      started_at: new Date(now()).toISOString(),
      nodes: captures.map(({ node }) => node),
      node_ips: sources.nodeAddresses,
    })
    const folder = join(this.#store.folder, '.index')
    const task = taskOf(claim.record, sources, {
      ...{ folder, now: now(), redaction: config.tap.redaction, credentialKey: claim.credentialKey },
      bodyBytes: bodyBytesOf(config.tap.capture),
      threads: dissectionThreads(config.tap.delayedDissection.threads),
    })
    const parties = wantedPackets(task, catalog)
    const copies = await this.#archive.copies(name, captures, { reader: 'job', parties, signal })
    const stored = captures.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
    log.info({ snapshot: name, read: copies.read, stored }, 'read captures from the object storage')
    const paths = new Map(copies.captures.map((capture) => [capture.node, capture.paths]))
    const files = task.files.map((file) => ({ ...file, paths: paths.get(file.node) ?? file.paths }))
    const job = new DissectionJob({
      thread,
      task: { ...task, files },
      progress: (tally) => {
        const progress = tally.totalBytes > 0 ? Math.floor((100 * tally.bytes) / tally.totalBytes) : 0
        this.#counts = { ...countsOf(tally), progress: Math.min(99, progress) }
      },
    })
    const cancel = () => void job.cancel()
    signal.addEventListener('abort', cancel)
    if (signal.aborted) cancel()
    const outcome = await job.finished
    signal.throwIfAborted()
    if (outcome.kind !== 'done') throw new Error(outcome.kind === 'failed' ? outcome.reason : 'cancelled')
    await copies.end()
    const results = await this.#archive.dissections.upload(this.#id, claim.run, folder, signal)
    await beating.end()
    signal.throwIfAborted()
    const size_bytes = results.reduce((sum, file) => sum + file.size_bytes, 0)
    const finished_at = new Date(now()).toISOString()
    return claim.end(
      { ...countsOf(outcome.tally), status: 'completed', progress: 100, finished_at, size_bytes },
      results,
    )
  }

  /** Leaves nothing but the reason. A job that was stopped may be begun again by the one that wanted it. */
  async #fail(claim: JobClaim, error: unknown): Promise<void> {
    const { signal, requested, now } = this.#options
    const reason = error instanceof Error ? error.message : String(error)
    const finished_at = new Date(now()).toISOString()
    const change: Partial<DissectionRecord> = !signal.aborted
      ? { status: 'failed', errors: [...claim.record.errors, reason], finished_at }
      : requested
        ? { status: 'pending', progress: 0, attempts: claim.record.attempts - 1 }
        : { status: 'cancelled', finished_at }
    await this.#archive.dissections.removeRun(this.#id, claim.run).catch(() => {})
    await claim.end(change).catch(() => {})
  }

  /** Writes the state now and then. A storage that is away is tried again; a refusal ends the job. */
  #beatEvery(claim: JobClaim, everyMs: number): { end(): Promise<void> } {
    const { config, log, now } = this.#options
    const maxTime = durationMs(config.tap.delayedDissection.maxTime)
    const since = now()
    let writing: Promise<void> | undefined
    const beat = async () => {
      if (maxTime > 0 && now() - since > maxTime)
        this.#stop.abort(new Error('timeout: it ran longer than tap.delayedDissection.maxTime'))
      try {
        await claim.beat(this.#counts)
        const { progress, call_count } = claim.record
        log.info({ progress, calls: call_count }, 'dissecting')
      } catch (error) {
        if (error instanceof JobRefused) this.#stop.abort(error)
        else log.warn({ reason: (error as Error).message }, 'cannot report progress; trying again')
      }
    }
    const timer = setInterval(() => {
      writing ??= beat().finally(() => {
        writing = undefined
      })
    }, everyMs)
    return {
      async end() {
        clearInterval(timer)
        await writing
      },
    }
  }
}

function bodyBytesOf({ dissection }: Config['tap']['capture']): number {
  return parseSize(String(dissection.bodyBytes)) ?? 65_536
}
