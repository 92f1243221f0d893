import { afterEach, describe, expect, it } from 'vitest'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { routes } from './routes.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const wide = (count: number) => Object.fromEntries(Array.from({ length: count }, (_, at) => [`k${at}`, at]))

describe('errors', () => {
  it('over a bound name the limit and what to do instead', async () => {
    hub = await startHub()
    for (const [path, limit] of [
      [`/api/kfl/complete?cursor=1&${'a=1&'.repeat(200)}`, 100],
      [`/api/kfl/complete?cursor=1&kfl=${'a'.repeat(8193)}`, 8192],
      [`/api/kfl/explain?kfl=${'('.repeat(250)}`, 200],
    ] as const) {
      const { status, json } = await hub.get(path)
      expect(status, path.slice(0, 60)).toBe(400)
      expect(json).toMatchObject({ limit, hint: expect.stringMatching(/\.$/) })
    }
  })

  it('answers a page of another origin only where it leads a person here', async () => {
    hub = await startHub()
    const from = (site: string, mode: string, dest: string) => ({
      'sec-fetch-site': site,
      'sec-fetch-mode': mode,
      'sec-fetch-dest': dest,
    })
    for (const path of ['/api/kfl/fields', '/api/status', '/healthz', '/openapi.json', '/mcp', '/']) {
      for (const headers of [
        from('cross-site', 'no-cors', 'image'),
        from('cross-site', 'cors', 'empty'),
        from('same-site', 'cors', 'empty'),
        from('cross-site', 'navigate', 'iframe'),
      ]) {
        const refused = await hub.get(path, headers)
        expect([refused.status, refused.json.code], path).toEqual([403, 'foreign_origin'])
      }
      const open = await hub.get(path)
      for (const headers of [
        from('cross-site', 'navigate', 'document'),
        from('same-origin', 'cors', 'empty'),
        from('none', 'navigate', 'document'),
      ])
        expect((await hub.get(path, headers)).status, path).toBe(open.status)
    }
  })

  it('are problems, whatever is wrong', async () => {
    hub = await startHub()
    for (const [method, path, body, status, code] of [
      ['GET', '/nope', undefined, 404, 'unknown_route'],
      ['GET', '/mcp/nope', undefined, 404, 'unknown_route'],
      ['DELETE', '/mcp/dissection', undefined, 405, 'method_not_allowed'],
      ['POST', '/healthz', undefined, 405, 'method_not_allowed'],
      ['GET', '/mcp/calls?limit=0', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?limit=1001', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?limit=abc', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?limit=1&limit=2', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?format=zzz', undefined, 400, 'invalid_input'],
      ['GET', `/mcp/calls?${'a&'.repeat(15_000)}`, undefined, 400, 'too_many_parameters'],
      ['GET', `/mcp/calls?kfl=${'a'.repeat(9000)}`, undefined, 400, 'filter_too_large'],
      ['GET', `/mcp/calls?kfl=${'!'.repeat(5000)}`, undefined, 400, 'filter_too_large'],
      ['POST', '/mcp/snapshots', wide(200), 400, 'too_many_parameters'],
      ['POST', '/mcp/snapshots', { name: 'x', nodes: Array(20_000).fill(1) }, 400, 'too_many_items'],
      ['GET', '/mcp/calls?start=yesterday', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?db=nope', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/calls?db=nope/nope', undefined, 404, 'unknown_dissection'],
      ['GET', '/mcp/calls?kfl=request.path%20%3D%3D', undefined, 400, 'bad_filter'],
      ['GET', '/mcp/calls', undefined, 503, 'no_worker'],
      ['GET', '/mcp/snapshots/nope', undefined, 404, 'unknown_snapshot'],
      ['GET', '/mcp/snapshots/..%2F..%2Fetc', undefined, 400, 'invalid_input'],
      ['GET', '/mcp/snapshots/%zz', undefined, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', '{"name":', 400, 'broken_json'],
      ['POST', '/mcp/snapshots', '[]', 400, 'broken_json'],
      ['POST', '/mcp/snapshots', `${'{"a":'.repeat(10_000)}1${'}'.repeat(10_000)}`, 400, 'broken_json'],
      ['POST', '/mcp/snapshots', `{"name":${'['.repeat(500_000)}`, 400, 'broken_json'],
      ['POST', '/mcp/snapshots', Uint8Array.of(0xff, 0xfe), 400, 'broken_json'],
      ['POST', '/mcp/snapshots', { duration: '1h' }, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', { name: 'x', duration: 'soon' }, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', { name: 'a/b', duration: '1h' }, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', { name: 'x' }, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', { name: 'x', duration: '1h', start: 1 }, 400, 'invalid_input'],
      ['POST', '/mcp/snapshots', { name: 'x', duration: '1h' }, 503, 'no_worker'],
      ['POST', '/mcp/snapshots', 'x'.repeat(1024 * 1024 + 1), 413, 'body_too_large'],
      [
        'POST',
        '/delayed_dissection.DelayedDissection/Start',
        { snapshot_name: 'nope', dissection_name: 'x' },
        404,
        'unknown_snapshot',
      ],
      ['GET', '/delayed_dissection.DelayedDissection/GetStatus', undefined, 404, 'unknown_dissection'],
      ['POST', '/api/snapshots/x/import', 'this is no capture', 400, 'not_a_capture'],
      ['POST', '/api/snapshots/x/import', undefined, 400, 'not_a_capture'],
      ['PUT', '/api/inventory', { pods: [{ nome: 'x' }], services: [] }, 400, 'invalid_inventory'],
    ] as const) {
      const answer = await hub.send(method, path, body)
      const where = `${method} ${path} ${JSON.stringify(body)?.slice(0, 60)} ${answer.text.slice(0, 200)}`
      expect(answer.status, where).toBe(status)
      expect(answer.headers.get('content-type'), where).toBe('application/problem+json')
      expect(answer.headers.get('tapdeck-version'), where).toMatch(/^\d+\.\d+\.\d+/)
      expect(answer.json, where).toMatchObject({ status, code, type: `urn:tapdeck:problem:${code}` })
      expect(answer.json.detail.length, where).toBeGreaterThan(5)
    }
  })

  it('of a filter point at the place and suggest what was meant', async () => {
    hub = await startHub()
    const { json } = await hub.get(`/mcp/calls?kfl=${encodeURIComponent('reqest.path == "x"')}`)
    expect(json).toMatchObject({ status: 400, code: 'bad_filter', position: 0, suggestion: 'request.path' })
    expect(json.length).toBeGreaterThan(0)
    for (const kfl of ['http)', '#', 'src.port == "abc"', 'zzzzzzzz']) {
      const { json: problem } = await hub.get(`/mcp/calls?kfl=${encodeURIComponent(kfl)}`)
      expect(problem, kfl).toMatchObject({
        position: expect.any(Number),
        length: expect.any(Number),
        expected: expect.any(Array),
      })
      expect(problem, kfl).toHaveProperty('suggestion')
    }
  })

  it('of method name what is allowed', async () => {
    hub = await startHub()
    const { headers } = await hub.send('PUT', '/mcp/snapshots/x')
    expect(headers.get('allow')).toBe('GET, DELETE, PATCH, HEAD')
  })

  it('of all that is under /mcp come after the check of mcp:use', async () => {
    for (const [set, status] of [
      ['tap.auth.defaultRole=svc-viewer', 403],
      ['tap.auth.enabled=true', 401],
    ] as const) {
      hub = await startHub({ set: [set] })
      for (const [method, path] of [
        ['GET', '/mcp/nope'],
        ['GET', '/mcp/'],
        ['POST', '/mcp/calls'],
        ['DELETE', '/mcp/dissection'],
        ['HEAD', '/mcp/nope'],
        ['PUT', '/mcp'],
      ] as const)
        expect((await hub.send(method, path)).status, `${method} ${path}`).toBe(status)
      expect((await hub.get('/api/nope')).status).toBe(404)
      await hub.stop()
    }
  })

  it('that are unexpected have no details, and are logged', async () => {
    hub = await startHub()
    Object.defineProperty(hub.services.switchboard, 'state', {
      get: () => {
        throw new Error('the secret is 42')
      },
    })
    const { status, text, headers } = await hub.get('/api/dissection')
    expect(status).toBe(500)
    expect(headers.get('content-type')).toBe('application/problem+json')
    expect(text).not.toContain('42')
    expect(text).not.toContain('at ')
    expect(hub.logged.join('')).toContain('the secret is 42')
  })
})

describe('the interfaces', () => {
  it('take HEAD for GET without a body', async () => {
    hub = await startHub()
    for (const path of ['/mcp/dissection', '/healthz', '/openapi.json']) {
      const { status, text, headers } = await hub.send('HEAD', path)
      expect([status, text]).toEqual([200, ''])
      expect(headers.get('content-type')).toContain('application/json')
    }
    expect((await hub.send('HEAD', '/mcp/snapshots/nope')).status).toBe(404)
  })

  it('ignore a body where none is wanted, whatever it holds', async () => {
    hub = await startHub()
    for (const body of [undefined, '{"broken', { enabled: 'no' }, 'x'.repeat(2_000_000)]) {
      const { status, json } = await hub.send('POST', '/mcp/dissection/enable', body)
      expect([status, json]).toEqual([200, { success: true, enabled: true }])
    }
  })

  it('refuse pages of another origin to change anything, and let clients without one', async () => {
    hub = await startHub()
    const post = (origin: string) => hub.send('POST', '/api/dissection/disable', undefined, { origin })
    for (const origin of ['http://evil.example', 'null', 'http://127.0.0.1:81', 'nonsense'])
      expect([(await post(origin)).status, (await post(origin)).json.code]).toEqual([403, 'foreign_origin'])
    expect((await post('http://127.0.0.1')).status).toBe(200)
    expect((await hub.get('/api/dissection', { origin: 'http://evil.example' })).status).toBe(200)
  })

  it('describe themselves', async () => {
    hub = await startHub()
    const { json: openapi } = await hub.get('/openapi.json')
    for (const { path, method } of routes) expect(openapi.paths[path][method.toLowerCase()]).toBeDefined()
    expect(Object.keys(openapi.paths['/mcp'])).toEqual(['get', 'post', 'delete'])
    for (const path of ['/healthz', '/readyz', '/metrics']) expect(openapi.paths[path].get).toBeDefined()
    expect(JSON.stringify(openapi.paths['/mcp/calls'].get.parameters)).toContain('"name":"kfl"')
    expect(
      openapi.paths['/mcp/snapshots'].post.requestBody.content['application/json'].schema.required,
    ).toEqual(['name'])
    const { json: mcp } = await hub.get('/mcp')
    expect(mcp).toMatchObject({ name: 'Tapdeck', prompts: expect.any(Array) })
    expect(mcp.endpoints).toContainEqual(
      expect.objectContaining({ path: '/mcp/calls', method: 'GET', params: expect.any(Array) }),
    )
    const tool = mcp.tools.find(({ name }: { name: string }) => name === 'create_snapshot')
    expect(tool.inputSchema).toMatchObject({ type: 'object', required: ['name'] })
    expect(mcp.tools.map(({ name }: { name: string }) => name)).not.toContain('whoami')
  })

  it('say who the caller is', async () => {
    hub = await startHub({ set: ['tap.auth.defaultRole=svc-viewer'] })
    expect((await hub.get('/api/whoami')).json).toEqual({
      name: 'anonymous',
      role: 'svc-viewer',
      capabilities: ['dissection:live', 'snapshot:read'],
      namespaces: '*',
      auth: { enabled: false, kind: 'none' },
    })
  })
})
