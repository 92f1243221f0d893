import { afterEach, beforeEach, expect, it } from 'vitest'
import { IdentityProvider } from '../testing/identity-provider.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let provider: IdentityProvider
let hub: TestHub

beforeEach(async () => {
  provider = await IdentityProvider.start()
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      `tap.auth.oidc.issuer=${provider.issuer},tap.auth.oidc.clientId=tapdeck,tap.auth.oidc.clientSecret=hush`,
      'tap.auth.groupMapping.devs=svc-realtime',
    ],
  })
})
afterEach(async () => {
  await hub.stop()
  await provider.stop()
})

/** As much of a browser as a login needs: it keeps cookies by host and does what forms say. */
class Browser {
  readonly #jar = new Map<string, Map<string, string>>()

  cookie(url: string): string {
    return [...(this.#jar.get(new URL(url).origin) ?? [])]
      .map(([name, value]) => `${name}=${value}`)
      .join('; ')
  }

  async open(url: string, form?: Record<string, string>): Promise<Response> {
    const headers: Record<string, string> = { host: new URL(url).host, cookie: this.cookie(url) }
    const init = {
      redirect: 'manual' as const,
      headers,
      ...(form && { method: 'POST', body: new URLSearchParams(form) }),
    }
    const response = url.startsWith('http://127.0.0.1/')
      ? await hub.fetch(new Request(url, init))
      : await fetch(url, init)
    const jar = this.#jar.get(new URL(url).origin) ?? new Map<string, string>()
    this.#jar.set(new URL(url).origin, jar)
    for (const line of response.headers.getSetCookie()) {
      const [, name, value] = /^([^=]+)=([^;]*)/.exec(line)!
      if (value === '' || /max-age=0/i.test(line)) jar.delete(name!)
      else jar.set(name!, value!)
    }
    return response
  }

  /** Follows redirects, and fills in the provider's forms, until it is back at the hub. Returns the last address asked. */
  async logIn(start: string): Promise<{ readonly callback: string; readonly response: Response }> {
    let url = start
    let response = await this.open(url)
    for (let step = 0; step < 20; step++) {
      if (new URL(url).pathname === '/auth/callback') return { callback: url, response }
      const location = response.headers.get('location')
      if (location !== null) {
        url = new URL(location, url).href
        response = await this.open(url)
        continue
      }
      const page = await response.text()
      const action = /action="([^"]+)"/.exec(page)?.[1]
      const prompt = /name="prompt" value="(\w+)"/.exec(page)?.[1]
      if (action === undefined || prompt === undefined)
        throw new Error(`no form at ${url}: ${page.slice(0, 500)}`)
      url = new URL(action, url).href
      response = await this.open(url, { prompt, login: 'ada', password: 'any' })
    }
    throw new Error('the login goes round in circles')
  }
}

const home = 'http://127.0.0.1'
const whoami = (cookie: string) => hub.get('/api/whoami', { cookie })

it('logs a browser in by code with PKCE, state and nonce, and out again at both ends', async () => {
  const browser = new Browser()
  const begin = await browser.open(`${home}/auth/login?return_to=/%23snapshots`)
  const asked = new URL(begin.headers.get('location')!)
  expect(asked.origin).toBe(provider.issuer)
  expect(asked.searchParams.get('code_challenge_method')).toBe('S256')
  for (const name of ['state', 'nonce', 'code_challenge'])
    expect(asked.searchParams.get(name)!.length).toBeGreaterThan(30)
  expect(begin.headers.getSetCookie()[0]).toMatch(
    /^tapdeck_login=.*Path=\/auth; Max-Age=600; HttpOnly; SameSite=Lax$/,
  )

  const { response } = await browser.logIn(`${home}/auth/login?return_to=/%23snapshots`)
  expect([response.status, response.headers.get('location')]).toEqual([302, '/#snapshots'])
  const [set] = response.headers.getSetCookie().filter((line) => line.startsWith('tapdeck_session='))
  expect(set).toMatch(/^tapdeck_session=[\w-]{43}; Path=\/; Max-Age=43200; HttpOnly; SameSite=Lax$/)
  const cookie = browser.cookie(home)
  expect((await whoami(cookie)).json).toMatchObject({
    name: 'ada@example.com',
    role: 'svc-realtime',
    auth: { enabled: true, kind: 'oidc' },
  })

  const same = { cookie, 'sec-fetch-site': 'same-origin' }
  const out = await hub.send('POST', '/auth/logout', undefined, same)
  expect(out.json.success).toBe(true)
  const next = new URL(out.json.next)
  expect(next.origin).toBe(provider.issuer)
  expect(next.searchParams.get('id_token_hint')).toMatch(/^[\w-]+\.[\w-]+\.[\w-]+$/)
  expect((await whoami(cookie)).status).toBe(401)
})

it('takes no answer that another browser asked for, nor one twice, nor one with a wrong state', async () => {
  const [browser, thief] = [new Browser(), new Browser()]
  const { callback } = await browser.logIn(`${home}/auth/login`)
  const problem = async (who: Browser, url: string) => (await who.open(url)).headers.get('location')
  expect(await problem(thief, callback)).toBe('/?login_problem=login_expired')
  // The code was used, and the cookie of the login is gone with it.
  expect(await problem(browser, callback)).toBe('/?login_problem=login_expired')
  await thief.open(`${home}/auth/login`)
  expect(await problem(thief, callback)).toBe('/?login_problem=login_failed')
  expect((await whoami(thief.cookie(home))).status).toBe(401)
  const forged = new Browser()
  await forged.open(`${home}/auth/login`)
  expect(await problem(forged, `${home}/auth/callback?code=x&state=y&iss=${provider.issuer}`)).toBe(
    '/?login_problem=login_failed',
  )
})

it('shows a user without a role the reason, and opens no session', async () => {
  provider.groups = ['unmapped']
  const browser = new Browser()
  const { response } = await browser.logIn(`${home}/auth/login`)
  expect(response.headers.get('location')).toBe('/?login_problem=no_role')
  expect((await whoami(browser.cookie(home))).status).toBe(401)
})

it('goes back to our own pages only', async () => {
  for (const to of [
    'https://evil.example',
    '//evil.example',
    '/\\evil.example',
    '/%5cevil',
    'javascript:alert(1)',
    '/a b',
  ]) {
    const browser = new Browser()
    const { response } = await browser.logIn(`${home}/auth/login?return_to=${encodeURIComponent(to)}`)
    expect(response.headers.get('location'), to).toMatch(to === '/%5cevil' ? /^\/%5cevil$/ : /^\/$/)
  }
})

it('says 503 where the provider is down', async () => {
  await provider.stop()
  const { status, json } = await hub.get('/auth/login')
  expect([status, json.code]).toEqual([503, 'identity_unavailable'])
  provider = await IdentityProvider.start()
})
