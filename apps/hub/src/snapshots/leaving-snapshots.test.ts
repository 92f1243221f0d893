import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

it('while a snapshot is being deleted or renamed, no dissection of it begins that would be lost with it', async () => {
  hub = await startHub()
  const { dissections, snapshots } = hub.services
  await hub.send('POST', '/api/snapshots/s/import', captureFile(httpPackets({ requests: 10 })))
  const begin = (snapshot_name: string) =>
    hub.send('POST', '/mcp/dissections', { snapshot_name, dissection_name: 'late' })
  let refused: unknown
  await dissections.moveSnapshot('s', 't', async () => {
    refused = (await begin('s')).json
    await snapshots.rename('s', 't')
  })
  expect(refused).toMatchObject({ status: 409, code: 'busy' })
  await dissections
    .forgetSnapshot('t', async () => {
      refused = (await begin('t')).json
      throw new Error('it stays')
    })
    .catch(() => undefined)
  expect(refused).toMatchObject({ status: 409, code: 'busy' })
  expect(dissections.list()).toEqual([])
  expect((await begin('t')).status).toBe(200)
})
