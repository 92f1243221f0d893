import type { ReviewedWorkers } from '../access/reviewed-workers.ts'
import type { Log } from '../log.ts'
import type { Worker } from './worker.ts'

const REVIEW_EVERY_MS = 300_000

/**
 * The cluster renews the token of a worker while its connection lasts. The hub asks for the new one and has it reviewed, so
 * that the worker can come back with it while the API server is away.
 */
export class RenewedTokens {
  readonly #reviewed: ReviewedWorkers
  readonly #log: Log
  /** Connected workers. `unproven`: the token of one that was let in without the cluster, until that accepts one. */
  readonly #followed = new Map<Worker, { unproven: string | undefined }>()
  readonly #timer: NodeJS.Timeout

  constructor(reviewed: ReviewedWorkers, log: Log) {
    this.#reviewed = reviewed
    this.#log = log
    this.#timer = setInterval(() => void this.review(), REVIEW_EVERY_MS).unref()
  }

  follow(worker: Worker, unproven: string | undefined): void {
    this.#followed.set(worker, { unproven })
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** One round over all workers. */
  async review(): Promise<void> {
    for (const [worker, state] of this.#followed)
      if (worker.gone) this.#followed.delete(worker)
      else await this.#review(worker, state)
  }

  async #review(worker: Worker, state: { unproven: string | undefined }): Promise<void> {
    try {
      const credential = await this.#credential(worker, state.unproven)
      const proof = await this.#reviewed.review(credential)
      if (proof?.node === worker.node) state.unproven = undefined
      else if (state.unproven !== undefined) {
        this.#log.warn({ node: worker.node }, 'disconnected a worker: the cluster does not accept its token')
        worker.leave()
      }
    } catch {
      // An API server that is away is asked in the next round.
    }
  }

  /** A worker of an earlier version does not know the request. One without proof cannot stay by giving no answer. */
  async #credential(worker: Worker, unproven: string | undefined): Promise<string> {
    try {
      return (await worker.ask('credential', {})).credential
    } catch (error) {
      if (unproven === undefined) throw error
      return unproven
    }
  }
}
