import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { FaultProxy, S3Server, type SeenRequest } from '@tapdeck/objects/testing'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type BucketHub, BucketProcesses } from './bucket/bucket-processes.ts'
import { LargeAnswers } from './bucket/large-answers.ts'

/** A hub, a worker on another disk, and a bucket: the worker uploads its part of a snapshot itself. */

interface Snapshot {
  readonly status: string
  readonly location: string
  readonly gaps?: readonly { readonly reason: string }[]
  readonly nodes: readonly {
    readonly name: string
    readonly status: string
    readonly upload_error?: string
  }[]
}
interface Calls {
  readonly calls?: readonly { readonly path: string }[]
}

const isRoot = process.getuid?.() === 0
if (!isRoot) console.log('skipped: uploads by nodes, because packets can only be captured as root')
const PREFIX = 'shared/'
/** Bytes of a capture without packets. */
const EMPTY_PCAP = 24
/** Some parts of 8 MiB. */
const PATHS = Array.from({ length: 20 }, (_, number) => `/answer/${number}`)

let server: S3Server
let answers: LargeAnswers
let processes: BucketProcesses
beforeEach(async () => {
  server = await S3Server.start()
  answers = await LargeAnswers.start()
  processes = new BucketProcesses(server, PREFIX)
})
afterEach(async () => {
  server.fault = () => undefined
  await processes.stop()
  answers.close()
  await server.close()
}, 300_000)

/** A worker that has recorded all requests. */
async function recorded(hub: BucketHub, ...set: string[]) {
  const worker = processes.worker(hub, answers.port, set)
  type Status = { readonly nodes: readonly { readonly connected: boolean }[] }
  await processes.until('the worker is connected', async () =>
    (await hub.get<Status>('/api/status')).nodes.some(({ connected }) => connected),
  )
  await answers.ask(PATHS)
  await processes.until('all calls are found', async () => (await callsOf(hub)).length === PATHS.length)
  return worker
}

async function callsOf(hub: BucketHub, db?: string): Promise<string[]> {
  const kfl = encodeURIComponent(`http and dst.port == ${answers.port}`)
  const { calls = [] } = await hub.get<Calls>(`/mcp/calls?limit=100&kfl=${kfl}${db ? `&db=${db}` : ''}`)
  return calls.map(({ path }) => path).sort()
}

const snapshotOf = (hub: BucketHub) => hub.get<Snapshot>('/mcp/snapshots/shot')

async function inBucket(hub: BucketHub): Promise<Snapshot> {
  return processes.until('the snapshot is in the bucket', async () => {
    const snapshot = await snapshotOf(hub)
    return snapshot.location === 's3' ? snapshot : undefined
  })
}

async function dissected(hub: BucketHub, name: string): Promise<string[]> {
  type Dissection = { readonly status?: string }
  const path = `/mcp/dissections/shot/${name}`
  await processes.until(
    'the dissection is completed',
    async () => (await hub.get<Dissection>(path)).status === 'completed',
  )
  return callsOf(hub, `shot/${name}`)
}

const isPart = ({ method, granted }: SeenRequest) => method === 'PUT' && granted
const numberOf = ({ query }: SeenRequest) => Number(query.get('partNumber'))
const partsSent = () => server.requests.filter(isPart).map(numberOf)

/** The packets of a request are not compressed. */
function requestsIn(capture: Buffer): string[] {
  const found = capture.toString('latin1').matchAll(/GET (\/answer\/\d+) HTTP/g)
  return [...new Set([...found].map(([, path = '']) => path))].sort()
}

/** What the bucket has is what its manifest says. Returns the size of the capture. */
function requireIntact(): number {
  const manifest = JSON.parse(String(server.bucket.objects.get(`${PREFIX}manifests/shot.json`)?.bytes))
  const [{ file, sha256, size_bytes }, ...others] = manifest.files
  const { bytes } = server.bucket.objects.get(`${PREFIX}data/${manifest.archive.id}/${file}`)!
  expect(others).toEqual([])
  expect(createHash('sha256').update(bytes).digest('hex')).toBe(sha256)
  expect(bytes.length).toBe(size_bytes)
  expect(server.bucket.uploads.size).toBe(0)
  return bytes.length
}

/** Holds the third part back until `release`; `held` is true when it is there. */
function holdThirdPart() {
  const hold = { held: false, release: () => {} }
  const until = new Promise<void>((resolve) => {
    hold.release = resolve
  })
  server.fault = (request) => {
    if (!isPart(request) || numberOf(request) !== 3) return undefined
    hold.held = true
    return { kind: 'slow', until }
  }
  return hold
}

describe.skipIf(!isRoot)('uploads by nodes', { timeout: 600_000 }, () => {
  test('a worker uploads, hub and job dissect, and another hub reads', async () => {
    const hub = await processes.hub('a')
    await recorded(hub)
    await hub.post('/mcp/snapshots', { name: 'shot', duration: '10m' })
    expect(await inBucket(hub)).toMatchObject({
      status: 'completed',
      nodes: [{ name: 'node-1', status: 'completed' }],
    })
    const size = requireIntact()
    expect(size).toBeGreaterThan(PATHS.length << 20)
    expect(await hub.uploaded()).toEqual({ node: size, hub: 0 })
    expect(partsSent().length).toBeGreaterThan(2)

    await hub.post('/mcp/dissections', { snapshot_name: 'shot', dissection_name: 'here' })
    expect(await dissected(hub, 'here')).toEqual([...PATHS].sort())

    expect(await processes.dissectJob('shot', 'there', '--kfl', 'request.path == "/answer/7"')).toContain(
      'there',
    )
    const other = await processes.hub('b')
    await processes.until(
      'it finds the snapshot',
      async () => (await snapshotOf(other)).status === 'completed',
    )
    expect(await dissected(other, 'there')).toEqual(['/answer/7'])
    for (const one of [hub, other])
      expect(requestsIn(await one.bytes('/mcp/snapshots/shot/pcap'))).toEqual([...PATHS].sort())
  })

  test('a worker that is killed during its upload continues it', async () => {
    const hub = await processes.hub('a')
    const worker = await recorded(hub)
    const hold = holdThirdPart()
    await hub.post('/mcp/snapshots', { name: 'shot', duration: '10m' })
    await processes.until('the third part is on its way', () => hold.held)
    await worker.kill()
    processes.worker(hub, answers.port)
    await processes.until(
      'the third part comes again',
      () => partsSent().filter((one) => one === 3).length > 1,
    )
    hold.release()
    expect(await inBucket(hub)).toMatchObject({ status: 'completed', nodes: [{ status: 'completed' }] })
    requireIntact()
    expect(partsSent().filter((number) => number < 3)).toHaveLength(2)
    expect((await hub.uploaded()).hub).toBe(0)
  })

  test('a hub that is killed during an upload begins it again, and leaves nothing of the first one', async () => {
    const hub = await processes.hub('a')
    await recorded(hub)
    const hold = holdThirdPart()
    await hub.post('/mcp/snapshots', { name: 'shot', duration: '10m' })
    await processes.until('the third part is on its way', () => hold.held)
    await hub.kill()
    const again = await processes.hub('a')
    hold.release()
    const taken = await inBucket(again)
    expect(taken).toMatchObject({ status: 'completed', restarts: 1 })
    expect([...new Set(taken.gaps?.map(({ reason }) => reason))]).toEqual(['not_started'])
    requireIntact()
    await processes.until('the first upload is gone', () => server.bucket.uploads.size === 0)
  })

  test('where the storage denies a node, the hub uploads its packets', async () => {
    server.fault = (request) =>
      isPart(request) ? { kind: 'answer', status: 403, code: 'AccessDenied' } : undefined
    const hub = await processes.hub('a')
    await recorded(hub)
    await hub.post('/mcp/snapshots', { name: 'shot', duration: '10m' })
    expect(await inBucket(hub)).toMatchObject({
      status: 'completed',
      nodes: [{ status: 'completed', upload_error: expect.stringContaining('403 AccessDenied') }],
    })
    expect(await hub.uploaded()).toEqual({ node: 0, hub: requireIntact() })
  })

  test.each([
    ['not recorded', []],
    ['recorded if they have any port', ['tap.capture.ownPorts=']],
  ])('connections of worker, hub and job to the storage are %s', async (what, set) => {
    await processes.stop()
    const proxy = await FaultProxy.start(server.endpoint, await listenAsServers())
    try {
      const { endpoint } = proxy
      processes = new BucketProcesses({ endpoint, environment: server.environment }, PREFIX, set)
      const hub = await processes.hub('a')
      const storage = `tcp port ${new URL(endpoint).port}`
      await recorded(hub, `tap.bpfOverride=${storage} or tcp port ${answers.port}`)
      await hub.post('/mcp/snapshots', { name: 'shot', duration: '10m' })
      const uploaded = (await inBucket(hub)).nodes.length
      expect(uploaded).toBe(1)
      await processes.dissectJob('shot', 'all')
      await hub.post('/mcp/snapshots', { name: 'again', duration: '10m' })
      const again = () => hub.get<Snapshot>('/mcp/snapshots/again')
      await processes.until('the second one is made', async () => (await again()).status === 'completed')
      const query = `format=pcap&bpf_filter=${encodeURIComponent(storage)}`
      const { length } = await hub.bytes(`/mcp/snapshots/again/pcap?${query}`)
      if (what === 'not recorded') expect(length).toBe(EMPTY_PCAP)
      else expect(length).toBeGreaterThan((2 * PATHS.length) << 20)
    } finally {
      await processes.stop()
      await proxy.close()
    }
  })
})

/** A socket with a port that is none of a client. */
async function listenAsServers(): Promise<Server> {
  for (let port = 21_000; ; port++) {
    const server = createServer().listen(port, '127.0.0.1')
    try {
      await once(server, 'listening')
      return server
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    }
  }
}
