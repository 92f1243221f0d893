import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { Config } from '@tapdeck/config'
import { decodeJwt } from 'jose'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { verifierUnavailable } from './bad-credential.ts'
import { ExpiringCache } from './expiring-cache.ts'
import { trustingFetch } from './trusting-fetch.ts'

const GOOD_FOR_MS = 60_000
const BAD_FOR_MS = 10_000
const MAX_CACHED = 4096

const review = z.object({
  status: z.object({
    authenticated: z.boolean().optional(),
    audiences: z.array(z.string()).optional(),
    user: z
      .object({
        username: z.string().min(1),
        groups: z.array(z.string()).optional(),
        extra: z.record(z.string(), z.array(z.string())).optional(),
      })
      .optional(),
  }),
})

/** Whom the cluster knows a token as. */
export interface ServiceAccount {
  readonly username: string
  readonly groups: readonly string[]
  /** The node of the pod that holds the token, if the cluster reports it. */
  readonly node?: string
}

/** Asks the cluster whose token it is (`authentication.k8s.io/v1` TokenReview), and remembers the answer for a moment. */
export class TokenReview {
  readonly #options: Config['tap']['auth']['kubernetes']
  readonly #log: Log
  readonly #now: () => number
  readonly #known = new ExpiringCache<ServiceAccount | undefined>(MAX_CACHED)
  readonly #asking = new Map<string, Promise<ServiceAccount | undefined>>()

  constructor(options: Config['tap']['auth']['kubernetes'], log: Log, now: () => number) {
    this.#options = options
    this.#log = log
    this.#now = now
  }

  /** Undefined where the cluster does not know it. Throws 503 where the cluster does not answer. */
  async check(token: string): Promise<ServiceAccount | undefined> {
    const key = createHash('sha256').update(token).digest('base64url')
    const known = this.#known.get(key, this.#now())
    if (known) return known.value
    const asking = this.#asking.get(key) ?? this.#ask(token).finally(() => this.#asking.delete(key))
    this.#asking.set(key, asking)
    const account = await asking
    const until = Math.min(
      this.#now() + (account ? GOOD_FOR_MS : BAD_FOR_MS),
      account ? expiry(token) : Infinity,
    )
    this.#known.set(key, account, until)
    return account
  }

  async #ask(token: string): Promise<ServiceAccount | undefined> {
    const { audience, caFile, tokenFile } = this.#options
    try {
      const own = (await readFile(tokenFile, 'utf8')).trim()
      const answer = await trustingFetch(caFile)(
        `${this.#server}/apis/authentication.k8s.io/v1/tokenreviews`,
        {
          method: 'POST',
          headers: {
            authorization: `Bearer ${own}`,
            'content-type': 'application/json',
            accept: 'application/json',
          },
          body: JSON.stringify({
            apiVersion: 'authentication.k8s.io/v1',
            kind: 'TokenReview',
            spec: { token, audiences: [audience] },
          }),
        },
      )
      if (!answer.ok) throw new Error(`the API server returned ${answer.status} for a TokenReview`)
      return this.#read(await answer.json())
    } catch (error) {
      this.#log.warn({ detail: (error as Error).message }, 'TokenReview failed')
      throw verifierUnavailable('the Kubernetes API server')
    }
  }

  #read(answer: unknown): ServiceAccount | undefined {
    const { status } = review.parse(answer)
    // An API server that knows nothing of audiences names none: then the audience of the token was not checked.
    if (status.authenticated !== true || !status.user) return undefined
    if (!status.audiences?.includes(this.#options.audience)) return undefined
    const node = status.user.extra?.['authentication.kubernetes.io/node-name']?.[0]
    return {
      username: status.user.username,
      groups: status.user.groups ?? [],
      ...(node !== undefined && { node }),
    }
  }

  get #server(): string {
    if (this.#options.apiServer !== '') return this.#options.apiServer.replace(/\/$/, '')
    const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = process.env
    return `https://${host.includes(':') ? `[${host}]` : host}:${port}`
  }
}

/** When a token that was found good says that it ends. */
function expiry(token: string): number {
  const { exp } = decodeJwt(token)
  return exp === undefined ? Number.POSITIVE_INFINITY : exp * 1000
}
