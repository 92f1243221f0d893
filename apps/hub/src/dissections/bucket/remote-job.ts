import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'
import { StorageProblem } from '@tapdeck/objects'
import { type BucketDissections, type FoundDissection, newRun } from '@tapdeck/recording'
import { type JobLauncher, LauncherAway } from '../../kubernetes/job-launcher.ts'
import type { Log } from '../../log.ts'
import type { Outcome } from '../dissection-job.ts'
import { type DissectionRecord, isUnfinished } from '../dissection-record.ts'
import type { Tally } from '../dissection-task.ts'
import { isSameRequest, recordOf } from './job-claim.ts'
import { unusable } from './unusable.ts'

export interface RemoteJobOptions {
  readonly results: BucketDissections
  readonly launcher: JobLauncher
  readonly log: Log
  readonly rules: string
  /** Of the hashes of credentials, in hexadecimal. The job reads it with the request. */
  readonly credentialKey?: string | undefined
  readonly pollMs: number
  /** The id of the snapshot in the bucket. */
  readonly id: string
  readonly record: DissectionRecord
  /** Where the indexes go. */
  readonly folder: string
  /** Bytes that they may take there. */
  readonly free: () => number
  readonly progress: (tally: Tally) => void
  /** Called with why it does not go on at the moment, and with undefined once it does. */
  readonly waiting: (reason: string | undefined) => void
  /** Milliseconds that the job may be silent; 0: for ever. */
  readonly reportWithin: () => number
  readonly now: () => number
}

/** A dissection that runs elsewhere. The hub and the job meet in the bucket: request, progress, cancellation and result. */
export class RemoteJob {
  readonly finished: Promise<Outcome>
  readonly #options: RemoteJobOptions
  readonly #stop = new AbortController()
  /** The state in the bucket is of this request. */
  #isOwn = false
  /** The version of the state in the bucket that was seen last, and when: what the job writes shows that it works. */
  #seen: { readonly version: string; readonly at: number } | undefined

  constructor(options: RemoteJobOptions) {
    this.#options = options
    this.finished = this.#run().catch(async (error: Error): Promise<Outcome> => {
      if (this.#stop.signal.aborted) return { kind: 'cancelled' }
      await this.#withdraw().catch(() => {})
      return { kind: 'failed', reason: error.message }
    })
  }

  /** Nothing can be asked before it is completed. */
  state(): undefined {
    return undefined
  }

  async ask(): Promise<never> {
    throw new Problem(409, 'dissection_not_completed', 'The dissection runs elsewhere, and is not completed')
  }

  async cancel(): Promise<void> {
    this.#stop.abort()
    await this.finished
    await this.#withdraw().catch((error: Error) =>
      this.#options.log.warn({ reason: error.message }, 'cannot cancel a dissection job'),
    )
  }

  /** Lets it run: the next start of the hub finds it in the bucket. */
  async detach(): Promise<void> {
    this.#stop.abort()
    await this.finished
  }

  async #run(): Promise<Outcome> {
    const { launcher, record, pollMs } = this.#options
    const { snapshot_name: snapshot, dissection_name: name } = record
    await this.#insist(() => this.#request())
    await this.#insist(() => launcher.start(snapshot, name))
    for (;;) {
      const outcome = await this.#insist(() => this.#look())
      if (outcome) return outcome
      await sleep(pollMs, undefined, { signal: this.#stop.signal })
    }
  }

  /** Tries again while the storage or the cluster is away: the job goes on meanwhile. */
  async #insist<Result>(step: () => Promise<Result>): Promise<Result> {
    const { pollMs, log, waiting, now } = this.#options
    const { signal } = this.#stop
    for (;;) {
      try {
        return await step()
      } catch (error) {
        const isStorage = error instanceof StorageProblem && error.isTemporary
        if (signal.aborted || !(isStorage || error instanceof LauncherAway)) throw error
        // The job cannot report either.
        if (isStorage && this.#seen) this.#seen = { ...this.#seen, at: now() }
        log.warn({ reason: error.message }, 'cannot follow a dissection job; trying again')
        waiting(error.message)
        await sleep(pollMs, undefined, { signal })
      }
    }
  }

  /** Undefined while it goes on. */
  async #look(): Promise<Outcome | undefined> {
    const { results, launcher, id, record, rules, folder, free } = this.#options
    const { snapshot_name: snapshot, dissection_name: name } = record
    const found = await results.read(id, name)
    const state = found && recordOf(found)
    if (found === undefined || state === undefined || state.status === 'cancelled')
      return { kind: 'cancelled' }
    this.#options.progress(tallyOf(state, record))
    if (state.status === 'completed') {
      // The pod of a Job may have a newer configuration than this process.
      const refusal = unusable(found, rules, free())
      if (refusal !== undefined) throw new Error(refusal)
      await results.fetch(found, folder, this.#stop.signal)
      await this.#insist(() => launcher.remove(snapshot, name))
      return { kind: 'done', tally: tallyOf(state, record), run: found.run }
    }
    if (state.status === 'failed') throw new Error(state.errors.join('; '))
    await this.#requireAlive(found)
    return undefined
  }

  /** Throws where the job will not do its work any more. */
  async #requireAlive({ version }: FoundDissection): Promise<void> {
    const { results, launcher, id, record, waiting, reportWithin, now, log } = this.#options
    const { snapshot_name: snapshot, dissection_name: name } = record
    if (this.#seen?.version !== version) {
      this.#seen = { version, at: now() }
      return waiting(undefined)
    }
    const job = await launcher.state(snapshot, name)
    if (job.kind === 'ended') {
      // It may have written its last state meanwhile.
      if ((await results.read(id, name))?.version !== version) return
      throw new Error(job.reason)
    }
    const reason = job.kind === 'waiting' ? job.reason : undefined
    waiting(reason)
    const limit = reportWithin()
    if (limit === 0 || now() - this.#seen.at <= limit) return
    log.warn({ dissection: `${snapshot}/${name}`, reason }, 'a dissection job is given up')
    throw new Error(
      `the job has not reported for longer than tap.delayedDissection.reportWithin: ${reason ?? 'its pod runs'}`,
    )
  }

  /** Writes the request, except where an earlier run of the hub wrote it. */
  async #request(): Promise<void> {
    const { results, id, record, rules, credentialKey } = this.#options
    const { dissection_name: name } = record
    const found = await results.read(id, name)
    const before = found && recordOf(found)
    if (found && before && (isUnfinished(before) || before.status === 'completed')) {
      this.#isOwn = isSameRequest(before, record) && found.rules === rules
      if (this.#isOwn) return
      throw new Error(
        `the bucket has another dissection named "${name}" of this snapshot. Choose another name.`,
      )
    }
    const request = { ...record, status: 'pending' as const, attempts: 0 }
    const state = {
      ...{ run: found?.run ?? newRun(), beat: 0, rules, record: request, files: [] },
      ...(credentialKey !== undefined && { credential_key: credentialKey }),
    }
    await results.write(id, name, state, found?.version)
    this.#isOwn = true
  }

  /** The job sees that its state is gone, and ends. What it has stored is removed. */
  async #withdraw(): Promise<void> {
    const { results, launcher, id, record } = this.#options
    const { snapshot_name: snapshot, dissection_name: name } = record
    if (!this.#isOwn) return
    const found = await results.read(id, name)
    if (found) await results.remove(found)
    await launcher.remove(snapshot, name)
  }
}

function tallyOf(state: DissectionRecord, { snapshot_name }: DissectionRecord): Tally {
  const { bytes, packet_count, call_count, flow_count, protocol_counts, decrypted_counts, loss, errors } =
    state
  if (snapshot_name !== state.snapshot_name) throw new Error('the bucket has the state of another snapshot')
  return {
    ...{ bytes, loss, errors, packets: packet_count, calls: call_count, flows: flow_count },
    protocols: protocol_counts,
    decrypted: decrypted_counts,
    // Rounded down, so that the percentage computed from it is the one that the job wrote.
    totalBytes: state.progress > 0 ? Math.floor((100 * bytes) / state.progress) : 0,
  }
}
