import { EventEmitter } from 'node:events'
import { Problem } from '@tapdeck/api'
import { type Catalog, compile } from '@tapdeck/kfl'
import { type DiskBudget, NameTaken, OutOfSpace } from '@tapdeck/recording'
import { withoutDecrypted } from '../access/visibility.ts'
import type { Coverage } from '../cluster/coverage.ts'
import type { Worker } from '../cluster/worker.ts'
import type { Workers } from '../cluster/workers.ts'
import type { Dissections } from '../dissections/dissections.ts'
import type { Batch, LiveSubscriptions } from '../live/live-subscriptions.ts'
import type { Log } from '../log.ts'
import { nearestNames } from '../nearest-names.ts'
import type { Snapshots } from '../snapshots/snapshots.ts'
import type { StateStore } from '../state/state-store.ts'
import type { Unsaved } from '../state/unsaved.ts'
import { isOver } from './database-of.ts'
import { EndWait, SETTLE_MS } from './end-wait.ts'
import { partyKeys } from './party-keys.ts'
import { RecordingDatabase } from './recording-database.ts'
import { finalGaps, recordingGaps } from './recording-gaps.ts'
import { newRecording, type RecordingRecord, type RecordingRequest } from './recording-record.ts'
import { RecordingRepository } from './recording-repository.ts'
import { RecordingRun, totalBytes } from './recording-run.ts'

export interface RecordingsOptions {
  /** Where slices are stored. */
  readonly folder: string
  readonly state: StateStore
  readonly snapshots: Snapshots
  readonly dissections: Dissections
  readonly workers: Workers
  readonly coverage: Coverage
  readonly subscriptions: LiveSubscriptions
  readonly catalog: Catalog
  readonly log: Log
  readonly unsaved: Unsaved
  readonly now: () => number
  /** How many run, each time that changes. */
  readonly count: (running: number) => void
  /** Turns indexing on for a recording that was asked to. */
  readonly resume: (by: string) => unknown
  /** How often it is looked what is due, in milliseconds. */
  readonly lookEvery?: number
}

type EndedBy = NonNullable<RecordingRecord['ended_by']>

interface Running {
  readonly run: RecordingRun
  readonly reader: (batch: Batch) => void
}

const MAX_RECORDINGS = 1000
const MAX_RUNNING = 16
const MAX_NOTES = 1000
const TICK_MS = 500
const SLICE_EVERY_MS = 5000
/** Less is not worth beginning with. */
const LEAST_ROOM = 1024 * 1024

/** Recordings that people start and stop: packets kept beyond the ring, which become a snapshot and its dissection. */
export class Recordings extends EventEmitter<{ change: [] }> {
  readonly #options: RecordingsOptions
  readonly #repository: RecordingRepository
  readonly #database: RecordingDatabase
  readonly #records = new Map<string, RecordingRecord>()
  readonly #running = new Map<string, Running>()
  /** What is at work on a recording; one thing at a time. */
  readonly #busy = new Map<string, Promise<void>>()
  readonly #givenUp = new Set<string>()
  readonly #slicedAt = new Map<string, number>()
  readonly #ticker: NodeJS.Timeout
  readonly #endWait: EndWait
  #closed = false
  failures = 0

  private constructor(options: RecordingsOptions) {
    super()
    this.#options = options
    this.#repository = new RecordingRepository(options.folder, options.state)
    this.#database = new RecordingDatabase(options.snapshots, options.dissections)
    this.#endWait = new EndWait(options.workers, options.now())
    this.#ticker = setInterval(() => this.#tick(), options.lookEvery ?? TICK_MS).unref()
  }

  /** Reads what is there. What ran when the process ended goes on with what the rings still hold. */
  static async open(options: RecordingsOptions): Promise<Recordings> {
    const recordings = new Recordings(options)
    const unusable = (recording: string, reason: string) =>
      options.log.warn({ recording, reason }, 'cannot read the record of a recording; it is left out')
    for (const record of await recordings.#repository.load(unusable)) {
      recordings.#records.set(record.name, record)
      if (!record.kept) recordings.#room.occupy(totalBytes(record))
      if (record.status === 'running') recordings.#run(record)
    }
    recordings.#count()
    return recordings
  }

  /** Newest first. */
  list(): RecordingRecord[] {
    return [...this.#records.values()].sort((a, b) => (a.created_at < b.created_at ? 1 : -1))
  }

  /** Throws 404 with close names. */
  get(name: string): RecordingRecord {
    const found = this.#records.get(name)
    if (found) return found
    const close = nearestNames(name, this.#records.keys())
    throw new Problem(404, 'unknown_recording', `No recording named "${name}"`, {
      hint: close.length > 0 ? `Similar names: ${close.join(', ')}.` : 'No recordings exist.',
    })
  }

  /** The recording whose packets a snapshot holds; undefined where it belongs to none. */
  ownerOf(snapshot: string): RecordingRecord | undefined {
    return this.list().find((record) => this.#database.isOf(record, snapshot))
  }

  async start(request: RecordingRequest, by: string): Promise<RecordingRecord> {
    const { catalog, now } = this.#options
    const { name, kfl } = request
    compile(kfl, catalog, now())
    if (this.#records.has(name) || this.#database.isTaken(name)) throw new NameTaken(name)
    if (this.#records.size >= MAX_RECORDINGS)
      throw new Problem(409, 'too_many', `Too many recordings (max ${MAX_RECORDINGS}); delete some first`)
    if (this.#room.free < LEAST_ROOM)
      throw new OutOfSpace('Not enough space for a recording', LEAST_ROOM, this.#room.free)
    await this.#repository.requireDiskSpace()
    if (this.#records.has(name)) throw new NameTaken(name)
    const record = newRecording(request, by, now(), this.#repository.holder)
    const begins = record.starts_ts <= now()
    if (begins) this.#requireFreeSlot()
    this.#records.set(name, record)
    try {
      await this.#work(name, async () => {
        await this.#repository.save(record)
        if (begins) await this.#begin(record)
      })
    } catch (error) {
      this.#records.delete(name)
      throw error
    }
    this.emit('change')
    return this.get(name)
  }

  /** Throws 409 where it has ended already. */
  async stop(name: string, by: EndedBy): Promise<RecordingRecord> {
    const record = this.get(name)
    const { status } = record
    if (status !== 'running' && status !== 'scheduled')
      throw new Problem(409, 'not_running', `The recording "${name}" is ${status}`)
    const at = this.#options.now()
    // First: what cannot be stored is refused.
    await this.#repository.save({ ...record, status: 'stopped', ended_by: by, ended_ts: at })
    if (this.get(name).status === status) await this.#end(name, 'stopped', by, at)
    return this.get(name)
  }

  /** Marks a moment of a recording that runs. */
  async note(name: string, by: string, text: string): Promise<void> {
    const { notes, status } = this.get(name)
    if (status !== 'running') throw new Problem(409, 'not_running', `The recording "${name}" is ${status}`)
    if (notes.length >= MAX_NOTES) throw new Problem(409, 'too_many', `Too many notes (max ${MAX_NOTES})`)
    const note = { at: new Date(this.#options.now()).toISOString(), by, text }
    const noted = this.#change(name, { notes: [...notes, note] })
    try {
      await this.#repository.save(noted)
    } catch (error) {
      this.#change(name, { notes: this.get(name).notes.filter((one) => one !== note) })
      throw error
    }
  }

  /** Throws 409 while it runs or becomes a snapshot. */
  async remove(name: string): Promise<void> {
    const record = this.get(name)
    if (!isOver(record) || this.#busy.has(name))
      throw busy(name, isOver(record) ? 'being saved' : record.status)
    await this.#work(name, async () => {
      await this.#database.remove(record)
      await this.#repository.remove(record)
      this.#records.delete(name)
      this.#options.unsaved.forget(stateOf(name))
    })
    if (!record.kept) this.#room.give(totalBytes(record))
    this.emit('change')
  }

  /** What runs goes on at the next start. */
  async close(): Promise<void> {
    this.#closed = true
    clearInterval(this.#ticker)
    this.removeAllListeners()
    for (const { run } of this.#running.values()) run.stop()
    await Promise.allSettled(this.#busy.values())
    for (const record of this.#records.values()) if (!record.kept) await this.#save(record.name)
  }

  get #room(): DiskBudget {
    return this.#options.snapshots.room
  }

  #tick(): void {
    const now = this.#options.now()
    for (const record of this.#records.values()) {
      if (this.#closed || this.#busy.has(record.name)) continue
      if (this.#options.unsaved.has(stateOf(record.name))) void this.#save(record.name)
      if (record.status === 'scheduled' && record.starts_ts <= now)
        this.#due(record.name, () => this.#begin(record))
      else if (record.status === 'running') {
        const deadline = record.starts_ts + record.duration_ms
        if (now >= deadline)
          this.#due(record.name, () => this.#end(record.name, 'completed', 'duration', deadline))
        else if (now - (this.#slicedAt.get(record.name) ?? 0) >= SLICE_EVERY_MS)
          this.#due(record.name, () => this.#slice(record.name, now - SETTLE_MS))
      } else if (
        isOver(record) &&
        !record.kept &&
        !this.#givenUp.has(record.name) &&
        this.#endWait.isReady(record, now)
      )
        this.#due(record.name, () => this.#keep(record.name))
    }
  }

  /** One thing at a time: what is due waits for the next look. */
  #work(name: string, act: () => Promise<void>): Promise<void> {
    const done = act().finally(() => this.#busy.delete(name))
    this.#busy.set(name, done)
    return done
  }

  #due(name: string, act: () => Promise<void>): void {
    const { log } = this.#options
    this.#work(name, act).catch((error) => log.error({ recording: name, err: error }, 'error in a recording'))
  }

  async #begin(record: RecordingRecord): Promise<void> {
    try {
      this.#requireFreeSlot()
    } catch (error) {
      return this.#end(record.name, 'failed', 'failure', this.#options.now(), reasonOf(error))
    }
    if (record.resume_indexing) await this.#options.resume(record.created_by)
    const begun = this.#change(record.name, { status: 'running' })
    this.#run(begun)
    this.#count()
    await this.#save(record.name)
  }

  #run({ name, kfl }: RecordingRecord): void {
    const { subscriptions, catalog, now } = this.#options
    const run = new RecordingRun({
      repository: this.#repository,
      room: this.#room,
      parties: partyKeys(kfl, catalog, now()),
      record: () => this.get(name),
      change: (change) => void this.#change(name, change),
    })
    // Not sent at each batch: clients query again when a slice is taken.
    const reader = ({ count, skipped }: Batch) => {
      const record = this.get(name)
      this.#records.set(name, { ...record, live_matches: record.live_matches + count + skipped })
    }
    subscriptions.read(withoutDecrypted(kfl), reader)
    this.#slicedAt.set(name, now())
    this.#running.set(name, { run, reader })
  }

  async #slice(name: string, until: number): Promise<void> {
    const { now } = this.#options
    this.#slicedAt.set(name, now())
    const outcome = await this.#take(name, until)
    this.#noteGaps(name, until)
    if (this.get(name).status !== 'running') return
    if (outcome instanceof OutOfSpace)
      await this.#end(name, 'failed', 'failure', now(), `no space: ${outcome.message}`)
    else if (outcome === 'full') await this.#end(name, 'completed', 'size', now())
    else await this.#save(name)
  }

  async #take(name: string, until: number, isLast = false): Promise<'taken' | 'full' | OutOfSpace> {
    const { workers, log } = this.#options
    try {
      const run = this.#running.get(name)?.run
      if (run === undefined) return 'taken'
      await this.#repository.requireDiskSpace()
      const failed = (worker: Worker, error: unknown) => {
        if (!worker.gone && !this.#closed)
          log.warn({ recording: name, node: worker.node, reason: reasonOf(error) }, 'no packets from a node')
      }
      return await run.take(workers.connected, until, failed, isLast)
    } catch (error) {
      if (error instanceof OutOfSpace) return error
      throw error
    }
  }

  /** Of the time up to `until`, what the nodes did not record. */
  #noteGaps(name: string, until: number): void {
    const record = this.get(name)
    const gaps = recordingGaps(record, this.#options, until)
    if (JSON.stringify(gaps) !== JSON.stringify(record.gaps)) this.#change(name, { gaps })
  }

  async #end(
    name: string,
    status: 'completed' | 'stopped' | 'failed',
    by: EndedBy,
    at: number,
    error?: string,
  ) {
    const { subscriptions, log } = this.#options
    const { kfl, status: before } = this.get(name)
    const running = this.#running.get(name)
    if (running) subscriptions.leave(withoutDecrypted(kfl), running.reader)
    if (status === 'failed') this.failures++
    const kept = before === 'scheduled'
    this.#change(name, { status, ended_by: by, ended_ts: at, kept, ...(error !== undefined && { error }) })
    this.#count()
    log.info({ recording: name, status, by, error }, 'recording ended')
    await this.#save(name)
  }

  /** Takes the last slices, makes the snapshot out of all of them, and starts its dissection. */
  async #keep(name: string): Promise<void> {
    const { log, now } = this.#options
    const { ended_by, ended_ts } = this.get(name)
    if (!this.#running.has(name)) this.#runAgain(this.get(name))
    const whole = ended_by !== 'size' && ended_by !== 'failure'
    const last = whole ? await this.#take(name, ended_ts!, true) : 'taken'
    if (this.#closed) return
    if (last instanceof OutOfSpace)
      this.#change(name, { status: 'failed', error: `no space: ${last.message}` })
    const taken = this.get(name).nodes.map(({ until_ts }) => until_ts)
    const mayGetMore = last === 'taken' && taken.some((until) => whole && until < ended_ts!)
    // A node did not give its packets: the next look tries it again.
    if (mayGetMore && !this.#endWait.isOver(this.get(name), now())) return
    this.#running.delete(name)
    this.#noteGaps(name, ended_ts!)
    // One that was full ends where its last slice does.
    const end = last === 'taken' && whole ? ended_ts! : Math.max(...taken)
    const record = this.#change(name, { gaps: finalGaps(this.get(name), end) })
    this.#room.give(totalBytes(record))
    try {
      await this.#database.make(record, this.#repository)
    } catch (error) {
      this.failures++
      this.#change(name, { status: 'failed', error: `cannot save its packets: ${reasonOf(error)}` })
      log.error({ recording: name, err: error }, 'cannot save a recording')
      // Its slices stay: the next start of the hub tries again.
      this.#givenUp.add(name)
      this.#room.occupy(totalBytes(record))
      return this.#save(name)
    }
    this.#change(name, { kept: true })
    await this.#save(name)
    await this.#repository.removeSlices(record)
  }

  #runAgain(record: RecordingRecord): void {
    this.#run(record)
    this.#options.subscriptions.leave(withoutDecrypted(record.kfl), this.#running.get(record.name)!.reader)
  }

  #requireFreeSlot(): void {
    const running = [...this.#records.values()].filter(({ status }) => status === 'running').length
    if (running >= MAX_RUNNING)
      throw new Problem(409, 'too_many', `Too many running recordings (max ${MAX_RUNNING}); stop one first`)
  }

  #count(): void {
    this.#options.count([...this.#records.values()].filter(({ status }) => status === 'running').length)
  }

  #change(name: string, change: Partial<RecordingRecord>): RecordingRecord {
    const changed = { ...this.get(name), ...change }
    this.#records.set(name, changed)
    this.emit('change')
    return changed
  }

  async #save(name: string): Promise<void> {
    const record = this.#records.get(name)
    if (record) await this.#options.unsaved.write(stateOf(name), () => this.#repository.save(record))
  }
}

function busy(name: string, state: string): Problem {
  return new Problem(409, 'busy', `The recording "${name}" is ${state}`, { hint: 'Stop it first.' })
}

/** As `Unsaved` reports it. */
const stateOf = (name: string) => `state of recording ${name}`

function reasonOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
