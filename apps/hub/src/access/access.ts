import { createHash } from 'node:crypto'
import { type Capability, type Needed, Problem } from '@tapdeck/api'
import { tokenPrefix } from '@tapdeck/api/credentials'
import { type Config, durationMs } from '@tapdeck/config'
import type { Log } from '../log.ts'
import { badCredential, noCredential } from './bad-credential.ts'
import type { Caller, CallerKind } from './caller.ts'
import { groupsOf, nameOf } from './claims.ts'
import { sessionCookies } from './cookie.ts'
import { ExpiringCache } from './expiring-cache.ts'
import { FailedCredentials, SIGNED_TOKEN_COST } from './failed-credentials.ts'
import { OidcIssuer } from './oidc-issuer.ts'
import { OidcLogin } from './oidc-login.ts'
import { type Role, RoleRegistry } from './role-registry.ts'
import { type LoggedIn, Sessions } from './sessions.ts'
import type { TokenRecords } from './token-records.ts'
import { TokenReview } from './token-review.ts'
import { Tokens } from './tokens.ts'

type Auth = Config['tap']['auth']

export interface AccessOptions {
  readonly auth: Auth
  readonly dataFolder: string
  /** API tokens that several hubs share. */
  readonly sharedTokens?: TokenRecords | undefined
  readonly log: Log
  /** Unix milliseconds. */
  readonly now: () => number
}

/** An identity with a valid credential, before its role is looked up. */
interface Known {
  readonly kind: CallerKind
  readonly name: string
  readonly groups: readonly string[]
  readonly until: number
}

const MAX_CACHED = 4096
/** A signed token that was found good is not looked at again for so long. */
const GOOD_FOR_MS = 60_000
/** An identity that another service verified is verified again after this time, open streams included. */
const PROVE_AGAIN_MS = 5 * 60_000

/** Resolves callers to roles. Nothing else in the hub decides who may do what. */
export class Access {
  readonly #log: Log
  readonly #now: () => number
  readonly tokens: Tokens
  readonly sessions: Sessions
  readonly failures = new FailedCredentials()
  readonly #known = new ExpiringCache<Known>(MAX_CACHED)
  #auth: Auth
  #roles: RoleRegistry
  #issuer: OidcIssuer | undefined
  #login: OidcLogin | undefined
  #review: TokenReview | undefined
  #configGeneration = 0

  private constructor(options: AccessOptions, tokens: Tokens) {
    this.#log = options.log
    this.#now = options.now
    this.tokens = tokens
    this.#auth = options.auth
    this.#roles = new RoleRegistry(options.auth)
    this.sessions = new Sessions(0, 0)
    this.#createProviders()
  }

  /** Throws where the default role is unknown. */
  static async open(options: AccessOptions): Promise<Access> {
    const { dataFolder, log, sharedTokens: shared } = options
    return new Access(options, await Tokens.open({ dataFolder, log, shared }))
  }

  /** Takes a changed configuration, or throws and keeps the old one. Callers that were resolved before must authenticate again. */
  configure(auth: Auth): void {
    if (JSON.stringify(auth) === JSON.stringify(this.#auth)) return
    this.#roles = new RoleRegistry(auth)
    this.#auth = auth
    this.#configGeneration++
    this.#known.clear()
    this.#createProviders()
  }

  close(): Promise<void> {
    return this.tokens.close()
  }

  /** All roles, highest first, each with the groups that are mapped to it. */
  get roles(): readonly (Role & { readonly groups: readonly string[] })[] {
    return this.#roles.list()
  }

  get defaultRole(): string {
    return this.#roles.default.name
  }

  get identifies(): boolean {
    return this.#auth.enabled
  }

  /** Where browsers may log in; undefined where only API tokens can be pasted. */
  get login(): OidcLogin | undefined {
    return this.#login
  }

  /** Who else may be asked about a service-account token, such as a worker's. */
  get review(): TokenReview | undefined {
    return this.#review
  }

  get workerAccount(): string {
    return this.#auth.kubernetes.workers
  }

  /**
   * Throws 401 where callers are identified and this one brought nothing that proves who it is, 403 where it has no role
   * here, 429 if its address sends too many invalid credentials, and 503 if the verifier does not respond.
   */
  async resolve(headers: Headers, address = ''): Promise<Caller> {
    if (!this.#auth.enabled)
      return this.#caller(this.#roles.default, {
        name: 'anonymous',
        kind: 'none',
        key: `anonymous ${address}`,
      })
    const authorization = headers.get('authorization')
    if (authorization !== null) return this.#bearer(authorization, address)
    const secrets = sessionCookies(headers)
    if (secrets.length === 0) throw noCredential()
    for (const secret of secrets) {
      const session = this.sessions.find(secret, this.#now())
      if (session) return this.#loggedIn(session.who, session)
    }
    throw badCredential('The session has expired')
  }

  /** Checks the credential of a login. */
  async logIn(token: string, address: string): Promise<{ readonly caller: Caller; readonly who: LoggedIn }> {
    const caller = await this.#bearer(`Bearer ${token}`, address)
    if (caller.token === undefined) throw badCredential('Only an API token can be used here')
    return { caller, who: { kind: 'token', token: caller.token } }
  }

  /** The session that a browser shows, ended. */
  logOut(headers: Headers): LoggedIn | undefined {
    return sessionCookies(headers)
      .map((secret) => this.sessions.close(secret))
      .find((who) => who !== undefined)
  }

  /** Whether a caller that was resolved earlier may go on, such as with an open stream. */
  isCredentialValid(caller: Caller): boolean {
    const now = this.#now()
    if (caller.configGeneration !== this.#configGeneration || caller.until <= now) return false
    if (caller.token !== undefined && this.tokens.get(caller.token, now) === undefined) return false
    return caller.session === undefined || this.sessions.holds(caller.session, now)
  }

  async #bearer(authorization: string, address: string): Promise<Caller> {
    const given = /^Bearer +([\x21-\x7e]+)$/i.exec(authorization)?.[1]
    const isSigned = given !== undefined && /^[\w-]+\.[\w-]+\.[\w-]*$/.test(given)
    if (given?.startsWith(tokenPrefix)) {
      const token = this.tokens.find(given, this.#now())
      if (token) return this.#ofToken(token.id)
    } else if (isSigned) {
      const known = await this.#signed(given, address)
      if (known) return this.#ofGroups(known)
    }
    this.failures.admit(address, this.#now())
    if (this.failures.failed(address, this.#now(), isSigned ? SIGNED_TOKEN_COST : 1))
      this.#log.warn({ from: address }, 'rejected an invalid credential')
    throw badCredential()
  }

  async #signed(token: string, address: string): Promise<Known | undefined> {
    const key = createHash('sha256').update(token).digest('base64url')
    const before = this.#known.get(key, this.#now())
    if (before) return before.value
    this.failures.admit(address, this.#now())
    const known = await this.#check(token).catch((error: unknown) => {
      if (error instanceof Problem && error.status === 401) return undefined
      throw error
    })
    if (known === undefined) return undefined
    const until = Math.min(known.until, this.#now() + GOOD_FOR_MS)
    this.#known.set(key, { ...known, until }, until)
    return known
  }

  async #check(token: string): Promise<Known | undefined> {
    const { rolesClaim, nameClaim } = this.#auth.oidc
    if (this.#issuer?.claims(token)) {
      const claims = await this.#issuer.check(token)
      const until = Number(claims.exp) * 1000
      return { kind: 'oidc', name: nameOf(claims, nameClaim), groups: groupsOf(claims, rolesClaim), until }
    }
    const account = await this.#review?.check(token)
    if (account === undefined) return undefined
    const { username, groups } = account
    return {
      kind: 'kubernetes',
      name: username,
      groups: [username, ...groups],
      until: this.#now() + PROVE_AGAIN_MS,
    }
  }

  #loggedIn(who: LoggedIn, session: { readonly key: string; readonly endsAt: number }): Caller {
    const by = { cookie: true, session: session.key, until: session.endsAt }
    if (who.kind === 'oidc') {
      if (!this.#login) throw badCredential('The session has expired')
      return { ...this.#ofGroups({ ...who, until: session.endsAt }), ...by }
    }
    const caller = this.#ofToken(who.token)
    return { ...caller, ...by, until: Math.min(caller.until, by.until) }
  }

  #ofToken(id: string): Caller {
    const token = this.tokens.get(id, this.#now())
    if (!token) throw badCredential('The session has expired')
    const role = this.#roles.find(token.role)
    if (!role) throw noRole(`The role "${token.role}" of this token no longer exists`)
    return this.#caller(role, {
      name: token.name,
      kind: 'token',
      key: `token ${id}`,
      token: id,
      until: token.expires_at === null ? Number.POSITIVE_INFINITY : Date.parse(token.expires_at),
    })
  }

  #ofGroups({ kind, name, groups, until }: Known): Caller {
    const role = this.#roles.highest(groups)
    if (!role) throw noRole(`${name} is not in a group that has a role`)
    return this.#caller(role, { name, kind, key: `${kind} ${name}`, until })
  }

  #caller(role: Role, who: Pick<Caller, 'name' | 'kind' | 'key'> & Partial<Caller>): Caller {
    return {
      cookie: false,
      until: Number.POSITIVE_INFINITY,
      ...who,
      role: role.name,
      capabilities: role.capabilities,
      namespaces: role.namespaces,
      configGeneration: this.#configGeneration,
    }
  }

  #createProviders(): void {
    const { oidc, kubernetes, session } = this.#auth
    this.#issuer = oidc.issuer === '' ? undefined : new OidcIssuer(oidc, this.#log, this.#now)
    this.#login = oidc.clientId === '' ? undefined : new OidcLogin(oidc, this.#log, this.#now)
    this.#review = kubernetes.enabled ? new TokenReview(kubernetes, this.#log, this.#now) : undefined
    this.sessions.idleMs = durationMs(session.idle)
    this.sessions.longestMs = durationMs(session.longest)
  }
}

function noRole(detail: string): Problem {
  return new Problem(403, 'no_role', detail, {
    hint: 'Map one of the groups of this user to a role in tap.auth.groupMapping.',
  })
}

/** Throws 403 where the caller lacks something that is needed; the first capability that it lacks is named in `missing`. */
export function requireCapability(caller: Caller, needed: readonly Needed[]): void {
  const missing = needed.map((one) => lackedOf(one, caller)).filter((any) => any.length > 0)
  if (missing.length === 0) return
  const named = missing.map((any) => any.join(' or ')).join(' and ')
  throw new Problem(403, 'missing_capability', `The role "${caller.role}" lacks the capability ${named}`, {
    missing: missing[0]?.[0],
    role: caller.role,
  })
}

/** The capabilities of which the caller needs one more; empty: it holds what is needed. */
export function lackedOf(
  needed: Needed,
  { capabilities }: Pick<Caller, 'capabilities'>,
): readonly Capability[] {
  const any = typeof needed === 'string' ? [needed] : needed.anyOf
  return any.some((one) => capabilities.includes(one)) ? [] : any
}
