import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { exportJWK, generateKeyPair, type JWK, SignJWT } from 'jose'
import Provider from 'oidc-provider'

export const audience = 'urn:tapdeck:test'

/** A real OpenID Connect provider on the loopback, with one client and whatever users log in. */
export class IdentityProvider {
  readonly issuer: string
  readonly #server: Server
  #provider: Provider
  #key: JWK
  /** The groups of all users. */
  groups: readonly string[] = ['devs']
  /** How often its keys were fetched. */
  keyRequests = 0

  private constructor(server: Server, issuer: string, key: JWK) {
    this.#server = server
    this.issuer = issuer
    this.#key = key
    this.#provider = this.#create()
    server.on('request', (request, response) => {
      if (request.url === '/jwks') this.keyRequests++
      void this.#provider.callback()(request, response)
    })
  }

  static async start(): Promise<IdentityProvider> {
    const server = createServer()
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const { port } = server.address() as AddressInfo
    return new IdentityProvider(server, `http://127.0.0.1:${port}`, await newKey())
  }

  /** A key of its own for each time this is called; tokens signed by the ones before are no longer known. */
  async rotate(): Promise<void> {
    this.#key = await newKey()
    this.#provider = this.#create()
  }

  get key(): JWK {
    return this.#key
  }

  /** A token of this provider, as it would sign it; what is given replaces what is usual. */
  sign(
    claims: Record<string, unknown> = {},
    header: Record<string, unknown> = {},
    key = this.#key,
  ): Promise<string> {
    const now = Math.floor(Date.now() / 1000)
    const usual = {
      iss: this.issuer,
      aud: audience,
      sub: 'ada',
      email: 'ada@example.com',
      groups: this.groups,
      iat: now,
      exp: now + 300,
    }
    const payload = Object.fromEntries(
      Object.entries({ ...usual, ...claims }).filter(([, value]) => value !== undefined),
    )
    return new SignJWT(payload)
      .setProtectedHeader({ alg: 'ES256', typ: 'at+jwt', kid: String(key.kid), ...header })
      .sign({ ...key, alg: 'ES256' })
  }

  /** An access token as a program gets it, by the provider's own token endpoint. */
  async grant(): Promise<string> {
    const answer = await fetch(`${this.issuer}/token`, {
      method: 'POST',
      headers: { authorization: `Basic ${Buffer.from('tapdeck:hush').toString('base64')}` },
      body: new URLSearchParams({ grant_type: 'client_credentials', resource: audience, scope: 'read' }),
    })
    return ((await answer.json()) as { access_token: string }).access_token
  }

  async stop(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #create(): Provider {
    return new Provider(this.issuer, {
      jwks: { keys: [{ ...this.#key, use: 'sig', alg: 'ES256' } as never] },
      clients: [
        {
          client_id: 'tapdeck',
          client_secret: 'hush',
          grant_types: ['authorization_code', 'client_credentials'],
          response_types: ['code'],
          id_token_signed_response_alg: 'ES256',
          redirect_uris: ['http://127.0.0.1/auth/callback'],
          post_logout_redirect_uris: ['http://127.0.0.1/'],
        },
      ],
      cookies: { keys: ['only for tests'] },
      pkce: { required: () => true },
      conformIdTokenClaims: false,
      claims: { openid: ['sub'], email: ['email'], profile: ['groups'] },
      findAccount: (_context, id) => ({
        accountId: id,
        claims: () => ({ sub: id, email: `${id}@example.com`, groups: this.groups }),
      }),
      extraTokenClaims: () => ({ groups: this.groups }),
      features: {
        clientCredentials: { enabled: true },
        resourceIndicators: {
          enabled: true,
          defaultResource: () => audience,
          getResourceServerInfo: () => ({
            scope: 'read',
            audience,
            accessTokenFormat: 'jwt',
            accessTokenTTL: 300,
            jwt: { sign: { alg: 'ES256' } },
          }),
        },
      },
    })
  }
}

async function newKey(): Promise<JWK> {
  const { privateKey } = await generateKeyPair('ES256', { extractable: true })
  return { ...(await exportJWK(privateKey)), kid: crypto.randomUUID() }
}
