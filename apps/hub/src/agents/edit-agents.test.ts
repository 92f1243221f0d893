import { once } from 'node:events'
import { readFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

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

const create = (name: string, actions: object[], more: object = {}) =>
  hub.send('POST', '/api/agents', { name, actions, ...more })
const edit = (name: string, body: object) => hub.send('PATCH', `/api/agents/${name}`, body)
const history = async (name: string) =>
  (await hub.get(`/api/agents/${name}/history`)).json.history.map(({ kind }: { kind: string }) => kind)

async function receiver(status = 200): Promise<{ readonly url: string; readonly bodies: string[] }> {
  const bodies: string[] = []
  server = createServer(async (request, response) => {
    let body = ''
    for await (const chunk of request) body += chunk
    bodies.push(body)
    response.writeHead(status).end()
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook/secret-path`, bodies }
}

describe('editing a network agent', () => {
  it('replaces its filter and its actions, and keeps secrets that are not sent again', async () => {
    hub = await startHub()
    const { url } = await receiver()
    await create('a', [{ kind: 'webhook', url, secret: 'long-enough' }, { kind: 'log' }], { kfl: 'http' })
    const edited = await edit('a', {
      kfl: 'dns',
      actions: [
        { kind: 'keep', action: 0 },
        { kind: 'metric', type: 'counter', name: 'seen' },
      ],
    })
    expect(edited.json).toMatchObject({
      kfl: 'dns',
      status: 'active',
      edited_by: 'anonymous',
      actions: [{ kind: 'webhook', signed: true }, { kind: 'metric' }],
    })
    const stored = await readFile(join(hub.folder, 'agents.json'), 'utf8')
    expect(stored).toContain('secret-path')
    expect(stored).toContain('long-enough')
    expect(await history('a')).toEqual(['started', 'edited', 'started', 'created'])
    expect((await edit('a', { kfl: 'http' })).json.actions).toHaveLength(2)
  })

  it('refuses what is wrong and changes nothing', async () => {
    hub = await startHub()
    await create('a', [{ kind: 'log' }], { enabled: false })
    const before = (await hub.get('/api/agents/a')).json
    expect((await edit('a', { kfl: 'no.such.field == 1' })).status).toBe(400)
    expect((await edit('a', { actions: [{ kind: 'keep', action: 3 }] })).json.code).toBe('invalid_input')
    expect((await edit('a', { actions: [] })).status).toBe(400)
    expect((await edit('a', { actions: [{ kind: 'webhook', url: 'http://169.254.169.254/' }] })).status).toBe(
      400,
    )
    expect((await edit('b', { kfl: 'http' })).status).toBe(404)
    expect((await hub.get('/api/agents/a')).json).toEqual(before)
    expect((await edit('a', { kfl: 'http' })).json.status).toBe('disabled')
  })
})

describe('testing a network agent', () => {
  it('sends a sample call once, and says what each action made of it', async () => {
    hub = await startHub({ scriptThread })
    const { url, bodies } = await receiver()
    const source = 'function onCall(call) { emit({ log: call.path }) }'
    await create(
      'a',
      [
        { kind: 'webhook', url },
        { kind: 'log' },
        { kind: 'metric', type: 'counter', name: 'seen' },
        { kind: 'recording', do: 'start', recording: 'kept' },
        { kind: 'script', source },
      ],
      { enabled: false },
    )
    const { json } = await hub.send('POST', '/api/agents/a/test')
    expect(json.actions).toEqual([
      { kind: 'webhook', result: 'done', detail: 'the receiver returned 200' },
      { kind: 'log', result: 'done', detail: expect.stringContaining('log of the hub') },
      { kind: 'metric', result: 'checked', detail: expect.stringContaining('tapdeck_agent_seen') },
      { kind: 'recording', result: 'checked', detail: expect.stringContaining('would start') },
      { kind: 'script', result: 'checked', detail: 'emitted {"log":"/sample"}' },
    ])
    expect(bodies.map((body) => JSON.parse(body))).toMatchObject([
      { agent: 'a', sample: true, calls: [{ path: '/sample' }] },
    ])
    expect((await hub.get('/api/recordings')).json.recordings).toEqual([])
    expect((await hub.get('/api/agents/a')).json).toMatchObject({ matched: 0, status: 'disabled' })
    expect(hub.logged.join()).toContain('"sample":true')
    expect(await history('a')).toEqual(['tested', 'created'])
  })

  it('reports a receiver that refuses and a script that throws', async () => {
    hub = await startHub({ scriptThread })
    const { url } = await receiver(503)
    const source = 'function onCall() { throw new Error("oh no") }'
    await create(
      'a',
      [
        { kind: 'webhook', url },
        { kind: 'script', source },
      ],
      { enabled: false },
    )
    const { actions } = (await hub.send('POST', '/api/agents/a/test')).json
    expect(actions).toMatchObject([
      { result: 'failed', detail: 'the receiver returned 503' },
      { result: 'failed', detail: expect.stringContaining('oh no') },
    ])
    const [last] = (await hub.get('/api/agents/a/history')).json.history
    expect(last.detail).toContain('503')
    expect((await hub.send('POST', '/api/agents/none/test')).status).toBe(404)
  })
})
