import { randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'
import { type UploadLies, uploadingWorker } from '../testing/uploading-worker.ts'

const MB = 1024 * 1024
const thread = threadForTests()
const bucket = bucketForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const { dissect } = jobsOf(() => hub)
const start = async (...set: string[]) => {
  hub = await startHub({ thread: thread(), set: [...bucket.settings, ...set] })
}
const create = (name = 's') => hub.send('POST', '/mcp/snapshots', { name, duration: '1h' })
const snapshot = async (name = 's') => (await hub.get(`/mcp/snapshots/${name}`)).json
const ended = (name = 's') =>
  expect
    .poll(async () => (await snapshot(name)).status, { timeout: 60_000 })
    .toMatch(/completed|failed/)
    .then(() => snapshot(name))
const published = (name = 's') =>
  expect.poll(() => snapshot(name), { timeout: 60_000 }).toMatchObject({ location: 's3' })
const asked = ({ asked: all }: FakeWorker, name: string) =>
  all.filter(({ request }) => request === name).length

async function bytesOf(node: string, name = 's'): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of hub.services.snapshots.readNode(name, node)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

async function metric(line: string): Promise<number> {
  const { text } = await hub.get('/metrics')
  const found = text.split('\n').find((one: string) => one.startsWith(line))
  return Number(found?.split(' ').at(-1))
}

/** Nothing but what the manifest of the snapshot names. */
function expectNoOrphans(): void {
  const { bucket: stored } = bucket.server
  expect(stored.uploads.size).toBe(0)
  const { archive } = JSON.parse(String(stored.objects.get('tapdeck/manifests/s.json')!.bytes))
  for (const key of stored.keys()) expect(key).toMatch(new RegExp(`${archive.id}/|manifests/s.json`))
}

test('nodes upload their packets themselves: the hub carries and stores none, and the snapshot is usable', async () => {
  await start()
  const one = Buffer.from(captureFile(httpPackets({ requests: 50 })))
  const two = randomBytes(9 * MB)
  const workers = [await hub.worker('n1', uploadingWorker(one)), await hub.worker('n2', uploadingWorker(two))]
  await create()
  expect(await ended()).toMatchObject({
    ...{ status: 'completed', verified: true, size_bytes: one.length + two.length, partial: false },
    nodes: [
      { name: 'n1', status: 'completed', size_bytes: one.length, packet_count: 60, dropped_packets: 2 },
      { name: 'n2', status: 'completed', size_bytes: two.length },
    ],
  })
  for (const worker of workers) expect(asked(worker, 'window')).toBe(0)
  const folder = hub.services.snapshots.path('s')
  expect(readdirSync(folder).filter((file) => file.includes('pcapng'))).toEqual([])
  expect((await bytesOf('n2')).equals(two)).toBe(true)
  expect(await dissect('s', 'all')).toMatchObject({ status: 'completed', call_count: 50 })
  await published()
  expect((await bytesOf('n1')).equals(one)).toBe(true)
  expect(await metric('tapdeck_uploaded_bytes_total{by="node"}')).toBe(one.length + two.length)
  expect(await metric('tapdeck_uploaded_bytes_total{by="hub"}')).toBe(0)
  const puts = bucket.server.requests.filter(({ key, method }) => method === 'PUT' && /pcapng$/.test(key))
  expect(puts.map(({ granted }) => granted)).toEqual([true, true, true])
  expectNoOrphans()
  expect((await hub.send('DELETE', '/mcp/snapshots/s?force=true', undefined)).status).toBe(200)
  expect(bucket.server.bucket.keys()).toEqual([])
})

test('a node with hundreds of gigabytes gets time, also more than a timer takes', async () => {
  await start()
  const worker = uploadingWorker(randomBytes(MB))
  const boundaries = { oldest_ts: 1_700_000_000_000, newest_ts: 1_700_000_060_000, size_bytes: 600e9 }
  await hub.worker('n1', {
    ...worker,
    boundaries: () => ({ ...boundaries, packet_count: 60, dropped_packets: 2 }),
  })
  await create()
  const { nodes } = await ended()
  expect(nodes).toMatchObject([{ status: 'completed', size_bytes: MB }])
  expect(nodes[0]).not.toHaveProperty('upload_error')
})

test('a snapshot may be larger than the disk of the hub has space for', async () => {
  await start('tap.snapshots.local.storageSize=1Mi')
  const bytes = randomBytes(3 * MB)
  await hub.worker('n', uploadingWorker(bytes))
  await create()
  expect(await ended()).toMatchObject({ status: 'completed', size_bytes: bytes.length })
  await published()
})

test('with nodeUploads off, and with a worker that does not know uploads, the packets go through the hub', async () => {
  await start()
  const bytes = randomBytes(MB)
  const { upload: _, ...old } = uploadingWorker(bytes)
  await hub.worker('n', old)
  await create()
  const made = await ended()
  expect(made).toMatchObject({
    status: 'completed',
    nodes: [{ status: 'completed', upload_error: 'unknown' }],
  })
  await published()
  expect((await bytesOf('n')).equals(bytes)).toBe(true)
  expectNoOrphans()
  await hub.stop()
  await start('tap.snapshots.s3.nodeUploads=false')
  const worker = await hub.worker('n', uploadingWorker(bytes))
  await create('t')
  expect((await ended('t')).nodes[0]).not.toHaveProperty('upload_error')
  expect([asked(worker, 'upload'), asked(worker, 'window')]).toEqual([0, 1])
})

const denied = { kind: 'answer', status: 403, code: 'AccessDenied' } as const

test.each<[string, RegExp, UploadLies & { readonly fault?: 'grant' | 'begin' | 'complete' }]>([
  ['the storage denies the nodes', /403/, { fault: 'grant' }],
  ['the storage denies to begin an upload', /403/, { fault: 'begin' }],
  ['the storage denies to complete it', /403/, { fault: 'complete' }],
  ['it reports parts that it did not send', /no bytes/, { put: async () => {} }],
  ['it reports other checksums', /checksum/, { pieces: (all) => randomBytes(all.length) }],
  ['it sends too few checksums', /incomplete/, { pieces: (all) => all.subarray(1) }],
  [
    'it reports another size',
    /not those of/,
    {
      answer: (step) =>
        step.result ? { ...step, result: { ...step.result, size_bytes: step.result.size_bytes + 1 } } : step,
    },
  ],
  [
    'it wants an address for a part out of order',
    /not the next/,
    { answer: (step) => ({ ...step, ready: step.ready.map((part) => ({ ...part, number: 7 })) }) },
  ],
  [
    'it reports a part that it has no grant for',
    /not granted/,
    { answer: (step) => ({ ...step, sent: [...step.sent, 5] }) },
  ],
  ['it neither goes on nor ends', /neither/, { answer: ({ sent }) => ({ sent, ready: [] }) }],
  [
    'it says that it is busy',
    /busy/,
    {
      before() {
        throw { status: 503, code: 'worker_busy', detail: 'busy' }
      },
    },
  ],
])('if %s, the hub takes the packets itself and says why', async (_, why, { fault, ...lies }) => {
  await start()
  const bytes = randomBytes(MB)
  await hub.worker('n', uploadingWorker(bytes, lies))
  let isTaken = false
  bucket.server.fault = ({ method, key, query, granted }) => {
    if (isTaken || !key.endsWith('.pcapng')) return undefined
    if (fault === 'grant' && granted) return denied
    if (fault === 'begin' && method === 'POST' && query.has('uploads')) return denied
    return fault === 'complete' && method === 'POST' && query.has('uploadId') ? denied : undefined
  }
  await create()
  const made = await ended()
  isTaken = true
  expect(made).toMatchObject({
    status: 'completed',
    partial: false,
    nodes: [{ name: 'n', status: 'completed', upload_error: expect.stringMatching(why) }],
  })
  await published()
  expect((await bytesOf('n')).equals(bytes)).toBe(true)
  expectNoOrphans()
})

test('a worker that leaves and returns continues: parts that arrived are not sent again', async () => {
  await start('tap.snapshots.returnWithin=5m')
  const bytes = randomBytes(17 * MB)
  const first: FakeWorker = await hub.worker(
    'n',
    uploadingWorker(bytes, {
      before(step) {
        if (step === 3) first.close()
      },
    }),
  )
  await create()
  await expect.poll(() => hub.services.workers.connected.length, { timeout: 60_000 }).toBe(0)
  const second = await hub.worker('n', uploadingWorker(bytes))
  expect(await ended()).toMatchObject({ status: 'completed', partial: false })
  expect(asked(second, 'window')).toBe(0)
  await published()
  expect((await bytesOf('n')).equals(bytes)).toBe(true)
  const numbers = bucket.server.requests
    .filter(({ granted }) => granted)
    .map(({ query }) => query.get('partNumber'))
  expect(numbers.filter((number) => number === '1')).toHaveLength(1)
  expectNoOrphans()
})

test('a worker that does not return leaves nothing in the bucket, nor does a snapshot that is deleted meanwhile', async () => {
  await start('tap.snapshots.returnWithin=1s')
  const bytes = randomBytes(17 * MB)
  const leaving: FakeWorker = await hub.worker(
    'n',
    uploadingWorker(bytes, {
      before(step) {
        if (step === 3) leaving.close()
      },
    }),
  )
  await create()
  expect(await ended()).toMatchObject({ status: 'failed' })
  expect([bucket.server.bucket.keys(), bucket.server.bucket.uploads.size]).toEqual([[], 0])
  let reached = () => {}
  const isReached = new Promise<void>((resolve) => {
    reached = resolve
  })
  const before = async (step: number) => {
    if (step < 3) return
    reached()
    await new Promise(() => {})
  }
  await hub.worker('m', uploadingWorker(bytes, { before }))
  await create('t')
  await isReached
  expect(bucket.server.bucket.uploads.size).toBe(1)
  expect((await hub.send('DELETE', '/mcp/snapshots/t?force=true', undefined)).status).toBe(200)
  expect([bucket.server.bucket.keys(), bucket.server.bucket.uploads.size]).toEqual([[], 0])
  expect(existsSync(join(hub.folder, 'snapshots/t'))).toBe(false)
})
