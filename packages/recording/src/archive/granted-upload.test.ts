import { createHash, randomBytes } from 'node:crypto'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openS3 } from '@tapdeck/objects/s3'
import { S3Server } from '@tapdeck/objects/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Damaged } from '../damaged.ts'
import { SnapshotStore } from '../snapshot-store.ts'
import { CaptureDigest, type CaptureSummary } from './capture-digest.ts'
import type { GrantedUpload } from './granted-upload.ts'

const MB = 1024 * 1024
const counts = { packet_count: 1, dropped_packets: 0 }
let server: S3Server
let root: string

beforeEach(async () => {
  server = await S3Server.start()
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  root = await mkdtemp(join(tmpdir(), 'tapdeck-granted-'))
})

afterEach(async () => {
  await server.close()
  vi.unstubAllEnvs()
  await rm(root, { recursive: true, force: true })
})

async function openStore(folder = 'one'): Promise<SnapshotStore> {
  const objects = openS3({
    ...{ bucket: 'tests', prefix: 'p/', endpoint: server.endpoint, region: '', pathStyle: true },
    ...{ encryption: '', kmsKey: '' },
  })
  return SnapshotStore.open(join(root, folder), { maxBytes: 1024 * MB, objects })
}

async function create(store: SnapshotStore, nodes: string[]): Promise<void> {
  const request = { duration: '1m', start_ts: 0, end_ts: 60_000, created_at: '2026-01-01T00:00:00.000Z' }
  await store.create('s', { ...request, nodes })
  await writeFile(join(store.path('s'), 'inventory.json'), '{"names":true}')
}

function summaryOf(bytes: Uint8Array): CaptureSummary {
  const digest = new CaptureDigest()
  digest.update(bytes)
  return digest.end()
}

/** What a worker does: sends the parts that it gets an address for. Returns how many it sent. */
async function send(upload: GrantedUpload, bytes: Buffer, from = 0): Promise<number> {
  let sent = 0
  for (let at = from * upload.partBytes; at < bytes.length; at += upload.partBytes) {
    const part = new Uint8Array(bytes.subarray(at, at + upload.partBytes))
    const md5 = createHash('md5').update(part).digest('base64')
    const number = at / upload.partBytes + 1
    const url = await upload.grant({ number, size: part.length, md5 })
    if (url === undefined) continue
    const { status } = await fetch(url, { method: 'PUT', body: part, headers: { 'content-md5': md5 } })
    expect(status).toBe(200)
    upload.arrived(number)
    sent++
  }
  return sent
}

async function bytesOf(store: SnapshotStore, node: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.readNode('s', node)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

test('a snapshot with a part of a node in the bucket is usable at once, and published with the parts of this disk', async () => {
  const store = await openStore()
  const [far, near] = [randomBytes(9 * MB), randomBytes(1000)]
  await create(store, ['far', 'near'])
  const upload = await store.archive!.grant('s', 'far', far.length)
  expect(await send(upload, far)).toBe(2)
  await upload.complete(summaryOf(far), counts)
  const writer = await store.writer('s', 'near')
  await writer.write(near)
  await writer.finish(counts)
  await store.setStatus('s', 'completed')
  expect(store.get('s')).toMatchObject({ size_bytes: far.length + near.length, verified: true })
  expect(store.room.used).toBe(near.length)
  const readAll = async (from: SnapshotStore) => {
    expect((await bytesOf(from, 'far')).equals(far)).toBe(true)
    expect((await bytesOf(from, 'near')).equals(near)).toBe(true)
  }
  await readAll(store)
  const copy = { reader: 'r', parties: [], signal: new AbortController().signal }
  const { captures, end } = await store.archive!.copies('s', store.captures('s'), copy)
  expect(captures.flatMap(({ paths }) => paths)).toEqual([
    join(store.path('s'), 'r.copies/far.pcapng'),
    join(store.path('s'), 'near.pcapng'),
  ])
  await end()
  expect(store.room.used).toBe(near.length)
  // A hub that ends before it published reads the same, and publishes.
  const again = await openStore()
  expect(again.room.used).toBe(near.length)
  await readAll(again)
  await again.archive!.publish('s')
  expect(again.room.used).toBe(0)
  expect(again.archive!.sentBytes).toEqual({ hub: near.length, node: 0 })
  expect(store.archive!.sentBytes).toEqual({ hub: 0, node: far.length })
  await readAll(again)
  const other = await openStore('two')
  await other.refresh(
    () => {},
    async () => {},
  )
  await readAll(other)
  expect(String(server.bucket.objects.get('p/manifests/s.json')!.bytes)).not.toContain('remote')
  await other.remove('s')
  expect([server.bucket.keys(), server.bucket.uploads.size]).toEqual([[], 0])
})

test('after another attempt only parts with other bytes are sent', async () => {
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(17 * MB)
  const upload = await store.archive!.grant('s', 'n', bytes.length)
  expect(await send(upload, bytes.subarray(0, 16 * MB))).toBe(2)
  bytes.fill(1, 9 * MB)
  expect(await send(upload, bytes)).toBe(2)
  await upload.complete(summaryOf(bytes), counts)
  await store.setStatus('s', 'completed')
  expect((await bytesOf(store, 'n')).equals(bytes)).toBe(true)
})

test('a part of an earlier attempt that arrives late, over that of the last one, is found', async () => {
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(17 * MB)
  const upload = await store.archive!.grant('s', 'n', bytes.length)
  // It differs in one block, which a sample would hardly meet.
  const late = new Uint8Array(bytes.subarray(8 * MB, 16 * MB))
  late[3 * MB] ^= 1
  const md5 = createHash('md5').update(late).digest('base64')
  const url = await upload.grant({ number: 2, size: late.length, md5 })
  expect(await send(upload, bytes)).toBe(3)
  const { status } = await fetch(url!, { method: 'PUT', body: late, headers: { 'content-md5': md5 } })
  expect(status).toBe(200)
  await expect(upload.complete(summaryOf(bytes), counts)).rejects.toThrow(/part 2 has other bytes/)
  await upload.abort()
  expect([server.bucket.keys(), server.bucket.uploads.size]).toEqual([[], 0])
})

test('where the tags of parts are no checksums, a block of each part is read', async () => {
  server.bucket.tagOf = (bytes) => createHash('md5').update('key').update(bytes).digest('hex')
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(17 * MB)
  for (const isLate of [true, false]) {
    const upload = await store.archive!.grant('s', 'n', bytes.length)
    const late = new Uint8Array(randomBytes(8 * MB))
    const md5 = createHash('md5').update(late).digest('base64')
    const url = await upload.grant({ number: 2, size: late.length, md5 })
    await send(upload, bytes)
    if (isLate) {
      await fetch(url!, { method: 'PUT', body: late, headers: { 'content-md5': md5 } })
      await expect(upload.complete(summaryOf(bytes), counts)).rejects.toThrow(Damaged)
      await upload.abort()
    } else await upload.complete(summaryOf(bytes), counts)
  }
  expect((await bytesOf(store, 'n')).equals(bytes)).toBe(true)
})

test.each<[string, (summary: CaptureSummary) => CaptureSummary]>([
  ['checksums of other blocks', (one) => ({ ...one, sums: randomBytes(one.sums.length) })],
  ['too few checksums', (one) => ({ ...one, sums: one.sums.subarray(32) })],
  ['a larger size', (one) => ({ ...one, size_bytes: one.size_bytes + 1 })],
  ['a smaller size', (one) => ({ ...one, size_bytes: one.size_bytes - 1 })],
  ['one part more', (one) => ({ ...one, size_bytes: one.size_bytes + 9 * MB })],
  ['no bytes', (one) => ({ ...one, size_bytes: 0, sums: new Uint8Array(0) })],
])('a worker that reports %s makes no snapshot, and nothing is left', async (_, lie) => {
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(MB)
  const upload = await store.archive!.grant('s', 'n', bytes.length)
  await send(upload, bytes)
  await expect(upload.complete(lie(summaryOf(bytes)), counts)).rejects.toThrow(Damaged)
  await upload.abort()
  expect([server.bucket.keys(), server.bucket.uploads.size]).toEqual([[], 0])
  expect(store.files('s')).toEqual([])
})

test('a worker gets no grant for what cannot be a part, and cannot report a part that it has no grant for', async () => {
  const store = await openStore()
  await create(store, ['n'])
  const upload = await store.archive!.grant('s', 'n', MB)
  const md5 = createHash('md5').update('x').digest('base64')
  for (const [number, size] of [
    [0, 1],
    [10_001, 1],
    [1, 0],
    [1, upload.partBytes + 1],
  ] as const)
    await expect(upload.grant({ number, size, md5 })).rejects.toThrow(Damaged)
  expect(() => upload.arrived(1)).toThrow(Damaged)
  await upload.grant({ number: 1, size: 1, md5 })
  upload.arrived(1)
  // It was not sent.
  await expect(upload.complete(summaryOf(Buffer.from('x')), counts)).rejects.toThrow(Damaged)
})

test('an index that is none is not stored', async () => {
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(1000)
  const upload = await store.archive!.grant('s', 'n', bytes.length)
  await send(upload, bytes)
  await upload.complete({ ...summaryOf(bytes), index: randomBytes(500) }, counts)
  expect(server.bucket.keys().some((key) => key.endsWith('.idx'))).toBe(false)
  expect((await bytesOf(store, 'n')).equals(bytes)).toBe(true)
})

test('what uploads of a hub that was killed left is removed when it continues; parts that were complete stay', async () => {
  const killed = await openStore()
  await create(killed, ['done', 'half'])
  const bytes = randomBytes(9 * MB)
  const done = await killed.archive!.grant('s', 'done', bytes.length)
  await send(done, bytes)
  await done.complete(summaryOf(bytes), counts)
  const half = await killed.archive!.grant('s', 'half', bytes.length)
  await send(half, bytes.subarray(0, 8 * MB))
  const { id } = JSON.parse(await readFile(join(killed.path('s'), 'snapshot.json'), 'utf8')).archive
  server.bucket.objects.set(`p/data/${id}/half.pcapng`, { bytes: Buffer.from('x'), modified: 0, headers: {} })
  const again = await openStore()
  expect(server.bucket.uploads.size).toBe(1)
  await again.restart('s', 1)
  expect(server.bucket.uploads.size).toBe(0)
  expect(server.bucket.keys()).toEqual([`p/data/${id}/done.pcapng`, `p/data/${id}/done.pcapng.sums`])
  expect((await bytesOf(again, 'done')).equals(bytes)).toBe(true)
  const anew = await again.archive!.grant('s', 'half', bytes.length)
  await send(anew, bytes)
  await anew.complete(summaryOf(bytes), counts)
  expect((await bytesOf(again, 'half')).equals(bytes)).toBe(true)
  await again.remove('s')
  expect(server.bucket.keys()).toEqual([])
})

test('a bucket that is away when an upload is given up does not make the hub continue it', async () => {
  const store = await openStore()
  await create(store, ['n'])
  const bytes = randomBytes(9 * MB)
  const upload = await store.archive!.grant('s', 'n', bytes.length)
  await send(upload, randomBytes(8 * MB))
  server.fault = () => ({ kind: 'cut' })
  await upload.abort()
  server.fault = () => undefined
  const writer = await store.writer('s', 'n')
  await writer.write(bytes)
  await writer.finish(counts)
  await store.setStatus('s', 'completed')
  await store.archive!.publish('s')
  expect((await bytesOf(store, 'n')).equals(bytes)).toBe(true)
  expect(server.bucket.uploads.size).toBe(0)
})
