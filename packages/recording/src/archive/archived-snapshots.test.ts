import { createHash, randomBytes } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { ObjectStore } from '@tapdeck/objects'
import { openS3 } from '@tapdeck/objects/s3'
import { S3Server } from '@tapdeck/objects/testing'
import { addressKey, PcapngWriter } from '@tapdeck/wire'
import { udpFrame } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { ChosenPackets } from '../chosen-packets.ts'
import { SnapshotStore } from '../snapshot-store.ts'
import { BucketDissections } from './bucket-dissections.ts'

const MB = 1024 * 1024
const DAY = 24 * 3_600_000
let server: S3Server
let root: string
const opened: ObjectStore[] = []

beforeEach(async () => {
  server = await S3Server.start()
  for (const [name, value] of Object.entries(server.environment)) vi.stubEnv(name, value)
  root = await mkdtemp(join(tmpdir(), 'tapdeck-archive-'))
})

afterEach(async () => {
  for (const objects of opened.splice(0)) objects.close()
  await server.close()
  vi.unstubAllEnvs()
  await rm(root, { recursive: true, force: true })
})

/** A hub's store: the same folder is the same hub, started again. */
async function openStore(folder = 'one', maxBytes = 1024 * MB): Promise<SnapshotStore> {
  const objects = openS3({
    ...{ bucket: 'tests', prefix: 'p/', endpoint: server.endpoint, region: '', pathStyle: true },
    ...{ encryption: '', kmsKey: '' },
  })
  opened.push(objects)
  return SnapshotStore.open(join(root, folder), { maxBytes, objects })
}

async function complete(store: SnapshotStore, name: string, nodes: Readonly<Record<string, Uint8Array>>) {
  await store.create(name, {
    ...{ duration: '1m', start_ts: 0, end_ts: 60_000, created_at: '2026-01-01T00:00:00.000Z' },
    nodes: Object.keys(nodes),
  })
  await writeFile(join(store.path(name), 'inventory.json'), '{"names":true}')
  for (const [node, bytes] of Object.entries(nodes)) {
    const writer = await store.writer(name, node)
    await writer.write(bytes)
    await writer.finish({ packet_count: 1, dropped_packets: 0 })
  }
  await store.setStatus(name, 'completed')
}

async function bytesOf(store: SnapshotStore, name: string, node: string): Promise<Buffer> {
  const chunks: Uint8Array[] = []
  for await (const chunk of store.readNode(name, node)) chunks.push(chunk)
  return Buffer.concat(chunks)
}

const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error: Error) => error,
  )
const ignore = () => {}
const stay = async () => {}

test('a published snapshot is in the bucket alone, and a second hub lists and reads it', async () => {
  const first = await openStore('one')
  const bytes = randomBytes(MB)
  await complete(first, 'incident', { a: bytes, b: randomBytes(10) })
  expect(first.archive!.waiting()).toEqual(['incident'])
  await first.archive!.publish('incident')
  expect(first.archive!.waiting()).toEqual([])
  expect(readdirSync(first.path('incident')).sort()).toEqual(['inventory.json', 'snapshot.json'])
  expect(first.room.used).toBe(0)
  expect((await bytesOf(first, 'incident', 'a')).equals(bytes)).toBe(true)
  const second = await openStore('two')
  expect(await second.refresh(ignore, stay)).toBe(true)
  expect(second.get('incident')).toEqual(first.get('incident'))
  expect((await bytesOf(second, 'incident', 'a')).equals(bytes)).toBe(true)
  expect(existsSync(join(second.path('incident'), 'inventory.json'))).toBe(true)
  await first.remark('incident', { tags: ['keep'], notes: 'from the first hub' })
  await second.refresh(ignore, stay)
  expect(second.get('incident')).toMatchObject({ tags: ['keep'], notes: 'from the first hub' })
  const left: string[] = []
  await first.remove('incident')
  await second.refresh(ignore, async (name) => void left.push(name))
  expect(left).toEqual(['incident'])
  expect(second.list()).toEqual([])
  expect(server.bucket.keys()).toEqual([])
})

test('a hub that ends at any request of a publication completes it later, and leaves no orphan', async () => {
  const bytes = randomBytes(9 * MB)
  // Each run ends at its n-th request, before or after the storage has done it, until one gets through.
  for (const kind of ['cut', 'cut_after'] as const) {
    const folder = `hub-${kind}`
    await complete(await openStore(folder), 'big', { a: bytes })
    let allowed = 0
    for (let isDone = false; !isDone; allowed++) {
      expect(allowed).toBeLessThan(40)
      let seen = 0
      server.fault = () => (seen++ === allowed ? { kind } : undefined)
      const store = await openStore(folder)
      await failure(store.refresh(ignore, stay))
      for (const name of store.archive!.waiting()) await failure(store.archive!.publish(name))
      isDone = store.archive!.isArchived('big')
      await store.archive!.halt('big')
    }
    server.fault = () => undefined
    const last = await openStore(folder)
    await last.refresh(ignore, stay)
    expect((await bytesOf(last, 'big', 'a')).equals(bytes)).toBe(true)
    expect(existsSync(join(last.path('big'), 'a.pcapng'))).toBe(false)
    expect(server.bucket.uploads.size).toBe(0)
    await last.remove('big')
    expect(server.bucket.keys()).toEqual([])
  }
})

test('parts that arrived before an interruption are not sent again', async () => {
  const store = await openStore()
  await complete(store, 'big', { a: randomBytes(25 * MB) })
  server.fault = ({ query }) =>
    query.get('partNumber') === '4' ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined
  expect(await failure(store.archive!.publish('big'))).toMatchObject({ kind: 'denied' })
  server.fault = () => undefined
  const [{ parts } = { parts: new Map() }] = server.bucket.uploads.values()
  const before = [...parts.keys()]
  expect(before).toContain(1)
  server.requests.length = 0
  const again = await openStore()
  await again.archive!.publish('big')
  const sent = server.requests.flatMap(({ query }) => query.get('partNumber') ?? [])
  expect(sent.map(Number)).toEqual([1, 2, 3, 4].filter((number) => !before.includes(number)))
})

test('a full bucket keeps the snapshot on the disk, and a later attempt succeeds', async () => {
  const store = await openStore()
  const bytes = randomBytes(MB)
  await complete(store, 'one', { a: bytes })
  server.bucket.maxBytes = 1000
  expect(await failure(store.archive!.publish('one'))).toMatchObject({ kind: 'full' })
  expect((await bytesOf(store, 'one', 'a')).equals(bytes)).toBe(true)
  server.bucket.maxBytes = Number.POSITIVE_INFINITY
  await store.archive!.publish('one')
  expect(store.archive!.isArchived('one')).toBe(true)
})

test.each([
  ['with conditions', false],
  ['that refuses conditions', true],
])(
  'of two hubs with a snapshot of one name, the second keeps its own until it is renamed: storage %s',
  async (_, refuses) => {
    server.bucket.refusesConditions = refuses
    const [first, second] = [await openStore('one'), await openStore('two')]
    const [ours, theirs] = [randomBytes(1000), randomBytes(1000)]
    await complete(first, 'same', { a: ours })
    await complete(second, 'same', { a: theirs })
    await first.archive!.publish('same')
    expect(await failure(second.archive!.publish('same'))).toMatchObject({ kind: 'exists' })
    await second.refresh(ignore, stay)
    expect((await bytesOf(second, 'same', 'a')).equals(theirs)).toBe(true)
    await second.rename('same', 'other')
    await second.archive!.publish('other')
    await second.refresh(ignore, stay)
    expect((await bytesOf(second, 'same', 'a')).equals(ours)).toBe(true)
    expect((await bytesOf(second, 'other', 'a')).equals(theirs)).toBe(true)
  },
)

test('a snapshot is renamed in the bucket, also where the hub ends between the two manifests', async () => {
  const store = await openStore()
  await complete(store, 'before', { a: randomBytes(100) })
  await store.archive!.publish('before')
  server.fault = ({ method }) => (method === 'DELETE' ? { kind: 'cut' } : undefined)
  await failure(store.rename('before', 'after'))
  server.fault = () => undefined
  const other = await openStore('two')
  await other.refresh(ignore, stay)
  expect(other.list().map(({ name }) => name)).toEqual(['after'])
  expect(server.bucket.keys().filter((key) => key.includes('manifests'))).toEqual(['p/manifests/after.json'])
})

test('changed bytes in the bucket are noticed when they are read, wherever they are', async () => {
  const store = await openStore()
  await complete(store, 'one', { a: randomBytes(MB) })
  await store.archive!.publish('one')
  const key = server.bucket.keys().find((one) => one.endsWith('a.pcapng'))!
  server.bucket.objects.get(key)!.bytes[600_000]! ^= 1
  expect(await failure(bytesOf(store, 'one', 'a'))).toMatchObject({
    message: expect.stringMatching(/checksum/),
  })
})

test('objects that no manifest names are removed after a day; those of an unknown format are left', async () => {
  const store = await openStore()
  await complete(store, 'one', { a: randomBytes(100) })
  await store.archive!.publish('one')
  const kept = server.bucket.keys().length
  await store.archive!.objects.put('data/11111111-1111-1111-1111-111111111111/a', Buffer.from('left over'))
  await store.archive!.objects.beginUpload('data/22222222-2222-2222-2222-222222222222/b')
  const later = Date.now() + 2 * DAY
  expect(await store.archive!.sweep(Date.now())).toBe(0)
  for (const unknown of ['manifests/new.json', 'dissections/33333333-3333-3333-3333-333333333333/new.json']) {
    await store.archive!.objects.put(unknown, Buffer.from('{"format":2}'))
    for (let at = 0; at < 3; at++) expect(await store.archive!.sweep(later)).toBe(0)
    await store.archive!.objects.remove([unknown])
  }
  // A listing may lag: it takes two sweeps.
  expect(await store.archive!.sweep(later)).toBe(0)
  expect(await store.archive!.sweep(later)).toBe(2)
  expect(server.bucket.keys()).toHaveLength(kept)
  expect(server.bucket.uploads.size).toBe(0)
})

test('another bucket does not make the snapshots of the first one vanish', async () => {
  const store = await openStore()
  await complete(store, 'one', { a: randomBytes(100) })
  await store.archive!.publish('one')
  const objects = openS3({
    ...{ bucket: 'tests', prefix: 'elsewhere/', endpoint: server.endpoint, region: '', pathStyle: true },
    ...{ encryption: '', kmsKey: '' },
  })
  opened.push(objects)
  const moved = await SnapshotStore.open(join(root, 'one'), { maxBytes: MB, objects })
  await moved.refresh(ignore, stay)
  expect(moved.list().map(({ name }) => name)).toEqual(['one'])
})

test('a manifest of another writer cannot name a file outside of its snapshot', async () => {
  const store = await openStore()
  await complete(store, 'one', { a: randomBytes(100) })
  await store.archive!.publish('one')
  const text = String(await store.archive!.objects.get('manifests/one.json', MB))
  const evil = text.replaceAll('inventory.json', '../../evil')
  expect(evil).not.toBe(text)
  await store.archive!.objects.put('manifests/evil.json', Buffer.from(evil))
  const problems: string[] = []
  const other = await openStore('two')
  await other.refresh((text) => problems.push(text), stay)
  expect(other.list().map(({ name }) => name)).toEqual(['one'])
  expect(problems).toEqual(['manifests/evil.json is no manifest that this version can read'])
})

test('a copy for some parties reads only the regions that have packets of them', async () => {
  const store = await openStore()
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  for (let at = 0; at < 6000; at++) {
    const dst = `10.0.0.${at < 5900 ? 10 : 77}`
    const packet = udpFrame({ src: '10.0.0.1', dst, sport: 1000, dport: 2000, payload: new Uint8Array(1400) })
    writer.packet(0, 1_700_000_000_000_000 + at, packet, 0, packet.length, packet.length)
  }
  const bytes = Buffer.from(writer.take())
  await complete(store, 'one', { a: bytes })
  await store.archive!.publish('one')
  server.sentBytes = 0
  const signal = new AbortController().signal
  const request = { reader: 'test', parties: [[addressKey('10.0.0.77')]], signal }
  const { captures, end } = await store.archive!.copies('one', store.captures('one'), request)
  const chosen = (await ChosenPackets.open(captures[0]!.paths, request.parties))!
  const found: Uint8Array[] = []
  for await (const chunk of chosen) found.push(chunk)
  expect(Buffer.concat(found).length).toBeGreaterThan(100 * 1400)
  expect(server.sentBytes).toBeLessThan(bytes.length / 4)
  expect(store.room.used).toBeGreaterThan(0)
  await end()
  expect(store.room.used).toBe(0)
  expect(
    createHash('sha256')
      .update(await bytesOf(store, 'one', 'a'))
      .digest('hex'),
  ).toBe(createHash('sha256').update(bytes).digest('hex'))
})

test('a listing that lags makes no snapshot vanish, and removes nothing of it', async () => {
  const [first, second] = [await openStore('one'), await openStore('two')]
  await complete(first, 'incident', { a: randomBytes(MB) })
  await first.archive!.publish('incident')
  expect(await second.refresh(ignore, stay)).toBe(true)
  const before = server.bucket.keys()
  for (const key of before) server.bucket.unlisted.add(key)
  const leaving: string[] = []
  await second.refresh(ignore, async (name) => void leaving.push(name))
  expect(leaving).toEqual([])
  expect(second.get('incident')).toBeDefined()
  // The data is listed again before the manifest is.
  for (const key of before) if (key.includes('/data/')) server.bucket.unlisted.delete(key)
  const third = await openStore('three')
  expect(await third.archive!.sweep(Date.now())).toBe(0)
  expect(await third.archive!.sweep(Date.now())).toBe(0)
  expect(server.bucket.keys()).toEqual(before)
})

test('a slow bucket holds up neither other snapshots nor the one that is uploaded', async () => {
  const store = await openStore()
  const bytes = randomBytes(MB)
  await complete(store, 'first', { a: bytes })
  let release = ignore
  const until = new Promise<void>((resolve) => {
    release = resolve
  })
  server.fault = () => ({ kind: 'slow', until })
  const published = store.archive!.publish('first')
  expect((await bytesOf(store, 'first', 'a')).equals(bytes)).toBe(true)
  await complete(store, 'second', { a: bytes })
  expect(store.get('second')?.status).toBe('completed')
  expect(store.archive!.isArchived('first')).toBe(false)
  release()
  await published
  expect(store.archive!.isArchived('first')).toBe(true)
  expect((await bytesOf(store, 'first', 'a')).equals(bytes)).toBe(true)
})

test.each([
  ['with conditions', false],
  ['that refuses conditions', true],
])('of two writers of the state of a dissection, the later one fails: storage %s', async (_, refuses) => {
  server.bucket.refusesConditions = refuses
  const { dissections } = (await openStore()).archive!
  const state = { run: '', beat: 1, rules: '', record: {}, files: [] }
  const begun = await dissections.write('id', 'd', state, undefined)
  expect(await failure(dissections.write('id', 'd', state, undefined))).toMatchObject({ kind: 'exists' })
  await dissections.write('id', 'd', { ...state, beat: 2 }, begun)
  expect(await failure(dissections.write('id', 'd', { ...state, beat: 3 }, begun))).toMatchObject({
    kind: 'exists',
  })
})

test('runs of a dissection that its state does not name are removed after a day, and the others stay', async () => {
  const store = await openStore()
  await complete(store, 'incident', { a: randomBytes(10) })
  await store.archive!.publish('incident')
  const { dissections } = store.archive!
  const id = store.archive!.idOf('incident')!
  const [used, lost] = ['a', 'b'].map((one) => `${one.repeat(8)}-0000-4000-8000-${one.repeat(12)}`) as [
    string,
    string,
  ]
  const folder = join(root, 'index')
  await mkdir(join(folder, '0'), { recursive: true })
  await writeFile(join(folder, '0', 'calls.db'), 'calls')
  const { signal } = new AbortController()
  const files = await dissections.upload(id, used, folder, signal)
  await dissections.upload(id, lost, folder, signal)
  await dissections.write(id, 'd', { run: used, beat: 1, rules: '', record: {}, files }, undefined)
  const later = Date.now() + 2 * DAY
  expect(await store.archive!.sweep(later)).toBe(0)
  expect(await store.archive!.sweep(later)).toBe(1)
  expect(server.bucket.keys().filter((key) => key.includes('dissections/'))).toEqual([
    `p/data/${id}/dissections/${used}/0/calls.db`,
    `p/dissections/${id}/d.json`,
  ])
  await dissections.fetch({ id, run: used, files }, join(root, 'copy'))
  expect(await store.remove('incident')).toBe(true)
  expect(server.bucket.keys()).toEqual([])
})

test('a bucket with too many states of dissections takes no more memory, and nothing is removed on their account', async () => {
  const store = await openStore()
  const dissections = new BucketDissections(store.archive!.objects, 3)
  const state = {
    run: `${'a'.repeat(8)}-0000-4000-8000-${'a'.repeat(12)}`,
    beat: 1,
    rules: '',
    record: {},
    files: [],
  }
  const id = '00000000-0000-4000-8000-000000000000'
  for (const name of ['a', 'b', 'c', 'd', 'e']) await dissections.write(id, name, state, undefined)
  expect((await dissections.list()).map(({ name }) => name)).toEqual(['a', 'b', 'c'])
  expect([dissections.ignored, dissections.hasUnreadable]).toEqual([2, true])
  for (const name of ['a', 'd']) await dissections.remove({ id, name, run: state.run })
  expect((await dissections.list()).map(({ name }) => name)).toEqual(['b', 'c', 'e'])
  expect([dissections.ignored, dissections.hasUnreadable]).toEqual([0, false])
})
