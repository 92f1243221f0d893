import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it, vi } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(async () => {
  vi.useRealTimers()
  await hub?.stop()
})

it('an import keeps its name while its bytes come, whatever else is asked', async () => {
  hub = await startHub()
  const bytes = captureFile(httpPackets({ requests: 10 }))
  let rest: ReadableStreamDefaultController<Uint8Array> | undefined
  const body = new ReadableStream<Uint8Array>({
    start(controller) {
      rest = controller
      controller.enqueue(bytes.subarray(0, 1000))
    },
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { host: '127.0.0.1' } } as const
  const imported = hub.fetch(new Request('http://127.0.0.1/api/snapshots/s/import', init))
  await until(
    () => hub.get('/api/snapshots/s'),
    ({ status }) => status === 200,
  )
  for (const force of ['', '?force=true'])
    expect((await hub.send('DELETE', `/api/snapshots/s${force}`)).json).toMatchObject({
      status: 409,
      code: 'busy',
    })
  rest!.enqueue(bytes.subarray(1000))
  rest!.close()
  expect((await imported).status).toBe(201)
  expect((await hub.send('DELETE', '/api/snapshots/s')).status).toBe(200)
})

it('an import that breaks off leaves nothing behind, and is no fault of the hub', async () => {
  hub = await startHub()
  const bytes = captureFile(httpPackets({ requests: 10 }))
  const body = new ReadableStream<Uint8Array>({
    start: (controller) => controller.enqueue(bytes.subarray(0, 1000)),
    pull: (controller) => controller.error(new Error('aborted')),
  })
  const init = { method: 'POST', body, duplex: 'half', headers: { host: '127.0.0.1' } } as const
  const answer = await hub.fetch(new Request('http://127.0.0.1/api/snapshots/s/import', init))
  expect(await answer.json()).toMatchObject({ status: 400, code: 'broken_off' })
  expect((await hub.get('/api/snapshots/s')).status).toBe(404)
  expect(hub.logged.join()).not.toContain('unexpected error')
})

it('an import that says more and is not gone on with has failed after a while, and frees its room', async () => {
  vi.useFakeTimers({ toFake: ['Date'] })
  hub = await startHub()
  const { snapshots } = hub.services
  const bytes = captureFile(httpPackets({ requests: 10 }))
  const send = (query: string) => hub.send('POST', `/api/snapshots/s/import?${query}`, bytes)
  await send('node=a&more=true')
  vi.setSystemTime(Date.now() + 9 * 60_000)
  await snapshots.abandonIdleImports()
  // Each file restarts the time limit.
  expect((await send('node=b&more=true&append=true')).status).toBe(201)
  vi.setSystemTime(Date.now() + 9 * 60_000)
  await snapshots.abandonIdleImports()
  expect((await hub.get('/api/snapshots/s')).json.status).toBe('in_progress')
  vi.setSystemTime(Date.now() + 2 * 60_000)
  await snapshots.abandonIdleImports()
  const { json } = await hub.get('/api/snapshots/s')
  expect(json).toMatchObject({ status: 'failed', size_bytes: 0, packet_count: 0 })
  expect(json.error).toMatch(/none arrived for 10m/)
  expect(snapshots.room.used).toBe(0)
  expect(await readdir(join(hub.folder, 'snapshots', 's'))).toEqual(['snapshot.json'])
  const late = await send('node=c&append=true')
  expect(late.json).toMatchObject({ status: 409, hint: expect.stringContaining('none arrived') })
  expect((await hub.send('DELETE', '/api/snapshots/s')).status).toBe(200)
})
