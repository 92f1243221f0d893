import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { linkPath } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { idleReport } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { credential, startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const link = ['hub.link.port=18897', 'hub.link.names={tapdeck,tapdeck.tools.svc}']
const admit = (body: object, headers = {}) => hub.send('POST', '/api/recorders', body, headers)
const pod = { namespace: 'shop', pod: 'web-1' }

function join(secret: string, node: string): WebSocket {
  const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
    headers: { authorization: `Bearer ${secret}` },
  })
  socket.on('open', () =>
    socket.send(JSON.stringify({ kind: 'hello', node, version: '1', report: idleReport })),
  )
  return socket
}

it('an administrator gets what a recorder of one pod needs to join, and no other caller does', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true', 'tap.redaction.headers={x-card}', ...link] })
  const { status, json } = await admit(pod, giveToken(hub.folder, 'svc-admin').headers)
  expect(status).toBe(201)
  expect(json).toMatchObject({ name: 'pod:shop:web-1', url: 'https://tapdeck.tools.svc:18897' })
  expect(json.values.tap.redaction.headers).toEqual(['x-card'])
  expect(new X509Certificate(json.ca).subject).toMatch(/^CN=Tapdeck link/)
  const life = Date.parse(json.expires_at) - Date.now()
  expect(life).toBeGreaterThan(500_000)
  expect(life).toBeLessThanOrEqual(601_000)
  const { headers } = giveToken(hub.folder, 'svc-snapshot')
  expect((await admit(pod, headers)).json).toMatchObject({ status: 403, missing: 'access:manage' })
  expect((await admit(pod)).status).toBe(401)
  await hub.services.audit.flush()
  expect(JSON.stringify(await hub.services.audit.search({ limit: 10 } as never))).not.toContain(
    json.credential,
  )
})

it('the credential joins as that pod alone, and opens nothing else', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true', ...link] })
  await hub.open()
  const { json } = await admit(pod, giveToken(hub.folder, 'svc-admin').headers)
  const rogue = join(json.credential, 'node1')
  expect((await once(rogue, 'close'))[0]).toBe(1008)
  expect((await hub.get('/api/status', { authorization: `Bearer ${json.credential}` })).status).toBe(401)
  const recorder = join(json.credential, json.name)
  await until(
    () => hub.services.workers.connected.map(({ node }) => node),
    (nodes) => nodes.includes('pod:shop:web-1'),
  )
  recorder.close()
})

it('the connection of a credential ends with it, and a later one is refused', async () => {
  hub = await startHub()
  await hub.open()
  const soon = Math.ceil(Date.now() / 1000) + 1
  const recorder = join(workerCredential(credential, 'pod:shop:web-1', soon), 'pod:shop:web-1')
  expect((await once(recorder, 'close'))[0]).toBe(1008)
  const late = join(workerCredential(credential, 'pod:shop:web-1', soon - 60), 'pod:shop:web-1')
  const [, response] = await once(late, 'unexpected-response')
  expect(response.statusCode).toBe(401)
})

it('a pod that is recorded already is not recorded twice, and a hub without the port for workers says so', async () => {
  hub = await startHub({ set: link })
  await hub.worker('node1')
  expect((await admit({ ...pod, node: 'node1' })).json).toMatchObject({
    status: 409,
    code: 'recorded_already',
  })
  expect((await admit({ ...pod, node: 'node2' })).status).toBe(201)
  await hub.worker('pod:shop:web-1')
  expect((await admit({ ...pod, node: 'node2' })).json).toMatchObject({ code: 'recorded_already' })
  await hub.stop()
  hub = await startHub()
  expect((await admit(pod)).json).toMatchObject({ status: 409, code: 'no_worker_port' })
  for (const wrong of [{ pod: 'web/1' }, { namespace: 'a:b' }, { expires: '2d' }, { expires: '0s' }])
    expect((await admit({ ...pod, ...wrong })).status, JSON.stringify(wrong)).toBe(400)
})
