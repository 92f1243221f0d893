import type { Config } from '@tapdeck/config'
import { durationMs } from '@tapdeck/config'
import { createRemoteJWKSet, customFetch, decodeJwt, errors, type JWTPayload, jwtVerify } from 'jose'
import type { Log } from '../log.ts'
import { badCredential, verifierUnavailable } from './bad-credential.ts'
import { type FetchInit, trustingFetch } from './trusting-fetch.ts'

/** Only signature algorithms that need the private key of the issuer. */
const signatures = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']
/** RFC 9068, and what most providers write instead. */
const types = ['at+jwt', 'application/at+jwt', 'jwt', undefined]
const KEYS_FOR_MS = 10 * 60_000
const ASK_AGAIN_AFTER_MS = 2000
const MAX_SKEW_S = 300

type Keys = ReturnType<typeof createRemoteJWKSet>

/** An OpenID Connect provider whose access tokens are accepted: signed by its keys, made for us, of this time. */
export class OidcIssuer {
  readonly #options: Config['tap']['auth']['oidc']
  readonly #log: Log
  readonly #now: () => number
  readonly fetch: (url: string, init?: FetchInit) => Promise<Response>
  #keys: Promise<Keys> | undefined
  /** Until then no login is sent to a provider that did not respond. */
  #restUntil = 0

  constructor(options: Config['tap']['auth']['oidc'], log: Log, now: () => number) {
    this.#options = options
    this.#log = log
    this.#now = now
    this.fetch = trustingFetch(options.caFile)
  }

  /** Whether a token says that it is of this issuer. Says nothing about whether that is true. */
  claims(token: string): boolean {
    try {
      return decodeJwt(token).iss === this.#options.issuer
    } catch {
      return false
    }
  }

  /** The claims of a good access token. Throws 401 for any other, 503 where the provider does not answer. */
  async check(token: string): Promise<JWTPayload> {
    const { issuer, audience, clockSkew } = this.#options
    if (audience === '')
      throw badCredential(
        'Bearer tokens of the identity provider are not accepted: tap.auth.oidc.audience is not set',
      )
    const keys = await this.#issuerKeys()
    try {
      const { payload, protectedHeader } = await jwtVerify(token, keys, {
        issuer,
        audience,
        algorithms: signatures,
        clockTolerance: Math.min(MAX_SKEW_S, durationMs(clockSkew) / 1000),
        currentDate: new Date(this.#now()),
        requiredClaims: ['exp', 'sub'],
      })
      const reason = reasonAgainst(payload, protectedHeader.typ)
      if (reason === undefined) return payload
      this.#log.debug({ reason }, 'rejected a token of the identity provider')
    } catch (error) {
      if (!isVerdict(error)) {
        this.#rest(error)
        throw verifierUnavailable('the identity provider')
      }
      this.#log.debug({ reason: (error as Error).message }, 'rejected a token of the identity provider')
    }
    throw badCredential()
  }

  async #issuerKeys(): Promise<Keys> {
    if (this.#now() < this.#restUntil) throw verifierUnavailable('the identity provider')
    this.#keys ??= this.#discover()
    try {
      return await this.#keys
    } catch (error) {
      this.#keys = undefined
      this.#rest(error)
      throw verifierUnavailable('the identity provider')
    }
  }

  async #discover(): Promise<Keys> {
    const { issuer } = this.#options
    const answer = await this.fetch(`${issuer.replace(/\/$/, '')}/.well-known/openid-configuration`)
    const found = (await answer.json()) as { readonly issuer?: unknown; readonly jwks_uri?: unknown }
    if (!answer.ok || found.issuer !== issuer || typeof found.jwks_uri !== 'string')
      throw new Error(`the discovery document at tap.auth.oidc.issuer names another issuer than ${issuer}`)
    return createRemoteJWKSet(new URL(found.jwks_uri), {
      cacheMaxAge: KEYS_FOR_MS,
      cooldownDuration: ASK_AGAIN_AFTER_MS,
      [customFetch]: this.fetch,
    })
  }

  #rest(error: unknown): void {
    this.#restUntil = this.#now() + ASK_AGAIN_AFTER_MS
    this.#log.warn({ detail: (error as Error).message }, 'invalid response from the identity provider')
  }
}

/** Whether an error says something about the token, rather than about the provider. */
function isVerdict(error: unknown): boolean {
  return (
    error instanceof errors.JOSEError &&
    !(error instanceof errors.JWKSTimeout) &&
    !(error instanceof errors.JWKSInvalid) &&
    error.code !== 'ERR_JOSE_GENERIC'
  )
}

/** Other tokens of the same issuer are no access tokens, however well signed. */
function reasonAgainst(payload: JWTPayload, type: string | undefined): string | undefined {
  const written = type?.toLowerCase()
  if (!types.includes(written)) return `unexpected typ ${written}`
  if (payload.cnf !== undefined) return 'bound to a key (cnf), so it is not a bearer token'
  const isAccess = written === 'at+jwt' || written === 'application/at+jwt'
  if (!isAccess && (payload.nonce !== undefined || payload.at_hash !== undefined || payload.typ === 'ID'))
    return 'this is an ID token, not an access token'
  if (payload.typ === 'Refresh' || payload.typ === 'Offline')
    return 'this is a refresh token, not an access token'
  return undefined
}
