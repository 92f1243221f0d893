import { once } from 'node:events'
import { cp, mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { CompactCall } from '@tapdeck/dissect'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let scriptThread: URL
let hub: TestHub
let server: Server | undefined
beforeAll(async () => {
  scriptThread = new URL('./hub-script.mjs', await bundleThread())
})
afterEach(async () => {
  await hub?.stop()
  server?.closeAllConnections()
  server?.close()
  server = undefined
})

const call = (path: string, more: Partial<CompactCall> = {}): CompactCall => {
  const end = { ip: '10.0.0.1', port: 80 }
  return { id: `n1/1/${path}`, ts: 1, src: end, dst: { ...end, svc: 'cart' }, proto: 'http', path, ...more }
}
const create = (name: string, actions: object[], more: object = {}) =>
  hub.send('POST', '/api/agents', { name, actions, ...more })
const agent = async (name: string) => (await hub.get(`/api/agents/${name}`)).json

/** What the worker was asked to watch last. */
const subscription = (worker: FakeWorker) =>
  until(
    () =>
      worker.asked.findLast(({ request }) => request === 'subscribe')?.input as {
        subscription: number
        kfl: string
      },
    (found) => found !== undefined,
  )

async function give(worker: FakeWorker, calls: CompactCall[], skipped = 0): Promise<void> {
  worker.say({ kind: 'calls', subscription: (await subscription(worker)).subscription, calls, skipped })
}

describe('a network agent', () => {
  it('sends what matches to its webhook, and never reveals its secret', async () => {
    hub = await startHub()
    const worker = await hub.worker('n1')
    const bodies: string[] = []
    const ports: number[] = []
    server = createServer(async (request, response) => {
      ports.push(request.socket.remotePort!)
      let body = ''
      for await (const chunk of request) body += chunk
      bodies.push(body)
      response.end()
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hooks/T0KEN-IN-PATH`
    const made = await create('shop', [{ kind: 'webhook', url, secret: 'hush-hush-hush' }], { kfl: 'http' })
    expect(made.status).toBe(201)
    expect((await subscription(worker)).kfl).toBe('not decrypted and (http)')
    await give(worker, [call('/a')], 2)
    await until(
      () => bodies.length,
      (count) => count > 0,
    )
    expect(JSON.parse(bodies[0]!)).toMatchObject({ agent: 'shop', calls: [{ path: '/a' }], lost: 2 })
    // The delivery itself is seen on the wire, too.
    await give(worker, [call('/own', { src: { ip: '127.0.0.1', port: ports[0]! } }), call('/b')])
    const shown = await until(
      () => agent('shop'),
      (one) => one.actions[0].done === 2,
    )
    expect(shown).toMatchObject({
      status: 'active',
      matched: 2,
      lost: 2,
      actions: [{ kind: 'webhook', signed: true }],
    })
    const output = [made.text, JSON.stringify(shown), (await hub.get('/metrics')).text, ...hub.logged].join()
    expect(output).not.toMatch(/hush|T0KEN/)
    const { mode } = await stat(join(hub.folder, 'agents.json'))
    expect(mode & 0o077).toBe(0)
  })

  it.each(['169.254.169.254', '[fe80::1]', '[::ffff:a9fe:a9fe]', '2852039166', '0.0.0.0'])(
    'is not created with a webhook to %s, where none is ever delivered',
    async (host) => {
      hub = await startHub()
      const refused = await create('leak', [{ kind: 'webhook', url: `http://${host}/latest` }])
      expect(refused).toMatchObject({ status: 400, json: { code: 'refused_address' } })
      expect((await hub.get('/api/agents')).json.agents).toEqual([])
    },
  )

  it('is created with a webhook to a name that does not resolve now', async () => {
    hub = await startHub()
    const made = await create('later', [{ kind: 'webhook', url: 'http://receiver.invalid/' }])
    expect(made.status).toBe(201)
  })

  it('counts for Prometheus, with as many different labels as are bearable', async () => {
    hub = await startHub()
    const worker = await hub.worker('n1')
    await create('count', [
      { kind: 'metric', type: 'counter', name: 'errors', labels: ['dst.svc', 'status'] },
      { kind: 'metric', type: 'histogram', name: 'latency', buckets: [10, 100] },
    ])
    const odd = 'a"b\\c\nd'
    await give(worker, [
      call('/a', { status: 500, latency_ms: 5 }),
      call('/b', { status: 500, latency_ms: 50 }),
      call('/c', { status: odd, latency_ms: 500 }),
      ...Array.from({ length: 300 }, (_, at) => call('/d', { status: `s${at}` })),
    ])
    await until(
      () => agent('count'),
      (one) => one.matched === 303,
    )
    const { text } = await hub.get('/metrics')
    expect(text).toContain('tapdeck_agent_errors_total{agent="count",dst_svc="cart",status="500"} 2')
    expect(text).toContain('status="a\\"b\\\\c\\nd"} 1')
    expect(text).toContain('tapdeck_agent_errors_total{agent="count",dst_svc="other",status="other"} 102')
    expect(text.match(/^tapdeck_agent_errors_total/gm)!.length).toBe(201)
    expect(text).toContain('tapdeck_agent_latency_ms_bucket{agent="count",le="10"} 1')
    expect(text).toContain('tapdeck_agent_latency_ms_bucket{agent="count",le="100"} 2')
    expect(text).toContain('tapdeck_agent_latency_ms_bucket{agent="count",le="+Inf"} 3')
    expect(text).toContain('tapdeck_agent_latency_ms_sum{agent="count"} 555')
    expect((await create('other', [{ kind: 'metric', type: 'histogram', name: 'errors' }])).status).toBe(409)
  })

  it('writes lines within a rate, and starts, marks and stops recordings', async () => {
    hub = await startHub()
    const worker = await hub.worker('n1')
    await create('act', [
      { kind: 'log', level: 'warn' },
      { kind: 'recording', do: 'start', recording: 'incident', kfl: 'http', duration: '5m' },
    ])
    await give(
      worker,
      Array.from({ length: 100 }, (_, at) => call(`/${at}`)),
    )
    await until(
      async () => (await hub.get('/api/recordings')).json.recordings,
      (all) => all[0]?.status === 'running',
    )
    const { json } = await hub.get('/api/recordings/incident')
    expect(json).toMatchObject({ status: 'running', created_by: 'agent act', kfl: 'http', duration: '5m' })
    const shown = await until(
      () => agent('act'),
      (one) => one.actions[1].done === 1,
    )
    expect(shown.actions[0].dropped).toBeGreaterThan(0)
    expect(hub.logged.filter((line) => line.includes('"agent":"act"')).length).toBe(shown.actions[0].done)
    await hub.send('DELETE', '/api/agents/act')
    await create('mark', [{ kind: 'recording', do: 'note', recording: 'incident' }], { kfl: 'redis' })
    await until(
      () => subscription(worker),
      ({ kfl }) => kfl === 'not decrypted and (redis)',
    )
    await give(worker, [call('/x')])
    await until(
      async () => (await hub.get('/api/recordings/incident')).json.notes,
      (notes) => notes.length === 1,
    )
    await create('end', [{ kind: 'recording', do: 'stop', recording: 'incident' }], { kfl: 'dns' })
    await until(
      () => subscription(worker),
      ({ kfl }) => kfl === 'not decrypted and (dns)',
    )
    await give(worker, [call('/y')])
    await until(
      async () => (await hub.get('/api/recordings/incident')).json,
      ({ status, ended_by }) => status === 'stopped' && ended_by === 'agent',
    )
  })

  it('counts as activity while it watches, and survives a restart', async () => {
    hub = await startHub()
    await create('one', [
      { kind: 'log' },
      { kind: 'recording', do: 'start', recording: 's', duration: '99999999999999d' },
    ])
    await create(
      'two',
      [{ kind: 'log' }, { kind: 'recording', do: 'start', recording: 'r', duration: '90s' }],
      { enabled: false },
    )
    const activity = async () => (await hub.get('/api/dissection')).json.activity
    expect(await activity()).toEqual({ dashboards: 0, recordings: 0, agents: 1 })
    expect((await hub.send('POST', '/api/agents/two/enable')).json).toMatchObject({ status: 'active' })
    expect((await activity()).agents).toBe(2)
    await hub.send('POST', '/api/agents/one/disable')
    const { folder } = hub
    await hub.close()
    hub = await startHub({ folder })
    expect((await hub.get('/api/agents')).json.agents).toMatchObject([
      { name: 'one', status: 'disabled' },
      { name: 'two', status: 'active', actions: [{ kind: 'log' }, { duration: 90_000 }] },
    ])
    expect((await activity()).agents).toBe(1)
    await hub.send('DELETE', '/api/agents/two')
    expect([(await activity()).agents, (await hub.get('/api/agents/two')).status]).toEqual([0, 404])
    expect(await readFile(join(folder, 'agents.json'), 'utf8')).not.toContain('two')
    await hub.close()
    await writeFile(join(folder, 'agents.json'), '{"agents": [')
    await expect(startHub({ folder })).rejects.toThrow(/cannot read .*agents.json/)
    hub = await startHub()
  })

  it.each([
    ['no action', []],
    [
      'one metric twice',
      [
        { kind: 'metric', type: 'counter', name: 'n', labels: ['proto'] },
        { kind: 'metric', type: 'counter', name: 'n', labels: ['proto'] },
      ],
    ],
    ['an unknown action', [{ kind: 'shell' }]],
    ['an address that is none', [{ kind: 'webhook', url: 'nowhere' }]],
    ['a file as its address', [{ kind: 'webhook', url: 'file:///etc/passwd' }]],
    ['credentials in its address', [{ kind: 'webhook', url: 'http://a:b@host/' }]],
    ['a label that is none', [{ kind: 'metric', type: 'counter', name: 'x', labels: ['request.path'] }]],
    ['a metric that is none', [{ kind: 'metric', type: 'counter', name: 'X-1' }]],
    ['buckets that fall', [{ kind: 'metric', type: 'histogram', name: 'x', buckets: [2, 1] }]],
    ['a script that is too long', [{ kind: 'script', source: ' '.repeat(300_000) }]],
  ])('is refused with %s', async (_, actions) => {
    hub = await startHub()
    expect((await create('bad', actions)).status).toBe(400)
    expect((await create('bad', [{ kind: 'log' }], { kfl: 'nonsense ==' })).json.code).toBe('bad_filter')
  })
})

describe('the script of an agent', () => {
  it('is fed with calls in a thread of its own, and what it says is done', async () => {
    hub = await startHub({ scriptThread })
    const worker = await hub.worker('n1')
    await create('clever', [
      {
        kind: 'script',
        source: 'function onCall(c) { emit({ log: "saw " + c.path }); emit({ metric: "seen", value: 2 }) }',
      },
    ])
    await give(worker, [call('/a'), call('/b')])
    await until(
      () => agent('clever'),
      (one) => one.actions[0].done === 1,
    )
    expect((await hub.get('/metrics')).text).toContain(
      'tapdeck_agent_script_total{agent="clever",metric="seen"} 4',
    )
    expect(hub.logged.some((line) => line.includes('saw /b'))).toBe(true)
  })

  it('is started again a few times when it fails; then the agent has failed and says why', async () => {
    hub = await startHub({ scriptThread })
    const { agents } = hub.services
    await create('bad', [{ kind: 'script', source: 'throw new Error("no way")' }])
    await until(
      () => agent('bad'),
      (one) => one.restarts > 0,
    )
    expect(await agent('bad')).toMatchObject({ status: 'active' })
    await agents.turn('bad', false)
    expect(await agent('bad')).toMatchObject({ status: 'disabled' })
  })

  it('is not started by the hub after one that was killed soon after the start, until it is enabled', async () => {
    hub = await startHub({ scriptThread })
    await create('suspect', [{ kind: 'script', source: 'function onCall() {}' }])
    await create('plain', [{ kind: 'log' }])
    // What a hub that is killed now leaves.
    const left = await mkdtemp(join(tmpdir(), 'tapdeck-hub-'))
    await cp(hub.folder, left, { recursive: true })
    await hub.stop()
    try {
      hub = await startHub({ scriptThread, folder: left })
      expect(await agent('suspect')).toMatchObject({
        status: 'failed',
        reason: expect.stringMatching(/hub ended/),
      })
      expect((await hub.get('/api/dissection')).json.activity.agents).toBe(1)
      await hub.close()
      hub = await startHub({ scriptThread, folder: left })
      expect(await agent('suspect')).toMatchObject({ status: 'failed' })
      expect((await hub.send('POST', '/api/agents/suspect/enable')).json).toMatchObject({ status: 'active' })
      await hub.close()
      hub = await startHub({ scriptThread, folder: left })
      expect(await agent('suspect')).toMatchObject({ status: 'active' })
    } finally {
      await hub.stop()
      await rm(left, { recursive: true })
    }
  })

  it('is not started again once it ended its thread, also not by the next hub', async () => {
    // The bundle of the thread is not there, so the thread ends at once.
    hub = await startHub()
    await create('bad', [{ kind: 'script', source: 'function onCall() {}' }])
    const failed = await until(
      () => agent('bad'),
      ({ status }) => status === 'failed',
    )
    expect(failed.restarts).toBe(0)
    const { folder } = hub
    await hub.close()
    hub = await startHub({ scriptThread, folder })
    expect(await agent('bad')).toMatchObject({ status: 'failed', enabled: true, reason: failed.reason })
    await hub.close()
    await rm(folder, { recursive: true })
    hub = await startHub()
  })
})
