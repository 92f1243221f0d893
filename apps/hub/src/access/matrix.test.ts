import { type OperationName, operations, type RoleName, roles } from '@tapdeck/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Route, routes } from '../http/routes.ts'
import { tools } from '../mcp/tools.ts'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

/** Generated from the tables: every role, and a role of the configuration, at every address of every operation. */
let hub: TestHub
const who = new Map<string, { readonly held: readonly string[]; readonly headers: Record<string, string> }>()
let expected = 0

beforeAll(async () => {
  const custom = [
    'tap.auth.roles.team.capabilities={dissection:live,snapshot:read}',
    'tap.auth.roles.team.namespaces={shop}',
    'tap.auth.roles.nothing.capabilities={}',
  ]
  hub = await startHub({ set: ['tap.auth.enabled=true', ...custom] })
  for (const role of Object.keys(roles) as RoleName[])
    who.set(role, { held: roles[role], headers: giveToken(hub.folder, role).headers })
  who.set('team', {
    held: ['dissection:live', 'snapshot:read'],
    headers: giveToken(hub.folder, 'team').headers,
  })
  who.set('nothing', { held: [], headers: giveToken(hub.folder, 'nothing').headers })
})
afterAll(async () => {
  await hub.stop()
  expect(expected).toBeGreaterThanOrEqual(routes.length * who.size)
})

/** An input that passes an operation's own checks, so that only rights decide. */
const inputs: Partial<Record<OperationName, Record<string, unknown>>> = {
  create_snapshot: { name: 'matrix', duration: '1m' },
  start_snapshot_dissection: { snapshot_name: 'matrix', dissection_name: 'all' },
  check_kfl: { kfl: 'http' },
  explain_kfl: { kfl: 'http' },
  complete_kfl: { kfl: 'ht', cursor: 2 },
  set_inventory: { pods: [], services: [] },
  start_recording: { name: 'matrix' },
  create_agent: { name: 'matrix', actions: [{ kind: 'log' }] },
}

function ask({ operation, method, path }: Route, db: string | undefined, headers: Record<string, string>) {
  const input = inputs[operation] ?? {}
  const inQuery = method === 'GET' || method === 'DELETE'
  const query = new URLSearchParams({ ...(inQuery && (input as Record<string, string>)), ...(db && { db }) })
  const address = `${path.replace(/\{(\w+)\}/g, 'thing')}?${query}`
  return hub.send(method, address, inQuery ? undefined : input, headers)
}

describe.each([...Object.keys(roles), 'team', 'nothing'])('%s', (role) => {
  it.each(tools.map(({ name }) => name))('tool %s', async (name) => {
    const { held, headers } = who.get(role)!
    const params = {
      name,
      arguments: { ...inputs[name], ...(name.includes('snapshot') && { name: 'thing' }) },
    }
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
    const accept = 'application/json, text/event-stream'
    const { status, json } = await hub.send('POST', '/mcp', message, { ...headers, accept })
    if (held.includes('mcp:use')) {
      expect(status).toBe(200)
      expect(JSON.stringify(json.result ?? json.error)).not.toContain('missing_capability')
    } else expect([status, json.missing]).toEqual([403, 'mcp:use'])
  })

  it.each(routes)('$method $path', async (route) => {
    const { held, headers } = who.get(role)!
    const { capability, scope } = operations[route.operation]
    for (const db of typeof capability === 'function' ? [undefined, 'a/b'] : [undefined]) {
      const own = typeof capability === 'function' ? capability({ db } as never) : capability
      const needed = [...(route.door === 'mcp' ? ['mcp:use'] : []), ...(own ? [own] : [])]
      const missing = needed.find((one) => !held.includes(one))
      const { status, json } = await ask(route, db, headers)
      expected++
      if (missing !== undefined)
        expect([status, json.code, json.missing]).toEqual([403, 'missing_capability', missing])
      else if (role === 'team' && scope === 'refused')
        expect([status, json.code]).toEqual([403, 'outside_scope'])
      else expect([401, 403, 405], JSON.stringify(json)).not.toContain(status)
    }
  })
})

it.each(routes)(
  'nobody gets 401 at $method $path, without a credential and with a bad one',
  async (route) => {
    for (const headers of [{}, { authorization: 'Bearer guess' }, { cookie: 'tapdeck_session=guess' }]) {
      const { status, headers: answer, json } = await ask(route, undefined, headers as Record<string, string>)
      expect([status, answer.get('www-authenticate')]).toEqual([401, 'Bearer realm="tapdeck"'])
      expect(['no_credential', 'bad_credential']).toContain(json.code)
    }
  },
)

describe('what is beside the operations', () => {
  /** Everything that the router knows, and who may come there. Something new must be written down here. */
  const beside: Record<string, 'open' | 'caller' | 'mcp'> = {
    '/healthz': 'open',
    '/readyz': 'open',
    '/openapi.json': 'open',
    '/metrics': 'caller',
    '/auth/options': 'open',
    '/auth/session': 'open',
    '/auth/login': 'open',
    '/auth/callback': 'open',
    '/auth/logout': 'open',
    '/mcp': 'mcp',
  }

  it('is all that the router has beside the table', () => {
    const listed = new Set([...routes.map(({ path }) => path), ...Object.keys(beside)])
    const known = hub.routes
      .map(({ path }) => path.replace(/:(\w+)(\{\.\+\})?/g, '{$1}'))
      .filter((path) => path !== '/*')
    expect([...new Set(known)].sort()).toEqual([...listed].sort())
  })

  it.each(Object.entries(beside))('%s is for %s', async (path, guard) => {
    const anonymous = await hub.get(path)
    if (guard === 'open') expect([200, 302, 404, 405, 503]).toContain(anonymous.status)
    else expect(anonymous.status).toBe(401)
    if (guard === 'open') return
    for (const [role, { headers, held }] of who) {
      const { status } = await hub.get(path, headers)
      const allowed = guard === 'mcp' ? held.includes('mcp:use') : role !== 'team'
      expect([role, status]).toEqual([role, allowed ? 200 : 403])
    }
  })

  it('tells a stranger nothing about nodes', async () => {
    expect(Object.keys((await hub.get('/readyz')).json)).toEqual(['ready', 'storage'])
  })
})

it('nobody can toggle where the default role may not, by any door', async () => {
  for (const role of ['svc-viewer', 'svc-snapshot']) {
    const other = await startHub({ set: [`tap.auth.defaultRole=${role}`] })
    for (const door of ['mcp', 'api'])
      for (const what of ['enable', 'disable'])
        expect((await other.send('POST', `/${door}/dissection/${what}`)).status).toBe(403)
    await other.stop()
  }
})
