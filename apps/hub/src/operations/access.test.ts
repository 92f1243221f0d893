import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const start = async (...set: string[]) => {
  hub = await startHub({ set: ['tap.auth.enabled=true', ...set] })
  return giveToken(hub.folder, 'svc-admin').headers
}
const bearer = (token: string) => ({ authorization: `Bearer ${token}` })

describe('API tokens by HTTP', () => {
  it('are made once, kept only as a hash, valid after a restart, and refused at once when revoked', async () => {
    const admin = await start()
    const made = await hub.send(
      'POST',
      '/api/tokens',
      { name: 'ci', role: 'svc-viewer', expires: '2d' },
      admin,
    )
    expect(made.status).toBe(201)
    const { token, id, expires_at, created_at } = made.json
    expect(token).toMatch(/^tpd_[\w-]{43}$/)
    expect(Date.parse(expires_at) - Date.parse(created_at)).toBe(2 * 86_400_000)
    expect((await hub.get('/api/whoami', bearer(token))).json).toMatchObject({
      name: 'ci',
      role: 'svc-viewer',
    })

    const folder = join(hub.folder, 'access/tokens')
    expect(readFileSync(join(folder, `${id}.json`), 'utf8')).not.toContain(token.slice(4))
    expect(readdirSync(folder).filter((name) => name.startsWith('.'))).toEqual([])
    const listed = (await hub.get('/api/tokens', admin)).text
    expect(listed).not.toMatch(/digest|tpd_/)
    expect(JSON.parse(listed).tokens).toMatchObject([
      { id, name: 'ci', own: false, expired: false, created_by: 'a svc-admin' },
      { own: true },
    ])

    const { folder: data } = hub
    await hub.close()
    hub = await startHub({ set: ['tap.auth.enabled=true'], folder: data })
    expect((await hub.get('/api/whoami', bearer(token))).status).toBe(200)
    const revoked = await hub.send('DELETE', `/api/tokens/${id}`, undefined, admin)
    expect(revoked.json).toMatchObject({ success: true, id, name: 'ci' })
    expect((await hub.get('/api/whoami', bearer(token))).status).toBe(401)
    expect((await hub.send('DELETE', `/api/tokens/${id}`, undefined, admin)).json.code).toBe('unknown_token')
    await hub.services.audit.flush()
    const audit = readFileSync(join(data, 'audit/audit.jsonl'), 'utf8')
    expect(audit).toContain('"create_token"')
    expect(audit).not.toContain(token.slice(4))
  })

  it('are for an administrator alone, and of a role that exists', async () => {
    const admin = await start('tap.auth.roles.team.capabilities={dissection:live}')
    for (const role of ['svc-realtime', 'svc-snapshot', 'svc-viewer', 'team']) {
      const { headers } = giveToken(hub.folder, role)
      for (const [method, path, body] of [
        ['POST', '/api/tokens', { name: 'x', role: 'svc-admin' }],
        ['GET', '/api/tokens', undefined],
        ['DELETE', '/api/tokens/0123456789ab', undefined],
        ['GET', '/api/audit', undefined],
        ['GET', '/api/roles', undefined],
        ['GET', '/api/configuration', undefined],
      ] as const)
        expect((await hub.send(method, path, body, headers)).json).toMatchObject({ missing: 'access:manage' })
    }
    const make = (body: object) => hub.send('POST', '/api/tokens', body, admin)
    expect((await make({ name: 'x', role: 'team' })).status).toBe(201)
    expect((await make({ name: 'x', role: 'svc-king' })).json).toMatchObject({
      status: 400,
      code: 'unknown_role',
    })
    for (const wrong of [
      { name: '' },
      { name: 'a\nb' },
      { name: 'x', expires: '0s' },
      { name: 'x', expires: '9999d' },
    ])
      expect((await make({ role: 'team', ...wrong })).status).toBe(400)
    expect((await make({ name: 'x', role: 'team', expires: 'never' })).json.expires_at).toBeNull()
  })

  it('never outlast the token that makes them', async () => {
    await start()
    const hour = giveToken(hub.folder, 'svc-admin', {
      expires_at: new Date(Date.now() + 3_600_000).toISOString(),
    })
    const make = (expires?: string) =>
      hub.send('POST', '/api/tokens', { name: 'x', role: 'svc-viewer', expires }, hour.headers)
    for (const long of ['never', '2h'])
      expect((await make(long)).json).toMatchObject({ status: 403, code: 'outlives_maker' })
    expect((await make('10m')).status).toBe(201)
    const unasked = (await make()).json
    expect(Date.parse(unasked.expires_at) - Date.parse(unasked.created_at)).toBeLessThanOrEqual(3_600_000)
  })

  it('cannot be made while every caller is an administrator, nor by one who sees redacted calls', async () => {
    hub = await startHub()
    const open = await hub.send('POST', '/api/tokens', { name: 'x', role: 'svc-admin' })
    expect(open.json).toMatchObject({ status: 409, code: 'auth_disabled' })
    await hub.stop()
    const veiled = await start('tap.redaction.byRole.svc-admin.bodies=true')
    for (const [method, path, body] of [
      ['POST', '/api/tokens', { name: 'x', role: 'svc-viewer' }],
      ['GET', '/api/audit', undefined],
      ['POST', '/api/redaction/preview', { id: 'a/1/0' }],
    ] as const)
      expect((await hub.send(method, path, body, veiled)).json.code).toBe('redacted_role')
  })
})

it('lists the roles with their groups, namespaces and redaction', async () => {
  const admin = await start(
    'tap.auth.roles.team.capabilities={dissection:live}',
    'tap.auth.roles.team.namespaces={shop}',
    'tap.auth.groupMapping.devs=team',
    'tap.redaction.byRole.team.bodies=true',
  )
  const { roles, default_role } = (await hub.get('/api/roles', admin)).json
  expect(roles.map(({ name }: { name: string }) => name)).toEqual([
    'svc-admin',
    'svc-realtime',
    'svc-snapshot',
    'svc-viewer',
    'team',
  ])
  expect(roles[4]).toEqual({
    name: 'team',
    builtin: false,
    capabilities: ['dissection:live'],
    namespaces: ['shop'],
    groups: ['devs'],
    redacted: true,
  })
  expect(default_role).toBe('svc-admin')
})

it('shows who did what, filtered, newest first', async () => {
  const admin = await start()
  const viewer = giveToken(hub.folder, 'svc-viewer', { name: 'Vera' }).headers
  await hub.get('/api/databases', viewer)
  await hub.send('POST', '/api/dissection/disable', undefined, viewer)
  await hub.send('POST', '/api/dissection/disable', undefined, admin)
  const audit = async (query: string) =>
    (await hub.get(`/api/audit?${query}`, admin)).json.entries.map(
      ({ what, status }: { what: string; status: number }) => `${what} ${status}`,
    )
  expect(await audit('who=vera')).toEqual(['disable_dissection 403', 'list_databases 200'])
  expect(await audit('what=dissection&changes=true')).toEqual([
    'disable_dissection 200',
    'disable_dissection 403',
  ])
  expect(await audit('outcome=refused')).toEqual(['disable_dissection 403'])
  expect(await audit('who=vera&outcome=done')).toEqual(['list_databases 200'])
  expect(await audit(`end=${Date.now() - 3_600_000}`)).toEqual([])
  const { json } = await hub.get('/api/audit?limit=1', admin)
  expect([json.entries.length, json.truncated, json.lost]).toEqual([1, true, 0])
})
