import { readdirSync } from 'node:fs'
import { afterEach, expect, test } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
const bucket = bucketForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const { importFile, dissect, calls } = jobsOf(() => hub)

async function start(): Promise<void> {
  hub = await startHub({ thread: thread(), set: bucket.settings })
}

const snapshot = async (name: string) => (await hub.get(`/mcp/snapshots/${name}`)).json

test('a snapshot moves to the bucket and is dissected, exported and deleted from there', async () => {
  await start()
  const file = captureFile(httpPackets({ requests: 50 }))
  await importFile('s1', file)
  await expect.poll(() => snapshot('s1'), { timeout: 60_000 }).toMatchObject({ location: 's3' })
  const folder = hub.services.snapshots.path('s1')
  await expect.poll(() => readdirSync(folder), { timeout: 60_000 }).toEqual(['snapshot.json'])
  expect(await dissect('s1', 'all')).toMatchObject({ status: 'completed', call_count: 50 })
  expect((await calls('s1/all', '')).json.total).toBe(50)
  expect(readdirSync(folder).sort()).toEqual(['dissections', 'snapshot.json'])
  expect(await dissect('s1', 'none', { kfl: 'dst.ip == 10.99.99.99' })).toMatchObject({ call_count: 0 })
  const pcap = hub.services.snapshots.captures('s1')
  expect(pcap).toHaveLength(1)
  const bytes: Uint8Array[] = []
  for await (const chunk of hub.services.snapshots.readNode('s1', pcap[0]!.node)) bytes.push(chunk)
  expect(Buffer.concat(bytes).equals(Buffer.from(file))).toBe(true)
  expect((await hub.send('DELETE', '/mcp/snapshots/s1?force=true', undefined)).status).toBe(200)
  expect(bucket.server.bucket.keys()).toEqual([])
})

test('a denied upload is reported at the snapshot, which stays usable', async () => {
  bucket.server.fault = ({ method }) =>
    method === 'PUT' ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined
  await start()
  await importFile('s1', captureFile(httpPackets({ requests: 10 })))
  await expect
    .poll(() => snapshot('s1'), { timeout: 60_000 })
    .toMatchObject({
      status: 'completed',
      location: 'local',
      upload_error: expect.stringMatching(/403 AccessDenied.*credentials of the hub/),
    })
  expect(await dissect('s1', 'all')).toMatchObject({ status: 'completed', call_count: 10 })
})

test('a bucket that is away is seen in the metrics', async () => {
  const reachable = async () => /^tapdeck_bucket_reachable (\d)$/m.exec((await hub.get('/metrics')).text)?.[1]
  bucket.server.fault = () => ({ kind: 'cut' })
  await start()
  await expect.poll(reachable, { timeout: 60_000 }).toBe('0')
  await hub.stop()
  bucket.server.fault = () => undefined
  await start()
  expect(await reachable()).toBe('1')
})

test('a bucket that cannot be read answers 503 with the reason', async () => {
  await start()
  await importFile('s1', captureFile(httpPackets({ requests: 10 })))
  await expect.poll(() => snapshot('s1'), { timeout: 60_000 }).toMatchObject({ location: 's3' })
  bucket.server.fault = () => ({ kind: 'answer', status: 403, code: 'AccessDenied' })
  const refused = await hub.send('PATCH', '/mcp/snapshots/s1', { notes: 'x' })
  expect(refused).toMatchObject({ status: 503, json: { code: 'object_storage' } })
  expect((await snapshot('s1')).notes).toBe('')
  const job = await dissect('s1', 'all')
  expect(job).toMatchObject({ status: 'failed', errors: [expect.stringMatching(/403/)] })
})
