import { createHmac } from 'node:crypto'
import { exportSPKI, importJWK, type JWK } from 'jose'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { audience, IdentityProvider } from '../testing/identity-provider.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let provider: IdentityProvider
let hub: TestHub

beforeEach(async () => {
  provider = await IdentityProvider.start()
  hub = await startHub({ set: identified() })
})
afterEach(async () => {
  await hub.stop()
  await provider.stop()
})

const identified = (more: string[] = []) => [
  'tap.auth.enabled=true',
  `tap.auth.oidc.issuer=${provider.issuer},tap.auth.oidc.audience=${audience}`,
  'tap.auth.groupMapping.devs=svc-viewer,tap.auth.groupMapping.ops=svc-admin',
  ...more,
]
const ask = (token: string) => hub.get('/api/whoami', { authorization: `Bearer ${token}` })
const seconds = () => Math.floor(Date.now() / 1000)
const base64 = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')

it('takes an access token that the provider itself gave to a program', async () => {
  const { status, json } = await ask(await provider.grant())
  expect([status, json.role, json.auth.kind]).toEqual([200, 'svc-viewer', 'oidc'])
})

it('takes the highest role of several groups, and refuses a caller without any', async () => {
  expect((await ask(await provider.sign({ groups: ['devs', 'ops', 'x'] }))).json).toMatchObject({
    name: 'ada@example.com',
    role: 'svc-admin',
  })
  expect((await ask(await provider.sign({ groups: 'devs' }))).json.role).toBe('svc-viewer')
  expect((await ask(await provider.sign({ groups: ['svc-snapshot'] }))).json.role).toBe('svc-snapshot')
  for (const groups of [[], ['unmapped'], undefined, 42, { devs: true }])
    expect((await ask(await provider.sign({ groups }))).json).toMatchObject({ status: 403, code: 'no_role' })
})

it('finds roles deep in a claim', async () => {
  await hub.stop()
  hub = await startHub({ set: identified(['tap.auth.oidc.rolesClaim=realm_access.roles']) })
  expect((await ask(await provider.sign({ realm_access: { roles: ['ops'] } }))).json.role).toBe('svc-admin')
})

it('takes the tokens of rotated keys, and after that no more of the old ones', async () => {
  const old = await provider.sign()
  const oldKey = provider.key
  expect((await ask(old)).status).toBe(200)
  await provider.rotate()
  // Keys that are not known are asked for again, but not at every token: the pause between two fetches must pass.
  await until(
    async () => ask(await provider.sign()),
    ({ status }) => status === 200,
  )
  expect((await ask(await provider.sign({ jti: 'another' }, {}, oldKey))).status).toBe(401)
}, 60_000)

it('allows clocks to differ a little, and no more', async () => {
  for (const [claims, status] of [
    [{ exp: seconds() - 10 }, 200],
    [{ exp: seconds() - 60 }, 401],
    [{ nbf: seconds() + 10 }, 200],
    [{ nbf: seconds() + 60 }, 401],
    [{ exp: undefined }, 401],
    [{ exp: 'soon' }, 401],
    [{ sub: undefined }, 401],
  ] as const)
    expect((await ask(await provider.sign(claims))).status, JSON.stringify(claims)).toBe(status)
})

it('refuses what is not for us, not of the issuer, or no access token', async () => {
  for (const [claims, header] of [
    [{ aud: 'urn:other' }, {}],
    [{ aud: [] }, {}],
    [{ aud: undefined }, {}],
    [{ iss: 'https://evil.example' }, {}],
    [{ iss: `${provider.issuer}/` }, {}],
    [{}, { typ: 'logout+jwt' }],
    [{}, { typ: 'dpop+jwt' }],
    [{ nonce: 'n' }, { typ: 'JWT' }],
    [{ at_hash: 'h' }, { typ: undefined }],
    [{ typ: 'Refresh' }, { typ: 'JWT' }],
    [{ cnf: { jkt: 'a key that a bearer does not show' } }, {}],
    [{}, { kid: 'unknown' }],
    [{}, { crit: ['exp'], exp: 1 }],
  ]) {
    const { status, json } = await ask(await provider.sign(claims, header).catch(() => 'a.b.c'))
    expect([status, json.code], JSON.stringify([claims, header])).toEqual([401, 'bad_credential'])
  }
  expect((await ask(await provider.sign({ aud: ['x', audience] }, { typ: 'JWT' }))).status).toBe(200)
})

it('refuses what is forged', async () => {
  const good = await provider.sign({ groups: ['ops'] })
  const [header, payload, signature] = good.split('.') as [string, string, string]
  const claims = JSON.parse(Buffer.from(payload, 'base64url').toString())
  const publicKey = publicOf(provider.key)
  const pem = await exportSPKI((await importJWK(publicKey, 'ES256')) as never)
  const hmac = (alg: string, secret: string) => {
    const text = `${base64({ alg, typ: 'at+jwt', kid: provider.key.kid })}.${payload}`
    return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`
  }
  const otherProvider = await IdentityProvider.start()
  try {
    for (const [what, token] of [
      ['alg none', `${base64({ alg: 'none', typ: 'at+jwt' })}.${payload}.`],
      ['alg None', `${base64({ alg: 'None' })}.${payload}.${signature}`],
      ['HS256 with the public key as the secret', hmac('HS256', pem)],
      ['HS256 with its coordinate', hmac('HS256', String(provider.key.x))],
      ['other claims under a good signature', `${header}.${base64({ ...claims, sub: 'root' })}.${signature}`],
      ['no signature', `${header}.${payload}.`],
      ['a key of another provider', await otherProvider.sign({ iss: provider.issuer })],
      [
        'the key in the token itself',
        await otherProvider.sign({ iss: provider.issuer }, { jwk: publicOf(otherProvider.key) }),
      ],
      [
        'the address of keys in the token',
        await otherProvider.sign({ iss: provider.issuer }, { jku: `${otherProvider.issuer}/jwks` }),
      ],
      ['no JSON', 'AAAA.BBBB.CCCC'],
    ] as const) {
      const { status, json, text } = await ask(token)
      expect([status, json.code], what).toEqual([401, 'bad_credential'])
      expect(text, what).not.toContain(token)
    }
    expect(otherProvider.keyRequests).toBe(0)
  } finally {
    await otherProvider.stop()
  }
})

it('says 503 and not 401 where the provider is down, and 200 to a caller that is cached', async () => {
  const known = await provider.sign()
  expect((await ask(known)).status).toBe(200)
  await hub.stop()
  hub = await startHub({ set: identified() })
  await provider.stop()
  const { status, json } = await ask(await provider.sign())
  expect([status, json.code]).toEqual([503, 'identity_unavailable'])
  expect(json.hint).toContain('try again')
  provider = await IdentityProvider.start()
})

it('asks for keys once for many tokens, even if their key is unknown', async () => {
  await Promise.all(
    Array.from({ length: 20 }, async () => ask(await provider.sign({ jti: crypto.randomUUID() }))),
  )
  for (let count = 0; count < 20; count++) await ask(await provider.sign({}, { kid: `guess-${count}` }))
  expect(provider.keyRequests).toBeLessThanOrEqual(2)
})

it('slows down a client that sends many bad signed tokens, and no known caller', async () => {
  const good = await provider.sign()
  expect((await ask(good)).status).toBe(200)
  const statuses = new Set<number>()
  for (let count = 0; count < 260; count++)
    statuses.add(
      (await ask(`${base64({ alg: 'RS256' })}.${base64({ iss: provider.issuer, n: count })}.AAAA`)).status,
    )
  expect([...statuses].sort()).toEqual([401, 429])
  expect((await ask(good)).status).toBe(200)
})

function publicOf({ kty, crv, x, y }: JWK): JWK {
  return { kty: kty!, crv: crv!, x: x!, y: y! }
}
