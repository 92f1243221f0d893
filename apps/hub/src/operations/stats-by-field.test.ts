import { afterAll, beforeAll, expect, it } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)

let hub: TestHub
let worker: IndexWorker
beforeAll(async () => {
  worker = await IndexWorker.open('n1')
  const release = (at: number, latency: number, name: string) => ({
    ...{ at, client: 'web', service: 'orders', latency },
    headers: { 'x-release': name },
  })
  await worker.add([
    ...[0, 1, 2].map((n) => release(DAWN + n, 10, 'v1')),
    ...[3, 4].map((n) => release(DAWN + n, 900, 'v2')),
  ])
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.veiled.capabilities={dissection:live}',
      'tap.redaction.byRole.veiled.headers={x-release}',
    ],
  })
  await hub.worker('n1', worker.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

const by = (group_by: string, role = 'svc-admin') =>
  hub.get(`/api/stats?group_by=${encodeURIComponent(group_by)}`, giveToken(hub.folder, role).headers)

it('groups by the values of a header, with a filter for each', async () => {
  const { status, json } = await by('response.headers["x-release"]')
  expect([status, json.groups]).toMatchObject([
    200,
    [
      { group: 'v1, http', calls: 3 },
      { group: 'v2, http', calls: 2 },
    ],
  ])
  expect(json.groups[1].latency_p50_ms).toBeGreaterThan(800)
  const kfl = encodeURIComponent(json.groups[1].kfl)
  const { json: page } = await hub.get(`/api/calls?kfl=${kfl}`, giveToken(hub.folder, 'svc-admin').headers)
  expect(page.total).toBe(2)
})

it('a field that does not exist is refused with the next step, and so is one that is hidden from the role', async () => {
  const { status, json } = await by('response.heders["x-release"]')
  expect([status, json.hint]).toEqual([400, expect.stringContaining('search_fields')])
  expect((await by('src_servce')).status).toBe(400)
  expect((await by('response.headers["x-release"]', 'veiled')).status).toBe(403)
})

it('a node that does not answer is named', async () => {
  await hub.worker('n2', {
    values: () => {
      throw { status: 503, code: 'index_away', detail: 'the index is away' }
    },
  })
  const { status, json } = await by('response.headers["x-release"]')
  expect([status, json.groups.length]).toEqual([200, 2])
  expect(json.missing_nodes).toEqual([{ name: 'n2', reason: expect.stringContaining('the index is away') }])
})
