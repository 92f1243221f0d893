import { resolveConfig } from '@tapdeck/config'
import { afterEach, expect, it } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { Hosts } from './hosts.ts'

let hub: TestHub | undefined
afterEach(() => hub?.stop())

function hosts(bound: string, ...set: string[]): (host: string) => boolean {
  const known = new Hosts()
  known.configure(resolveConfig({ files: [], env: {}, set }).config.hub)
  known.bind(bound)
  return (host) => {
    try {
      known.check(host)
      return true
    } catch {
      return false
    }
  }
}

it('answers to the names of this machine, and to no others, where it listens on a local address', () => {
  for (const bound of ['127.0.0.1', '::1', 'localhost', '127.0.0.9']) {
    const answers = hosts(bound)
    for (const host of [
      '127.0.0.1:8898',
      'localhost',
      'LOCALHOST:1',
      '[::1]:8898',
      'tapdeck.localhost',
      'localhost.',
    ])
      expect(answers(host), host).toBe(true)
    for (const host of [
      'evil.example',
      'evil.example:8898',
      '127.0.0.1.evil.example',
      'localhost.evil.example',
      '10.0.0.1',
      '0.0.0.0',
      '[::]',
      'notlocalhost',
    ])
      expect(answers(host), host).toBe(false)
  }
})

it('answers to configured names, and to any where others decide who can reach it', () => {
  const answers = hosts(
    '127.0.0.1',
    'hub.allowedHosts={tap.example}',
    'hub.publicUrl=https://deck.example:8443/x',
  )
  expect(['tap.example:80', 'deck.example', 'evil.example'].map(answers)).toEqual([true, true, false])
  expect(hosts('0.0.0.0')('hub.tapdeck.svc')).toBe(true)
})

it('refuses a rebound name at every interface, pages and streams too', async () => {
  hub = await startHub()
  await hub.open()
  for (const path of ['/', '/api/whoami', '/mcp', '/healthz', '/auth/options'])
    expect((await hub.get(path, { host: 'evil.example' })).json).toMatchObject({
      status: 403,
      code: 'foreign_host',
    })
})

it('opens nothing to pages of other sites', async () => {
  hub = await startHub()
  for (const path of ['/api/whoami', '/mcp/dissection', '/openapi.json', '/nope']) {
    const { headers } = await hub.get(path, { origin: 'http://evil.example' })
    expect(headers.get('access-control-allow-origin')).toBeNull()
    expect(headers.get('cross-origin-resource-policy')).toBe('same-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    const preflight = await hub.send('OPTIONS', path, undefined, {
      origin: 'http://evil.example',
      'access-control-request-method': 'POST',
    })
    expect(preflight.status).toBeGreaterThanOrEqual(400)
  }
})
