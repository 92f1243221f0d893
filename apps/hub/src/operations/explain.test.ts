import { afterAll, beforeAll, expect, it } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)

let hub: TestHub
let worker: IndexWorker
beforeAll(async () => {
  worker = await IndexWorker.open('n1')
  await worker.add([
    { at: DAWN, client: 'web', service: 'orders', latency: 400, ends: ['10.0.0.1', '10.0.0.2'] },
    { at: DAWN + 50, client: 'orders', service: 'db', latency: 300, ends: ['10.0.0.2', '10.0.0.3'] },
    { at: DAWN + 60, client: 'cron', service: 'db', latency: 10, ends: ['10.0.0.9', '10.0.0.3'] },
    { at: DAWN, client: 'web', service: 'billing', latency: 40, ending: 'rst' },
    { at: DAWN, client: 'web', service: 'billing', latency: 80, ending: 'fin', path: '/closed' },
    { at: DAWN, client: 'teller', service: 'vault', ns: 'bank', ends: ['10.1.0.1', '10.1.0.2'] },
  ])
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.narrow.capabilities={dissection:live}',
      'tap.auth.roles.narrow.namespaces={shop}',
    ],
  })
  await hub.worker('n1', worker.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

const as = (role: string) => giveToken(hub.folder, role).headers

async function idOf(service: string): Promise<string> {
  const kfl = encodeURIComponent(`dst.svc == "${service}" and src.svc != "cron"`)
  const { json } = await hub.get(`/api/calls?kfl=${kfl}`, as('svc-admin'))
  return json.calls[0].id
}

it('puts connect, request, caused calls and response on one timeline, and says what is inferred', async () => {
  const { status, json } = await hub.get(`/api/calls/${await idOf('orders')}/explain`, as('narrow'))
  expect(status).toBe(200)
  expect(json.timeline.map(({ what }: { what: string }) => what)).toEqual([
    'connect',
    'request',
    'caused_call',
    'first_byte',
    'response',
    'fin',
    'fin',
  ])
  expect(json.timeline.slice(-2).map(({ by }: { by: string }) => by)).toEqual(['src', 'dst'])
  expect(json.timeline[1].offset_ms).toBe(0)
  expect(json.caused).toMatchObject([{ id: await idOf('db'), src: 'orders', dst: 'db', inferred: true }])
  expect(json.summary).toMatch(/most of it spent in http GET \/ 200 to db/)
  expect(json.notes[0]).toContain('inferred')
})

it('names the call that a client was answering', async () => {
  const { json } = await hub.get(`/api/calls/${await idOf('db')}/explain`, as('narrow'))
  expect(json.caused_by).toMatchObject({ id: await idOf('orders'), inferred: true })
})

it('says which end closed or reset the connection of a request without a response, and when', async () => {
  const kfl = encodeURIComponent('connection_end == "reset_by_server"')
  const { json: list } = await hub.get(`/api/calls?kfl=${kfl}`, as('narrow'))
  expect(list.calls).toMatchObject([{ error: 'no_response', connection_end: 'reset_by_server' }])
  const { json } = await hub.get(`/api/calls/${list.calls[0].id}/explain`, as('narrow'))
  expect(json.summary).toContain('has no response: billing reset the connection')
  expect(json.timeline.at(-1)).toMatchObject({ what: 'rst', by: 'dst', offset_ms: expect.closeTo(40, 0) })
  const { json: groups } = await hub.get('/api/stats?group_by=connection_end', as('narrow'))
  const counted = groups.groups.map(({ group, calls }: { group: string; calls: number }) => [group, calls])
  expect(counted).toEqual([
    ['(unknown)', 3],
    ['closed_by_server', 1],
    ['reset_by_server', 1],
  ])
})

it('explains no call of another namespace, and none that does not exist', async () => {
  const vault = await idOf('vault')
  expect((await hub.get(`/api/calls/${vault}/explain`, as('narrow'))).status).toBe(404)
  expect((await hub.get(`/api/calls/${vault}/explain`, as('svc-admin'))).status).toBe(200)
  expect((await hub.get('/api/calls/n1/1/0/explain', as('svc-admin'))).status).toBe(404)
})
