import { afterAll, beforeAll, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

const DAWN = Date.UTC(2026, 0, 1)

let hub: TestHub
let worker: IndexWorker
beforeAll(async () => {
  worker = await IndexWorker.open('n1')
  await worker.add([{ at: DAWN, client: 'web', service: 'checkout' }])
  hub = await startHub()
  await hub.worker('n1', worker.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

const why = async (path: string) => (await hub.get(`/api/${path}`)).json.why_empty

it('an empty list of flows or events says why: no such name, another time, or nothing there', async () => {
  expect(await why('flows')).toBeUndefined()
  expect(await why('flows?svc=check')).toMatch(/No flow has svc=check; .* begin alike: checkout\./)
  expect(await why('flows?svc=billing&l4proto=udp')).toMatch(
    /svc=billing and l4proto=udp|l4proto=udp and svc=billing/,
  )
  expect(await why(`flows?start=${DAWN + 3_600_000}`)).toContain('outside')
  expect(await why('events?kind=cluster&name=checkout')).toContain('No cluster events were recorded')
})
