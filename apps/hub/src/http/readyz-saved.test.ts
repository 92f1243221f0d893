import { mkdir, rmdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const readyz = () => hub.get('/readyz')

it('shows that the hub cannot write what it knows of missing data, until it can', async () => {
  hub = await startHub()
  expect((await readyz()).json).toMatchObject({ ready: true, saved: true })
  // The next draft of this file cannot be written.
  const place = join(hub.folder, 'coverage.json.new')
  await mkdir(place)
  await hub.worker('n1')
  const { status, json } = await until(readyz, (answer) => answer.status === 503)
  expect([status, json]).toMatchObject([
    503,
    {
      ready: false,
      storage: true,
      saved: false,
      not_saved: [{ what: 'gaps of the nodes', reason: expect.stringContaining('EISDIR') }],
    },
  ])

  await rmdir(place)
  await hub.worker('n2')
  await until(readyz, (answer) => answer.status === 200)
  expect((await readyz()).json).toMatchObject({ ready: true, saved: true })
})

it('shows the node that cannot write its own, and stays ready', async () => {
  hub = await startHub()
  const not_saved = [{ what: 'times without indexing', reason: 'ENOSPC: no space left on device' }]
  const worker = await hub.worker('n1', {}, { not_saved })
  const { status, json } = await readyz()
  expect([status, json]).toMatchObject([
    200,
    { ready: true, saved: false, workers: { nodes: [{ not_saved }] } },
  ])
  expect((await hub.get('/api/status')).json.nodes).toMatchObject([{ name: 'n1', not_saved }])
  worker.close()
  await until(
    () => hub.services.workers.connected.length,
    (count) => count === 0,
  )
  expect((await readyz()).json).toMatchObject({ saved: true })
})
