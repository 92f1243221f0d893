import { setTimeout as sleep } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'
import { StorageProblem } from '@tapdeck/objects'
import { type BucketDissections, newRun } from '@tapdeck/recording'
import type { Log } from '../../log.ts'
import type { Outcome } from '../dissection-job.ts'
import { type DissectionRecord, isUnfinished } from '../dissection-record.ts'
import type { Tally } from '../dissection-task.ts'
import { isSameRequest, recordOf } from './job-claim.ts'
import type { JobLauncher } from './job-launcher.ts'
import { unusable } from './unusable.ts'

export interface RemoteJobOptions {
  readonly results: BucketDissections
  readonly launcher: JobLauncher
  readonly log: Log
  readonly rules: string
  readonly pollMs: number
  /** The id of the snapshot in the bucket. */
  readonly id: string
  readonly record: DissectionRecord
  /** Where the indexes go. */
  readonly folder: string
  /** Bytes that they may take there. */
  readonly free: () => number
  readonly progress: (tally: Tally) => void
}

/** A dissection that runs elsewhere. The hub and the job meet in the bucket: request, progress, cancellation and result. */
export class RemoteJob {
  readonly finished: Promise<Outcome>
  readonly #options: RemoteJobOptions
  readonly #stop = new AbortController()
  /** The state in the bucket is of this request. */
  #isOwn = false

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
    const { launcher, record, pollMs, log } = this.#options
    const { snapshot_name: snapshot, dissection_name: name } = record
    const { signal } = this.#stop
    await this.#request()
    await launcher.start(snapshot, name)
    for (;;) {
      const outcome = await this.#look().catch((error: unknown) => {
        // The job goes on meanwhile, and the next look may succeed.
        if (signal.aborted || !(error instanceof StorageProblem) || !error.isTemporary) throw error
        log.warn({ reason: error.message }, 'cannot read the state of a dissection job; trying again')
        return undefined
      })
      if (outcome) return outcome
      await sleep(pollMs, undefined, { signal })
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
      await launcher.remove(snapshot, name)
      return { kind: 'done', tally: tallyOf(state, record), run: found.run }
    }
    const failure =
      state.status === 'failed' ? state.errors.join('; ') : await launcher.failure(snapshot, name)
    if (failure !== undefined) throw new Error(failure)
    return undefined
  }

  /** Writes the request, except where an earlier run of the hub wrote it. */
  async #request(): Promise<void> {
    const { results, id, record, rules } = this.#options
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
    const state = { run: found?.run ?? newRun(), beat: 0, rules, record: request, files: [] }
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
    totalBytes: state.progress > 0 ? Math.round((100 * bytes) / state.progress) : 0,
  }
}
