import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Problem } from '@tapdeck/api'
import type { Config } from '@tapdeck/config'
import { durationMs } from '@tapdeck/config'
import * as client from 'openid-client'
import { z } from 'zod'
import type { Log } from '../log.ts'
import { verifierUnavailable } from './bad-credential.ts'
import { groupsOf, nameOf } from './claims.ts'
import type { LoggedIn } from './sessions.ts'
import { trustingFetch } from './trusting-fetch.ts'

export const LOGIN_WITHIN_S = 600

const begun = z.object({
  state: z.string(),
  nonce: z.string(),
  verifier: z.string(),
  returnTo: z.string(),
  until: z.number(),
})

/** Browser login: authorization code with PKCE, state and nonce. What must be remembered travels sealed in a cookie. */
export class OidcLogin {
  readonly #options: Config['tap']['auth']['oidc']
  readonly #log: Log
  readonly #now: () => number
  readonly #key = randomBytes(32)
  #found: Promise<client.Configuration> | undefined

  constructor(options: Config['tap']['auth']['oidc'], log: Log, now: () => number) {
    this.#options = options
    this.#log = log
    this.#now = now
  }

  /** Where to send the browser, and what its cookie holds meanwhile. */
  async begin(
    redirectUri: string,
    returnTo: string,
  ): Promise<{ readonly address: URL; readonly cookie: string }> {
    const provider = await this.#provider()
    const state = client.randomState()
    const nonce = client.randomNonce()
    const verifier = client.randomPKCECodeVerifier()
    const address = client.buildAuthorizationUrl(provider, {
      redirect_uri: redirectUri,
      scope: this.#options.scopes.join(' '),
      state,
      nonce,
      code_challenge: await client.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    })
    const until = this.#now() + LOGIN_WITHIN_S * 1000
    return { address, cookie: this.#seal({ state, nonce, verifier, returnTo, until }) }
  }

  /** Takes the browser back. Throws 400 or 401 where it does not bring what it was sent for. */
  async finish(
    callback: URL,
    cookie: string | undefined,
  ): Promise<{ readonly who: LoggedIn; readonly returnTo: string }> {
    const memory = this.#open(cookie)
    if (memory === undefined || memory.until < this.#now())
      throw new Problem(400, 'login_expired', 'The login was started in another browser, or it expired', {
        hint: 'Log in again.',
      })
    const provider = await this.#provider()
    try {
      const tokens = await client.authorizationCodeGrant(provider, callback, {
        pkceCodeVerifier: memory.verifier,
        expectedState: memory.state,
        expectedNonce: memory.nonce,
        idTokenExpected: true,
      })
      const claims = await this.#claims(provider, tokens)
      const { rolesClaim, nameClaim } = this.#options
      return {
        who: {
          kind: 'oidc',
          name: nameOf(claims, nameClaim),
          groups: groupsOf(claims, rolesClaim),
          ...(tokens.id_token !== undefined && { idToken: tokens.id_token }),
        },
        returnTo: memory.returnTo,
      }
    } catch (error) {
      const { code, message } = error as Error & { readonly code?: string }
      this.#log.warn({ code, detail: message }, 'login at the identity provider failed')
      throw new Problem(401, 'login_failed', 'The identity provider rejected this login')
    }
  }

  /** Where the provider ends its own session too; undefined where it offers no such thing. */
  async endSessionUrl(idToken: string | undefined, home: string): Promise<string | undefined> {
    const provider = await this.#provider().catch(() => undefined)
    if (provider?.serverMetadata().end_session_endpoint === undefined) return undefined
    return client.buildEndSessionUrl(provider, {
      post_logout_redirect_uri: home,
      ...(idToken !== undefined && { id_token_hint: idToken }),
    }).href
  }

  /** Some providers name groups only when asked for the user. */
  async #claims(
    provider: client.Configuration,
    tokens: Awaited<ReturnType<typeof client.authorizationCodeGrant>>,
  ): Promise<Readonly<Record<string, unknown>>> {
    const claims = tokens.claims()
    if (claims === undefined) throw new Error('the response has no ID token')
    if (groupsOf(claims, this.#options.rolesClaim).length > 0) return claims
    if (provider.serverMetadata().userinfo_endpoint === undefined) return claims
    return { ...(await client.fetchUserInfo(provider, tokens.access_token, claims.sub)), ...claims }
  }

  async #provider(): Promise<client.Configuration> {
    this.#found ??= this.#discover()
    try {
      return await this.#found
    } catch (error) {
      this.#found = undefined
      this.#log.warn({ detail: (error as Error).message }, 'invalid response from the identity provider')
      throw verifierUnavailable('the identity provider')
    }
  }

  #discover(): Promise<client.Configuration> {
    const { issuer, clientId, clockSkew, caFile } = this.#options
    const secret = this.#secret()
    return client.discovery(
      new URL(issuer),
      clientId,
      { [client.clockTolerance]: Math.min(300, durationMs(clockSkew) / 1000) },
      secret === '' ? client.None() : client.ClientSecretBasic(secret),
      {
        [client.customFetch]: trustingFetch(caFile),
        execute: [
          client.enableNonRepudiationChecks,
          // The operator configured http://: a provider beside the hub, or a test.
          ...(issuer.startsWith('http:') ? [client.allowInsecureRequests] : []),
        ],
      },
    )
  }

  #secret(): string {
    const { clientSecret, clientSecretFile } = this.#options
    return clientSecretFile === '' ? clientSecret : readFileSync(clientSecretFile, 'utf8').trim()
  }

  #seal(memory: z.input<typeof begun>): string {
    const iv = randomBytes(12)
    const cipher = createCipheriv('aes-256-gcm', this.#key, iv)
    const sealed = Buffer.concat([cipher.update(JSON.stringify(memory)), cipher.final()])
    return Buffer.concat([iv, cipher.getAuthTag(), sealed]).toString('base64url')
  }

  #open(cookie: string | undefined): z.output<typeof begun> | undefined {
    if (cookie === undefined) return undefined
    try {
      const bytes = Buffer.from(cookie, 'base64url')
      const decipher = createDecipheriv('aes-256-gcm', this.#key, bytes.subarray(0, 12), {
        authTagLength: 16,
      })
      decipher.setAuthTag(bytes.subarray(12, 28))
      return begun.parse(
        JSON.parse(decipher.update(bytes.subarray(28), undefined, 'utf8') + decipher.final('utf8')),
      )
    } catch {
      return undefined
    }
  }
}
