import { setTimeout as sleep } from 'node:timers/promises'
import { StorageProblem } from '@tapdeck/objects'
import {
  type BucketDissection,
  type BucketDissections,
  type FoundDissection,
  newRun,
} from '@tapdeck/recording'
import { type DissectionRecord, dissectionRecord, isUnfinished } from '../dissection-record.ts'

/** How often a job writes its state, and after how many of these times without a write it counts as gone. */
export const BEAT_MS = 5000
const BEATS_GONE = 6
/** A job that takes its machine down with it is not tried for ever. */
const MAX_ATTEMPTS = 3

/** Why a job may not begin, or not go on. */
export class JobRefused extends Error {
  override readonly name = 'JobRefused'
}

export interface ClaimRequest {
  readonly results: BucketDissections
  /** The id of the snapshot. */
  readonly id: string
  /** What is to be done, where the bucket does not have it. */
  readonly record: DissectionRecord
  readonly rules: string
  /** A hub has asked for it: only what waits or runs in the bucket is done, as it says there. */
  readonly requested: boolean
  readonly beatMs: number
  readonly signal: AbortSignal
}

/** The right of one job to write the result of a dissection. Only the last job that took it can write. */
export class JobClaim {
  readonly #request: ClaimRequest
  #state: BucketDissection
  #version: string | undefined
  #writing: Promise<void> = Promise.resolve()

  private constructor(request: ClaimRequest, state: BucketDissection, version: string | undefined) {
    this.#request = request
    this.#state = state
    this.#version = version
  }

  /** Undefined where the dissection is completed already. Throws `JobRefused`. */
  static async take(request: ClaimRequest): Promise<JobClaim | undefined> {
    for (;;) {
      const taken = await JobClaim.#tryTake(request)
      if (taken !== 'busy') return taken
      const name = request.record.dissection_name
      if (!request.requested) throw new JobRefused(`another job is at work on the dissection "${name}"`)
      // Its pod was replaced, and is still running: what it does decides.
      await sleep(request.beatMs, undefined, { signal: request.signal })
    }
  }

  static async #tryTake(request: ClaimRequest): Promise<JobClaim | 'busy' | undefined> {
    const { results, id, rules, requested } = request
    const { dissection_name: name } = request.record
    const found = await results.read(id, name)
    const before = found && recordOf(found)
    if (
      requested &&
      before?.status !== 'pending' &&
      before?.status !== 'running' &&
      before?.status !== 'completed'
    )
      throw new JobRefused(`the hub does not ask for the dissection "${name}" any more`)
    if (before?.status === 'completed') {
      if (requested || isSameRequest(before, request.record)) return undefined
      throw new JobRefused(
        `a dissection named "${name}" is there already, with another filter. Choose another name.`,
      )
    }
    if (found && before?.status === 'running' && !(await isGone(request, found))) return 'busy'
    const wanted = requested && before ? before : request.record
    // Those that ended with a reason did not crash.
    const attempts = before && isUnfinished(before) ? before.attempts : 0
    const claim = new JobClaim(
      request,
      {
        run: newRun(),
        beat: 0,
        rules,
        record: { ...wanted, status: 'running', attempts: attempts + 1 },
        files: [],
        ...(found?.credential_key !== undefined && { credential_key: found.credential_key }),
      },
      found?.version,
    )
    if (before?.status === 'running' && attempts >= MAX_ATTEMPTS) {
      const reason = `interrupted: the job crashed ${attempts} times during this dissection`
      const failed = { ...wanted, status: 'failed' as const, errors: [reason], attempts: 0 }
      await claim.#write({ record: failed, credential_key: undefined })
      throw new JobRefused(reason)
    }
    try {
      await claim.#write({})
    } catch (error) {
      if (isLost(error)) return 'busy'
      throw error
    }
    if (found) await results.removeRun(id, found.run)
    return claim
  }

  get run(): string {
    return this.#state.run
  }

  /** Of the hashes of credentials; undefined: no hub has asked for this, or its credentials are kept. */
  get credentialKey(): string | undefined {
    return this.#state.credential_key
  }

  get record(): DissectionRecord {
    return this.#state.record as DissectionRecord
  }

  /** Writes how far it has got. Throws `JobRefused` where it was cancelled, or another job took it. */
  async beat(change: Partial<DissectionRecord>): Promise<void> {
    await this.#replace((record) => ({ record: { ...record, ...change } }))
  }

  /** The last write: with it the dissection exists, or is known to have failed. */
  async end(
    change: Partial<DissectionRecord>,
    files: BucketDissection['files'] = [],
  ): Promise<DissectionRecord> {
    await this.#replace((record) => ({ record: { ...record, ...change }, files, credential_key: undefined }))
    return this.record
  }

  /** One write after the other: each names the version of the one before. */
  #replace(change: (record: DissectionRecord) => Partial<BucketDissection>): Promise<void> {
    const written = this.#writing.then(() => this.#replaceNow(change(this.record)))
    this.#writing = written.catch(() => {})
    return written
  }

  async #replaceNow(change: Partial<BucketDissection>): Promise<void> {
    const { results, id, record } = this.#request
    try {
      await this.#write(change)
    } catch (error) {
      if (!isLost(error)) throw error
      const found = await results.read(id, record.dissection_name)
      const status = found && recordOf(found)?.status
      if (found?.run !== this.run || status === 'cancelled')
        throw new JobRefused(
          found === undefined || status === 'cancelled'
            ? 'the dissection was cancelled'
            : 'another job has taken over the dissection',
        )
      // Our own write, whose answer did not arrive.
      this.#version = found.version
      await this.#write(change)
    }
  }

  async #write(change: Partial<BucketDissection>): Promise<void> {
    const { results, id, record } = this.#request
    const state = { ...this.#state, ...change, beat: this.#state.beat + 1 }
    this.#version = await results.write(id, record.dissection_name, state, this.#version)
    this.#state = state
  }
}

/** The record of a dissection in the bucket; undefined where it is none. */
export function recordOf({ record }: BucketDissection): DissectionRecord | undefined {
  return dissectionRecord.safeParse(record).data
}

/** A job at work writes: whether one does is seen without comparing clocks. */
async function isGone(
  { results, id, record, beatMs, signal }: ClaimRequest,
  found: FoundDissection,
): Promise<boolean> {
  for (let beat = 0; beat < BEATS_GONE; beat++) {
    await sleep(beatMs, undefined, { signal })
    const now = await results.read(id, record.dissection_name)
    if (now?.version !== found.version) return false
  }
  return true
}

/** Whether both ask for the same. */
export function isSameRequest(a: DissectionRecord, b: DissectionRecord): boolean {
  return a.kfl === b.kfl && JSON.stringify(a.protocols) === JSON.stringify(b.protocols)
}

function isLost(error: unknown): boolean {
  return error instanceof StorageProblem && (error.kind === 'exists' || error.kind === 'missing')
}
