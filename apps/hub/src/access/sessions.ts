import { createHash, randomBytes } from 'node:crypto'

/** Who logged in. Rights are not kept: they are looked up at each request, so that a change counts at once. */
export type LoggedIn =
  | { readonly kind: 'token'; readonly token: string }
  | {
      readonly kind: 'oidc'
      readonly name: string
      readonly groups: readonly string[]
      readonly idToken?: string
    }

interface Session {
  readonly who: LoggedIn
  readonly of: string
  readonly endsAt: number
  seenAt: number
}

const MOST = 10_000
const MAX_PER_USER = 50

/** Browser sessions, in memory: a restart ends them. Bounded, and each ends by itself. */
export class Sessions {
  /** By digest of the secret that the browser holds, least recently used first. */
  readonly #sessions = new Map<string, Session>()
  readonly #byOwner = new Map<string, Set<string>>()
  idleMs: number
  longestMs: number

  constructor(idleMs: number, longestMs: number) {
    this.idleMs = idleMs
    this.longestMs = longestMs
  }

  get size(): number {
    return this.#sessions.size
  }

  /** Returns the secret for the cookie. */
  open(who: LoggedIn, now: number): string {
    const of = who.kind === 'token' ? `token ${who.token}` : `oidc ${who.name}`
    const secret = randomBytes(32).toString('base64url')
    this.#sessions.set(digest(secret), { who, of, endsAt: now + this.longestMs, seenAt: now })
    const own = this.#byOwner.get(of) ?? new Set<string>()
    this.#byOwner.set(of, own.add(digest(secret)))
    if (own.size > MAX_PER_USER) this.#end(first(own))
    if (this.#sessions.size > MOST) this.#end(first(this.#sessions))
    return secret
  }

  /** Whose session it is, with its key, which is no secret. */
  find(
    secret: string,
    now: number,
  ): { readonly key: string; readonly who: LoggedIn; readonly endsAt: number } | undefined {
    const key = digest(secret)
    const session = this.#alive(key, now)
    if (!session) return undefined
    session.seenAt = now
    this.#sessions.delete(key)
    this.#sessions.set(key, session)
    return { key, who: session.who, endsAt: session.endsAt }
  }

  /** Whether the session of that key goes on. A stream that is open keeps it alive. */
  holds(key: string, now: number): boolean {
    const session = this.#alive(key, now)
    if (session) session.seenAt = now
    return session !== undefined
  }

  close(secret: string): LoggedIn | undefined {
    const key = digest(secret)
    return this.#end(key)?.who
  }

  #alive(key: string, now: number): Session | undefined {
    const session = this.#sessions.get(key)
    if (!session) return undefined
    if (now < session.endsAt && now - session.seenAt < this.idleMs) return session
    this.#end(key)
    return undefined
  }

  #end(key: string): Session | undefined {
    const session = this.#sessions.get(key)
    if (!session) return undefined
    this.#sessions.delete(key)
    const own = this.#byOwner.get(session.of)
    own?.delete(key)
    if (own?.size === 0) this.#byOwner.delete(session.of)
    return session
  }
}

function first(keys: { keys(): Iterator<string> }): string {
  return keys.keys().next().value ?? ''
}

function digest(secret: string): string {
  return createHash('sha256').update(secret).digest('base64url')
}
