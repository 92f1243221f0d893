import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, describe, expect, it } from 'vitest'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

describe('/readyz', () => {
  it('waits for a worker that was started beside the hub to come and set its switch', async () => {
    hub = await startHub({ expectsWorker: true })
    expect((await hub.get('/readyz')).status).toBe(503)
    expect((await hub.get('/readyz')).json).toMatchObject({
      ready: false,
      storage: true,
      workers: { connected: 0 },
    })
    expect((await hub.get('/healthz')).status).toBe(200)
    const worker = await hub.worker(
      'n1',
      {},
      {
        capture: { active: false, reason: 'CAP_NET_RAW is missing', interfaces: [] },
      },
    )
    const { json } = await until(
      () => hub.get('/readyz'),
      ({ status }) => status === 200,
    )
    expect(json.workers).toEqual({
      expected: true,
      connected: 1,
      nodes: [{ name: 'n1', capture: { active: false, reason: 'CAP_NET_RAW is missing', interfaces: [] } }],
    })
    worker.close()
    await until(
      () => hub.services.workers.connected.length,
      (count) => count === 0,
    )
    expect((await hub.get('/readyz')).status).toBe(200)
  })

  it('waits for no worker if none is expected, but for its storage', async () => {
    hub = await startHub()
    expect((await hub.get('/readyz')).status).toBe(200)
    await rm(hub.folder, { recursive: true })
    expect(
      (
        await until(
          () => hub.get('/readyz'),
          ({ json }) => !json.storage,
        )
      ).status,
    ).toBe(503)
  })

  it('says that a node does not record, and why', async () => {
    hub = await startHub()
    expect((await hub.get('/readyz')).json).toMatchObject({ ready: true, recording: false })
    await hub.worker('n1', {}, { recorder: { recording: true } })
    expect((await hub.get('/readyz')).json).toMatchObject({ recording: true })
    const recorder = { recording: false, reason: '/data/recording cannot be used' }
    const worker = await hub.worker('n2', {}, { recorder })
    expect((await hub.get('/readyz')).json).toMatchObject({
      ready: true,
      recording: false,
      workers: { nodes: [{ name: 'n1' }, { name: 'n2', recorder }] },
    })
    const nodes = async () => (await hub.get('/api/status')).json.nodes
    expect((await nodes())[1]).toMatchObject({ name: 'n2', recorder })
    worker.close()
    await until(nodes, (all) => !all[1].connected)
    expect((await nodes())[1].recorder).toEqual({ recording: false, reason: 'the worker is not connected' })
  })
})

it('/metrics has the text format of Prometheus', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  await hub.worker('n"1', {}, { packets_captured: 7, loss: { kernel_drops: 3 } })
  const { text, headers } = await hub.get('/metrics')
  expect(headers.get('content-type')).toContain('version=0.0.4')
  expect(text).toContain('tapdeck_indexing_enabled 1\n')
  expect(text).toContain('tapdeck_packets_captured_total{node="n\\"1"} 7\n')
  expect(text).toContain('tapdeck_loss_total{node="n\\"1",kind="kernel_drops"} 3\n')
  for (const line of text.trim().split('\n'))
    expect(line).toMatch(/^(# (HELP|TYPE) \w+ .+|\w+(\{.*\})? [-+.\de]+)$/)
  const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name)
  expect(new Set(names).size).toBe(names.length)
})

describe('the dashboard', () => {
  let folder: string
  const build = async () => {
    folder = await mkdtemp(join(tmpdir(), 'tapdeck-dashboard-'))
    await mkdir(join(folder, 'assets'))
    await writeFile(join(folder, 'index.html'), '<!doctype html><title>Tapdeck</title>')
    await writeFile(join(folder, 'assets/main-A1B2C3D4.js'), 'console.log(1)')
    await writeFile(join(folder, 'assets/some-component.css'), 'a{}')
    await mkdir(join(folder, 'docs'))
    await writeFile(join(folder, 'docs/kfl.md'), '# KFL\n\n<script>alert(1)</script>')
    hub = await startHub({ dashboard: folder })
  }
  afterEach(() => rm(folder, { recursive: true, force: true }))

  it('is served with a strict policy; hashed files last, the page does not', async () => {
    await build()
    const page = await hub.get('/')
    expect([page.status, page.text]).toEqual([200, '<!doctype html><title>Tapdeck</title>'])
    expect(page.headers.get('content-type')).toBe('text/html; charset=utf-8')
    expect(page.headers.get('cache-control')).toBe('no-cache')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(page.headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.headers.get('referrer-policy')).toBe('no-referrer')
    const script = await hub.get('/assets/main-A1B2C3D4.js')
    expect(script.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(script.headers.get('cache-control')).toContain('immutable')
    expect((await hub.get('/assets/some-component.css')).headers.get('cache-control')).toBe('no-cache')
    const tag = page.headers.get('etag')!
    expect((await hub.get('/', { 'if-none-match': tag })).status).toBe(304)
    const packed = await hub.get('/', { 'accept-encoding': 'gzip' })
    expect(packed.headers.get('content-encoding')).toBe('gzip')
    expect((await hub.send('HEAD', '/')).text).toBe('')
  })

  it('serves its documentation as text that no browser runs, and only what was built', async () => {
    await build()
    const page = await hub.get('/docs/kfl.md')
    expect(page.headers.get('content-type')).toBe('text/markdown; charset=utf-8')
    expect(page.headers.get('content-security-policy')).toContain("default-src 'self'")
    expect(page.headers.get('x-content-type-options')).toBe('nosniff')
    expect(page.text).toContain('# KFL')
    expect((await hub.get('/docs/Other.md', { accept: 'text/html' })).status).toBe(404)
  })

  it('answers the addresses of its pages to browsers, and problems to other clients', async () => {
    await build()
    const browser = { accept: 'text/html,application/xhtml+xml' }
    expect((await hub.get('/snapshots/s1', browser)).text).toContain('Tapdeck')
    expect((await hub.get('/snapshots/s1')).json).toMatchObject({ status: 404, code: 'unknown_route' })
    expect((await hub.get('/missing.js', browser)).status).toBe(404)
    expect((await hub.get('/api/nope', browser)).json.code).toBe('unknown_route')
    expect((await hub.get('/mcp/nope', browser)).json.code).toBe('unknown_route')
    expect((await hub.send('POST', '/snapshots/s1', undefined, browser)).status).toBe(404)
    for (const path of ['/..%2F..%2Fetc%2Fpasswd', '/%2e%2e/%2e%2e/etc/passwd', '/assets/..%2Findex.html'])
      expect((await hub.get(path)).json?.code, path).toBe('unknown_route')
  })
})

describe('the port', () => {
  const raw = (text: string) =>
    new Promise<string>((resolve, reject) => {
      let answer = ''
      const socket = connect(hub.port, '127.0.0.1', () => socket.write(text))
      socket.on('data', (data) => {
        answer += data
      })
      socket.on('close', () => resolve(answer))
      socket.on('error', reject)
    })

  it('answers what is no HTTP, and headers that are too large, with problems', async () => {
    hub = await startHub()
    await hub.open()
    expect(await raw('nonsense\r\n\r\n')).toMatch(/^HTTP\/1.1 400 .*broken_request/s)
    const nameless = await raw('GET /healthz HTTP/1.1\r\n\r\n')
    expect(nameless).toMatch(/^HTTP\/1.1 400 .*tapdeck-version.*broken_request/is)
    const long = `GET / HTTP/1.1\r\nhost: x\r\nx-long: ${'x'.repeat(200_000)}\r\n\r\n`
    expect(await raw(long)).toMatch(/^HTTP\/1.1 431 .*headers_too_large/s)
    expect(await raw('GET / HTTP/1.1\r\nhost: x y z\r\nconnection: close\r\n\r\n')).toMatch(
      /^HTTP\/1.1 400 .*problem\+json/s,
    )
    expect(
      await raw('GET /nope HTTP/1.1\r\nhost: localhost\r\nconnection: upgrade\r\nupgrade: websocket\r\n\r\n'),
    ).toMatch(/^HTTP\/1.1 404 .*unknown_route/s)
  })

  it('takes a long filter in the address', async () => {
    hub = await startHub()
    await hub.open()
    // Each letter takes six characters of the address, which is longer than the headers that Node.js takes by default.
    const kfl = `path == "${'é'.repeat(4000)}"`
    const response = await fetch(`http://127.0.0.1:${hub.port}/mcp/kfl/check?kfl=${encodeURIComponent(kfl)}`)
    expect(response.status).toBe(200)
  })

  it('refuses a large body early and still answers the next request', async () => {
    hub = await startHub()
    await hub.open()
    const body = JSON.stringify({ name: 'x', duration: '1h', pad: 'x'.repeat(3_000_000) })
    const response = await fetch(`http://127.0.0.1:${hub.port}/mcp/snapshots`, { method: 'POST', body })
    expect([response.status, response.headers.get('content-type')]).toEqual([413, 'application/problem+json'])
    expect((await fetch(`http://127.0.0.1:${hub.port}/healthz`)).status).toBe(200)
  })
})
