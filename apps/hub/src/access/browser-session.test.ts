import { once } from 'node:events'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const own = { 'sec-fetch-site': 'same-origin' }

async function paste(token: string, headers: Record<string, string> = own): Promise<string> {
  const answer = await hub.send('POST', '/auth/session', { token }, headers)
  return answer.headers.getSetCookie()[0]?.split(';')[0] ?? `${answer.status} ${answer.json.code}`
}

it('is opened by pasting an API token, has its rights, and ends with it', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  const token = giveToken(hub.folder, 'svc-realtime', { name: 'ada' })
  const cookie = await paste(token.token)
  expect(cookie).toMatch(/^tapdeck_session=[\w-]{43}$/)
  expect(cookie).not.toContain(token.token)
  expect((await hub.get('/api/whoami', { cookie })).json).toMatchObject({ name: 'ada', role: 'svc-realtime' })
  token.revoke()
  await until(
    () => hub.get('/api/whoami', { cookie }),
    ({ status }) => status === 401,
  )
})

it('lets only our own page change things', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  const cookie = await paste(giveToken(hub.folder, 'svc-realtime').token)
  const toggle = async (headers: Record<string, string>) =>
    (await hub.send('POST', '/api/dissection/disable', undefined, { cookie, ...headers })).status
  expect(await toggle(own)).toBe(200)
  expect(await toggle({ origin: 'http://127.0.0.1' })).toBe(200)
  for (const headers of [
    {},
    { 'sec-fetch-site': 'cross-site' },
    { 'sec-fetch-site': 'same-site' },
    { 'sec-fetch-site': 'none' },
    { origin: 'http://evil.example' },
    { origin: 'null' },
    { origin: 'http://evil.example', 'sec-fetch-site': 'same-origin' },
    { origin: 'http://127.0.0.1', 'sec-fetch-site': 'cross-site' },
  ])
    expect(await toggle(headers), JSON.stringify(headers)).toBe(403)
  expect(await paste(giveToken(hub.folder, 'svc-admin').token, {})).toBe('403 foreign_origin')
  expect((await hub.send('POST', '/auth/logout', undefined, { cookie })).status).toBe(403)
  expect((await hub.get('/api/whoami', { cookie })).status).toBe(200)
})

it('takes nothing but an API token, and says nothing about which ones there are', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  for (const token of ['x', 'tpd_x', 'a.b.c', `tpd_${'A'.repeat(43)}`])
    expect(await paste(token)).toBe('401 bad_credential')
  expect(await paste('')).toBe('400 invalid_input')
  const off = await hub.get('/auth/options')
  expect(off.json).toEqual({ enabled: true, token: true, oidc: false })
  await hub.stop()
  hub = await startHub()
  expect(await paste('tpd_x')).toBe('409 not_identified')
  expect((await hub.get('/auth/options')).json).toEqual({ enabled: false, token: false, oidc: false })
})

it('carries streams from our own page, and they end when it is closed', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  await hub.open()
  const cookie = await paste(giveToken(hub.folder, 'svc-viewer').token)
  const open = (headers: Record<string, string>) =>
    new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers: { cookie, ...headers } })
  for (const headers of [{}, { origin: 'http://evil.example' }]) {
    const [, response] = await once(open(headers), 'unexpected-response')
    expect(response.statusCode).toBe(403)
  }
  const socket = open({ origin: `http://127.0.0.1:${hub.port}` })
  await once(socket, 'open')
  await hub.send('POST', '/auth/logout', undefined, { cookie, ...own })
  const [code] = await once(socket, 'close')
  expect(code).toBe(4401)
})
