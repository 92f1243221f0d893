import { mkdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const { importFile, dissect, calls, asPipe } = jobsOf(() => hub)

/** 6 MB: enough for a thread where several nodes are dissected. */
const large = (mark: string, start = 1_700_000_000_000) =>
  captureFile(httpPackets({ requests: 20, bodySize: 300_000, mark, start }))

async function importNodes(name: string, captures: Readonly<Record<string, Uint8Array>>): Promise<void> {
  const nodes = Object.entries(captures)
  for (const [at, [node, bytes]] of nodes.entries())
    await importFile(name, bytes, `?node=${node}&append=${at > 0}&more=${at < nodes.length - 1}`)
}

it('nodes are dissected at the same time: one that stalls does not hold the others', async () => {
  hub = await startHub({ thread: thread(), set: ['tap.delayedDissection.threads=2'] })
  const stalled = large('a')
  const small = captureFile(httpPackets({ requests: 30, mark: 'c', start: 1_700_000_500_000 }))
  await importNodes('s1', { a: stalled, b: large('b', 1_700_000_300_000), c: small })
  const pipe = await asPipe('s1', 'a')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  await pipe.writeFile(stalled.subarray(0, 1_000_000))
  // All of b and c, while a stalls.
  await until(
    () => calls('s1/one', 'path.startsWith("/b/") or path.startsWith("/c/")', '&limit=1000'),
    ({ status, json }) => status === 200 && json.total === 50,
  )
  // Progress is the sum of all nodes: more than 6 of 12 MB.
  const running = await until(
    () => hub.get('/mcp/dissections/s1/one'),
    ({ json }) => json.call_count >= 50 && json.progress >= 50,
  )
  expect(running.json.status).toBe('running')
  await pipe.writeFile(stalled.subarray(1_000_000))
  await pipe.close()
  const { json: done } = await until(
    () => hub.get('/mcp/dissections/s1/one'),
    ({ json }) => json.status !== 'running',
  )
  expect(done).toMatchObject({ status: 'completed', progress: 100, call_count: 70, errors: [] })
  expect((await calls('s1/one', 'http')).json.total).toBe(70)
})

it('a node whose capture cannot be read is named, and the others are dissected', async () => {
  hub = await startHub({ thread: thread(), set: ['tap.delayedDissection.threads=2'] })
  const captures = { a: large('a'), b: captureFile(httpPackets({ requests: 30, mark: 'b' })) }
  await importNodes('s1', captures)
  const folder = join(hub.folder, 'snapshots/s1')
  await rm(join(folder, 'b.pcapng'))
  await mkdir(join(folder, 'b.pcapng'))
  const done = await dissect('s1', 'one')
  expect(done).toMatchObject({
    status: 'completed',
    call_count: 20,
    errors: [expect.stringMatching(/^b: .*EISDIR/)],
  })
  expect((await calls('s1/one')).json.total).toBe(20)
  await rm(join(folder, 'a.pcapng'))
  expect(await dissect('s1', 'two')).toMatchObject({
    status: 'failed',
    errors: expect.arrayContaining([
      expect.stringMatching(/^the captures of all nodes failed: a: .*ENOENT.*; b: .*EISDIR/),
    ]),
  })
})
