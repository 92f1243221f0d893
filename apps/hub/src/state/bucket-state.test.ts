import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { bucketForTests } from '../testing/bucket-for-tests.ts'
import { type BucketStateForTests, openBucketState } from '../testing/open-bucket-state.ts'
import { FolderState } from './folder-state.ts'
import { HEAD_KEY } from './state-head.ts'

const bucket = bucketForTests()
const opened: BucketStateForTests[] = []
afterEach(async () => {
  bucket.server.fault = () => undefined
  for (const { state } of opened.splice(0)) await state.close()
})

async function open(folder: string, options: Partial<Parameters<typeof openBucketState>[1]> = {}) {
  const one = await openBucketState(bucket.server, { folder, ...options })
  opened.push(one)
  return one
}

const objects = () => bucket.server.bucket.objects
const documents = () => bucket.server.bucket.keys().filter((key) => key.startsWith('state/documents/'))
const head = () => JSON.parse(objects().get(HEAD_KEY)!.bytes.toString())
const setHead = (change: object) => setBytes(HEAD_KEY, Buffer.from(JSON.stringify({ ...head(), ...change })))
const setBytes = (key: string, bytes: Buffer) => objects().set(key, { ...objects().get(key)!, bytes })

function withResolvers() {
  let resolve = () => {}
  const promise = new Promise<void>((done) => {
    resolve = done
  })
  return { promise, resolve }
}

test('the bucket shows nothing of a document, and has no versions that were replaced', async () => {
  const { state } = await open('one')
  for (let at = 0; at < 5; at++) await state.write('agents', `a secret of a webhook ${at}`)
  expect(documents()).toHaveLength(1)
  for (const { bytes } of objects().values()) expect(bytes.includes('secret')).toBe(false)
  await state.remove('agents')
  expect(documents()).toEqual([])
})

test('a hub that ended gives the state to the next one at once; one that crashed to its own next run', async () => {
  const first = await open('one')
  await first.state.write('agents', '1')
  await first.state.close()
  const second = await open('two')
  expect([second.hasTakenOver, await second.state.read('agents')]).toEqual([false, '1'])
  // The run before has ended, as the lock of the folder is free. This one need not wait.
  const third = await open('two')
  expect(await third.state.read('agents')).toBe('1')
  await expect(second.state.write('agents', '2')).rejects.toMatchObject({ status: 503, code: 'not_the_hub' })
})

test.each([
  ['if-none-match', 'If-None-Match'],
  ['if-match', 'If-Match'],
] as const)(
  'a storage that ignores %s of a write is refused, because two hubs could write there',
  async (header, name) => {
    bucket.server.bucket.ignores = header
    await expect(open('one')).rejects.toThrow(`ignores the condition ${name} of a write`)
    bucket.server.bucket.ignores = undefined
    await open('one')
  },
)

test('so is one that refuses conditions of writes', async () => {
  bucket.server.bucket.refusesConditions = true
  await expect(open('one')).rejects.toThrow('refuses conditions of writes: two hubs could change the state')
})

test('while a hub is alive, another one is refused, and a standby waits', async () => {
  const first = await open('one', { goneAfterMs: 600 })
  await first.state.write('agents', '1')
  await expect(open('two')).rejects.toThrow(
    /another hub uses the state in s3:.*process 1 on one.*hub.standby=true/,
  )
  const notes: string[] = []
  const waiting = open('two', { standby: true, note: (line) => void notes.push(line) })
  await expect.poll(() => notes).toEqual([expect.stringMatching(/waiting for the state .*process 1 on one/)])
  await first.state.write('agents', '2')
  await first.state.close()
  const second = await waiting
  expect([second.hasTakenOver, await second.state.read('agents'), first.lost]).toEqual([true, '2', []])
})

test('a hub that was frozen while another took over writes nothing, and ends', async () => {
  const { promise: continued, resolve: go } = withResolvers()
  const frozen = open('one', { goneAfterMs: 60, continued })
  await vi.waitUntil(() => objects().has(HEAD_KEY), { timeout: 30_000 })
  const second = await open('two', { standby: true })
  await second.state.write('agents', 'of the second')
  const before = documents()
  go()
  const first = await frozen
  await expect(first.state.write('agents', 'of the first')).rejects.toMatchObject({
    status: 503,
    code: 'not_the_hub',
    message: expect.stringContaining('process 1 on two'),
  })
  await expect.poll(() => first.lost).toEqual([expect.stringContaining('process 1 on two')])
  await expect(first.state.write('agents', 'again')).rejects.toMatchObject({ code: 'not_the_hub' })
  expect(before.every((key) => objects().has(key))).toBe(true)
  await second.state.write('targets', '1')
  expect([second.lost, await second.state.read('agents')]).toEqual([[], 'of the second'])
  await second.state.close()
  const third = await open('three')
  expect(await third.state.read('agents')).toBe('of the second')
  // What the frozen one left is gone.
  expect(documents()).toHaveLength(2)
})

test('a standby begins to count again after a time in which the bucket did not answer', async () => {
  const { promise: continued, resolve: go } = withResolvers()
  const silent = open('one', { goneAfterMs: 60, continued })
  await vi.waitUntil(() => objects().has(HEAD_KEY), { timeout: 30_000 })
  const looks: boolean[] = []
  bucket.server.fault = ({ method, key }) => {
    if (method !== 'GET' || key !== HEAD_KEY) return undefined
    const isAway = looks.length === 5
    looks.push(isAway)
    return isAway ? { kind: 'cut' } : undefined
  }
  const notes: string[] = []
  await open('two', { standby: true, goneAfterMs: 60, note: (line) => void notes.push(line) })
  expect(notes).toEqual([expect.stringContaining('process 1 on one'), expect.stringContaining('endpoint')])
  // One answers the failed one, and six come after it.
  expect(looks.slice(looks.indexOf(true) + 1)).toHaveLength(7)
  go()
  await silent
})

test('a change whose answer was lost is found, and one that was refused is not there later', async () => {
  const { state, away } = await open('one')
  let cuts = 1
  bucket.server.fault = ({ method, key }) =>
    method === 'PUT' && key === HEAD_KEY && cuts-- > 0 ? { kind: 'cut_after' } : undefined
  await state.write('agents', 'found')
  expect(await state.read('agents')).toBe('found')
  // Now the bucket does not answer after it has stored the head.
  let isCut = false
  bucket.server.fault = ({ method, key }) => {
    if (isCut) return { kind: 'cut' }
    isCut = method === 'PUT' && key === HEAD_KEY
    return isCut ? { kind: 'cut_after' } : undefined
  }
  await expect(state.write('agents', 'refused')).rejects.toMatchObject({ kind: 'unreachable' })
  expect([await state.read('agents'), away]).toEqual(['found', [expect.stringContaining('endpoint')]])
  bucket.server.fault = () => undefined
  await state.write('targets', '1')
  expect(away.at(-1)).toBeUndefined()
  await state.close()
  const again = await open('two')
  expect([await again.state.read('agents'), await again.state.read('targets')]).toEqual(['found', '1'])
  expect(documents()).toHaveLength(2)
})

test.each([
  ['is damaged', (bytes: Buffer) => Buffer.from(bytes).fill(1, 40, 41), /"agents".*it is damaged.*Restore/],
  ['is cut off', (bytes: Buffer) => bytes.subarray(0, 30), /"agents".*it is damaged.*Restore/],
  ['is empty', () => Buffer.alloc(0), /"agents".*it is damaged/],
  ['is too large', () => Buffer.alloc(5 * 1024 * 1024), /larger|too large|more than/],
  ['is another one', () => objects().get(head().documents.targets)!.bytes, /"agents".*it is damaged/],
])('a document that %s is reported at the start', async (_what, change, message) => {
  const { state } = await open('one')
  await state.write('agents', 'a text that is long enough')
  await state.write('targets', 'another text')
  await state.close()
  const key = head().documents.agents
  setBytes(key, change(objects().get(key)!.bytes))
  await expect(open('one')).rejects.toThrow(message)
  objects().delete(key)
  await expect(open('one')).rejects.toThrow(/"agents" .* is missing/)
})

test('another key, a newer format and a damaged head are reported, and nothing is changed', async () => {
  const { state } = await open('one')
  await state.write('agents', '1')
  await state.close()
  await expect(open('one', { key: 8 })).rejects.toThrow(/another key than that of hub.stateKeyFile/)
  const good = Buffer.from(objects().get(HEAD_KEY)!.bytes)
  setHead({ format: 2, documents: [] })
  await expect(open('one')).rejects.toThrow(
    /format 2, which a newer version of Tapdeck wrote.*Update this hub/,
  )
  for (const bytes of [good.subarray(0, 50), Buffer.from('{}'), Buffer.from('null'), Buffer.alloc(0)]) {
    setBytes(HEAD_KEY, bytes)
    await expect(open('one')).rejects.toThrow(/head.json in .* is damaged. Restore/)
    expect(objects().get(HEAD_KEY)!.bytes).toEqual(bytes)
  }
  setBytes(HEAD_KEY, Buffer.alloc(2 * 1024 * 1024, 32))
  await expect(open('one')).rejects.toMatchObject({ kind: 'too_large' })
  setBytes(HEAD_KEY, good)
  setHead({ documents: { '../agents': head().documents.agents } })
  await expect(open('one')).rejects.toThrow(/not the name of a state document/)
})

test('the first hub brings what it had on its disk; a later one does not', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-adopted-'))
  const initial = new FolderState(folder)
  for (const name of ['agents', 'switch', 'recordings/night', 'snapshot-requests/night', 'coverage'])
    await initial.write(name, name)
  const first = await open('one', { initial })
  expect(await first.state.names('')).toEqual([
    'agents',
    'recordings/night',
    'snapshot-requests/night',
    'switch',
  ])
  await first.state.close()
  await initial.write('agents', 'newer on the disk')
  const second = await open('two', { initial })
  expect(await second.state.read('agents')).toBe('agents')
  await rm(folder, { recursive: true })
})

test('after the head was deleted, the hub begins with its folder, and removes what the bucket had', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-deleted-head-'))
  const initial = new FolderState(folder)
  for (const name of ['agents', 'targets']) await initial.write(name, 'on the disk')
  const first = await open('one', { initial })
  await first.state.write('agents', 'in the bucket')
  await first.state.close()
  objects().delete(HEAD_KEY)
  const second = await open('one', { initial })
  expect(await second.state.read('agents')).toBe('on the disk')
  await second.state.write('agents', 'again')
  await second.state.close()
  const third = await open('two')
  expect([await third.state.read('agents'), await third.state.read('targets')]).toEqual([
    'again',
    'on the disk',
  ])
  expect(documents().sort()).toEqual(Object.values(head().documents).sort())
  await rm(folder, { recursive: true })
})

test('a hub that cannot open the documents gives the state up, so that one with the right key begins at once', async () => {
  const { state } = await open('one')
  await state.write('agents', '1')
  await state.close()
  await expect(open('two', { key: 8 })).rejects.toThrow(/another key/)
  expect(head().owner).toBeNull()
  const again = await open('one')
  expect(await again.state.read('agents')).toBe('1')
})

test('changes at the same time do not make the state larger than a hub reads', async () => {
  const { state } = await open('one')
  const text = 'x'.repeat(4_000_000)
  const written = await Promise.allSettled(
    Array.from({ length: 18 }, (_, at) => state.write(`recordings/r${at}`, text)),
  )
  const refused = written.filter((one) => one.status === 'rejected')
  expect(refused).toHaveLength(2)
  for (const { reason } of refused) expect(reason).toMatchObject({ status: 409, code: 'too_large' })
  // One that is there already may be replaced.
  await state.write('recordings/r0', text)
  await state.close()
  await expect(state.write('agents', 'late')).rejects.toMatchObject({ status: 503 })
  const next = await open('two')
  expect(await next.state.names('recordings/')).toHaveLength(16)
})
