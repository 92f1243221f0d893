import {
  chmod,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  utimes,
  writeFile,
} from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Damaged } from './damaged.ts'
import { NameTaken } from './name-taken.ts'
import { OutOfSpace } from './out-of-space.ts'
import type { SnapshotRequest } from './snapshot.ts'
import { SnapshotStore } from './snapshot-store.ts'

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-'))
})
afterEach(() => rm(folder, { recursive: true, force: true }))

const request: SnapshotRequest = {
  duration: '1m',
  start_ts: 1000,
  end_ts: 61_000,
  created_at: '2026-01-01T00:00:00.000Z',
  nodes: ['node-a', 'team/b:1'],
}

async function collect(chunks: AsyncIterable<Uint8Array>): Promise<string> {
  const parts: Uint8Array[] = []
  for await (const chunk of chunks) parts.push(chunk)
  return Buffer.concat(parts).toString()
}

async function fill(store: SnapshotStore, name: string, node: string, text: string): Promise<void> {
  const writer = await store.writer(name, node)
  await writer.write(Buffer.from(text))
  await writer.finish({ packet_count: 3, dropped_packets: 1 })
}

async function made(store: SnapshotStore, name: string): Promise<void> {
  await store.create(name, request)
  await fill(store, name, 'node-a', 'aaaa')
  await fill(store, name, 'team/b:1', 'bb')
  await store.setStatus(name, 'completed')
}

test('a snapshot is made, told, read back, and the same after a restart', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'first')
  const told = store.get('first')
  expect(told).toMatchObject({
    status: 'completed',
    progress: 100,
    size_bytes: 6,
    node_count: 2,
    packet_count: 6,
    partial: false,
  })
  expect(told?.nodes[1]).toEqual({
    name: 'team/b:1',
    status: 'completed',
    size_bytes: 2,
    packet_count: 3,
    dropped_packets: 1,
  })
  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('first')).toEqual(told)
  expect(again.room.used).toBe(6)
  expect(await collect(again.readNode('first', 'team/b:1'))).toBe('bb')
  await again.verify('first')
})

test('a snapshot is reported as completed only after it is durable, and a note meanwhile does not undo that', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await store.create('first', request)
  await fill(store, 'first', 'node-a', 'aaaa')
  const completing = store.setStatus('first', 'completed')
  expect(store.get('first')).toMatchObject({ status: 'in_progress' })
  await Promise.all([completing, store.remark('first', { notes: 'meanwhile' })])
  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('first')).toMatchObject({ status: 'completed', notes: 'meanwhile' })

  await store.create('blocked', request)
  await mkdir(join(folder, 'blocked', 'snapshot.json.new'))
  await expect(store.setStatus('blocked', 'completed')).rejects.toThrow()
  expect(store.get('blocked')).toMatchObject({ status: 'in_progress' })
})

test('a completed snapshot does not change and its files are read-only', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'first')
  await expect(store.update('first', { partial: true })).rejects.toThrow(/does not change/)
  await expect(store.writer('first', 'c')).rejects.toThrow(/does not change/)
  for (const file of store.files('first')) expect((await stat(file.path)).mode & 0o222).toBe(0)
})

test('a name is taken once, also when asked for twice at the same moment', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  const both = await Promise.allSettled([store.create('same', request), store.create('same', request)])
  expect(both.map((one) => one.status).sort()).toEqual(['fulfilled', 'rejected'])
  await expect(store.create('same', request)).rejects.toThrow(NameTaken)
  for (const bad of ['../up', '', '.hidden', 'UPPER', 'a/b'])
    await expect(store.create(bad, request)).rejects.toThrow(RangeError)
})

test('a snapshot that was being made when the process ended keeps the nodes that were complete, and is continued', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await store.create('torn', request)
  await fill(store, 'torn', 'node-a', 'whole')
  const writer = await store.writer('torn', 'team/b:1')
  await writer.write(Buffer.from('half'))

  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('torn')).toMatchObject({ status: 'in_progress', size_bytes: 5 })
  expect(again.room.used).toBe(5)
  expect(await readdir(join(folder, 'torn'))).toEqual(['node-a.pcapng', 'snapshot.json'])
  await again.keepEvents('torn', 'os', 'node-a', async (write) => {
    await write(Buffer.from('{}\n'))
    return 1
  })
  await again.restart('torn', 1)
  expect(again.get('torn')).toMatchObject({
    ...{ status: 'in_progress', restarts: 1, size_bytes: 5, events: { os: 0 } },
    nodes: [{ status: 'completed' }, { status: 'pending' }],
  })
  expect(again.room.used).toBe(5)
  await fill(again, 'torn', 'team/b:1', 'more')
  await again.setStatus('torn', 'completed')
  expect(again.get('torn')).toMatchObject({ status: 'completed', restarts: 1, size_bytes: 9 })
  await writer.abort('test ends').catch(() => {})
})

test('of an import that was under way when the process ended nothing is kept but that it failed', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await store.create('import', { ...request, source: 'import' })
  await fill(store, 'import', 'node-a', 'whole')
  const writer = await store.writer('import', 'team/b:1')
  await writer.write(Buffer.from('half'))

  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('import')).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/interrupted.*import it again/),
    size_bytes: 0,
    packet_count: 0,
  })
  expect(again.room.used).toBe(0)
  expect(await readdir(join(folder, 'import'))).toEqual(['snapshot.json'])
  await writer.abort('test ends')
})

test('if the description of a snapshot cannot be read, nothing of it is deleted', async () => {
  const segments = join(folder, 'lost', 'node-a.segments')
  await mkdir(segments, { recursive: true })
  await writeFile(join(segments, 'a.pcapng'), 'packets')
  await writeFile(join(folder, 'lost', 'snapshot.json'), '{ torn')
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(store.get('lost')?.error).toMatch(/cannot be read/)
  expect(await readFile(join(segments, 'a.pcapng'), 'utf8')).toBe('packets')
})

test('bytes past the maximum are refused, and given back when the node is aborted', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 10 })
  await store.create('big', request)
  const writer = await store.writer('big', 'node-a')
  await writer.write(Buffer.from('12345678'))
  const refusal = await writer.write(Buffer.from('90123')).catch((error) => error)
  expect(refusal).toBeInstanceOf(OutOfSpace)
  expect(refusal).toMatchObject({ needed: 5, free: 2 })
  await writer.abort('no room')
  expect(store.room.used).toBe(0)
  expect(store.get('big')?.nodes[0]).toMatchObject({ status: 'failed', error: 'no room' })
  expect(await readdir(join(folder, 'big'))).toEqual(['snapshot.json'])
})

test('removal frees the room, forgets the name, and a reader that has begun finishes', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'gone')
  await mkdir(join(store.path('gone'), 'dissections'))
  const reader = store.readNode('gone', 'node-a')
  const first = await reader.next()
  expect(await store.remove('gone')).toBe(true)
  expect(await store.remove('gone')).toBe(false)
  expect(Buffer.from(first.value ?? []).toString()).toBe('aaaa')
  expect((await reader.next()).done).toBe(true)
  expect(store.room.used).toBe(0)
  expect(await readdir(folder)).toEqual([])
  await made(store, 'gone')
})

test('damage is reported, and the undamaged node stays usable', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'hurt')
  const [a, b] = store.files('hurt')
  await chmod(a!.path, 0o644)
  await writeFile(a!.path, 'aaXa')
  await expect(store.verify('hurt')).rejects.toThrow(Damaged)
  const reasons: string[] = []
  expect(await collect(store.readNode('hurt', 'node-a', (reason) => reasons.push(reason)))).toBe('aaXa')
  expect(reasons).toEqual([expect.stringContaining('does not match its checksum')])
  await rm(b!.path)
  await expect(collect(store.readNode('hurt', 'team/b:1'))).rejects.toThrow(Damaged)

  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('hurt')).toMatchObject({ partial: true, size_bytes: 4 })
  expect(again.get('hurt')?.nodes[1]).toMatchObject({ status: 'failed' })
  expect(await collect(again.readNode('hurt', 'node-a'))).toBe('aaXa')
})

test('unreadable metadata is a failed snapshot that can be removed, not a crash', async () => {
  await mkdir(join(folder, 'odd'))
  await writeFile(join(folder, 'odd', 'snapshot.json'), '{')
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(store.get('odd')).toMatchObject({ status: 'failed' })
  expect(await store.remove('odd')).toBe(true)
})

test('many changes at once leave the last one on disk', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await store.create('busy', request)
  await Promise.all(Array.from({ length: 20 }, (_, at) => store.update('busy', { end_ts: at })))
  const stored = JSON.parse(await readFile(join(folder, 'busy', 'snapshot.json'), 'utf8'))
  expect(stored.snapshot.end_ts).toBe(19)
})

test('tags, notes and the name may change at any time, and stay after a restart', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'first')
  await made(store, 'other')
  await store.remark('first', { tags: ['incident'], notes: 'before the crash' })
  expect(await store.rename('first', 'second')).toMatchObject({ name: 'second', tags: ['incident'] })
  await expect(store.rename('second', 'other')).rejects.toThrow(NameTaken)
  await expect(store.rename('second', '../x')).rejects.toThrow(RangeError)
  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('first')).toBeUndefined()
  expect(again.get('second')).toMatchObject({ notes: 'before the crash', status: 'completed', size_bytes: 6 })
  expect(await collect(again.readNode('second', 'node-a'))).toBe('aaaa')
  expect(again.room.used).toBe(12)
})

test('the name of the folder counts where a crash came between a renaming and its note', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'first')
  await rename(join(folder, 'first'), join(folder, 'second'))
  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('second')).toMatchObject({ name: 'second', status: 'completed' })
})

test('a file that was written to is checked at the next start, and told where it is not what it was', async () => {
  const store = await SnapshotStore.open(folder, { maxBytes: 1000 })
  await made(store, 'first')
  const [{ path }, other] = store.files('first')
  await chmod(path, 0o644)
  await writeFile(path, 'aXaa')
  await chmod(other!.path, 0o644)
  await utimes(other!.path, 1, 1)
  const again = await SnapshotStore.open(folder, { maxBytes: 1000 })
  expect(again.get('first')).toMatchObject({
    status: 'completed',
    partial: true,
    nodes: [{ error: expect.stringContaining('checksum') }, { status: 'completed' }],
  })
  expect(again.get('first')?.nodes[1]).not.toHaveProperty('error')
  expect(again.files('first')).toHaveLength(2)
})
