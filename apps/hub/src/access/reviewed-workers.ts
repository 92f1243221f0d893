import { createHash } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { Problem } from '@tapdeck/api'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import type { Log } from '../log.ts'
import type { StateStore } from '../state/state-store.ts'
import type { Access } from './access.ts'

/** A token that the cluster has found good lets its worker in for so long without the cluster, and never after its own end. */
const VALID_FOR_MS = 3_600_000
const MAX_REMEMBERED = 4096
/** A worker waits five seconds to be let in: a known one gets its answer before, also if the API server is silent. */
const REVIEW_WITHIN_MS = 2000

const remembered = z.object({
  account: z.string(),
  node: z.string(),
  /** Unix milliseconds. */
  until: z.number(),
})
const DOCUMENT = 'access/reviewed-workers'
const shape = z.record(z.string(), remembered)

export interface ReviewedWorker {
  readonly node: string
  /** Absent: by the cluster, now. */
  readonly fromMemory?: true
}

export interface ReviewedWorkersOptions {
  readonly access: Access
  readonly state: StateStore
  readonly log: Log
  readonly now: () => number
}

/**
 * Workers by their service-account tokens. The cluster decides. Tokens that it found good are remembered by their hash, so
 * that a worker or a hub can restart while the API server is away. A token that was never reviewed is not accepted.
 */
export class ReviewedWorkers {
  readonly #access: Access
  readonly #state: StateStore
  readonly #log: Log
  readonly #now: () => number
  readonly #known: Map<string, z.output<typeof remembered>>
  #writing: Promise<void> = Promise.resolve()
  #isDirty = false

  private constructor({ access, state, log, now }: ReviewedWorkersOptions, known: z.output<typeof shape>) {
    this.#access = access
    this.#state = state
    this.#log = log
    this.#now = now
    this.#known = new Map(Object.entries(known))
  }

  static async open(options: ReviewedWorkersOptions): Promise<ReviewedWorkers> {
    // Without the document, or with a damaged one, each worker needs the API server once.
    const known = await options.state
      .read(DOCUMENT)
      .then((text) => shape.parse(JSON.parse(text ?? '{}')))
      .catch(() => ({}))
    return new ReviewedWorkers(options, known)
  }

  /** The node that a token is good for. Throws 503 if the cluster does not answer and did not review this token before. */
  async prove(token: string): Promise<ReviewedWorker | undefined> {
    const known = this.#find(token)
    const review = this.review(token)
    if (known === undefined) return review
    const fromMemory = { node: known.node, fromMemory: true as const }
    const deadline = new AbortController()
    const late = delay(REVIEW_WITHIN_MS, fromMemory, { signal: deadline.signal })
    late.catch(() => {})
    try {
      return await Promise.race([review, late])
    } catch (error) {
      if (!(error instanceof Problem) || error.status !== 503) throw error
      return fromMemory
    } finally {
      deadline.abort()
      review.catch(() => {})
    }
  }

  /** Asks the cluster, and remembers what it says. Throws 503 if it does not answer. */
  async review(token: string): Promise<ReviewedWorker | undefined> {
    const { review, workerAccount } = this.#access
    if (!review || workerAccount === '') return undefined
    const account = await review.check(token)
    const isWorker = account?.username === `system:serviceaccount:${workerAccount}`
    const node = isWorker ? account.node : undefined
    this.#remember(token, workerAccount, node)
    return node === undefined ? undefined : { node }
  }

  /** Resolves when all that is remembered is stored. */
  close(): Promise<void> {
    return this.#writing
  }

  #find(token: string): z.output<typeof remembered> | undefined {
    const known = this.#known.get(hashOf(token))
    return known && known.until > this.#now() && known.account === this.#access.workerAccount
      ? known
      : undefined
  }

  #remember(token: string, account: string, node: string | undefined): void {
    const hash = hashOf(token)
    const now = this.#now()
    const wasKnown = this.#known.delete(hash)
    const until = node === undefined ? 0 : Math.min(expiryOf(token), now + VALID_FOR_MS)
    if (node !== undefined && until > now) this.#known.set(hash, { account, node, until })
    else if (!wasKnown) return
    for (const [key, entry] of this.#known) if (entry.until <= now) this.#known.delete(key)
    for (const oldest of this.#known.keys()) {
      if (this.#known.size <= MAX_REMEMBERED) break
      this.#known.delete(oldest)
    }
    this.#save()
  }

  /** Changes while a write runs are written together. */
  #save(): void {
    if (this.#isDirty) return
    this.#isDirty = true
    this.#writing = this.#writing.then(async () => {
      this.#isDirty = false
      try {
        await this.#state.write(DOCUMENT, JSON.stringify(Object.fromEntries(this.#known)))
      } catch (error) {
        this.#log.warn({ err: error }, 'cannot save which worker tokens were reviewed')
      }
    })
  }
}

/** The signature in the token cannot be guessed, so its hash needs no salt. */
function hashOf(token: string): string {
  return createHash('sha256').update(token).digest('base64url')
}

/** Unix milliseconds; a token without an end is not remembered. */
function expiryOf(token: string): number {
  const { exp } = decodeJwt(token)
  return exp === undefined ? 0 : exp * 1000
}
