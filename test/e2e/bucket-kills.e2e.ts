import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openS3 } from '@tapdeck/objects/s3'
import { type ChosenServer, externalServer, FaultProxy, ownServer } from '@tapdeck/objects/testing'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { BucketContents } from './bucket/bucket-contents.ts'
import { BucketProcesses } from './bucket/bucket-processes.ts'
import { isCompletion, isNodePart, KillMatrix } from './bucket/kill-matrix.ts'
import { RARE_CLIENT, type WrittenRing, writeRing } from './bucket/written-ring.ts'

/**
 * Worker, hub, job, and the way to the storage end at each step, on one bucket: nothing is lost, and nothing is left. With
 * `TAPDECK_S3_ENDPOINT` on the storage that it names.
 */
const RING_BYTES = 30_000_000
const PART = 3

let server: ChosenServer
let proxy: FaultProxy
let processes: BucketProcesses
let ring: WrittenRing
let contents: BucketContents
let matrix: KillMatrix
beforeAll(async () => {
  server = externalServer() ?? (await ownServer())
  const { settings, environment } = server
  for (const [name, value] of Object.entries(environment)) vi.stubEnv(name, value)
  const prefix = `kills/${randomUUID()}/`
  proxy = await FaultProxy.start(settings.endpoint)
  const address = { endpoint: proxy.endpoint, bucketName: settings.bucket, environment }
  processes = new BucketProcesses(address, prefix)
  ring = writeRing(join(processes.folder('worker'), 'recording'), 'node-1', RING_BYTES)
  contents = new BucketContents(openS3({ ...settings, prefix }))
  matrix = new KillMatrix({ processes, proxy, contents, ring, part: PART })
  await matrix.startHub()
}, 120_000)
afterAll(async () => {
  proxy.fault = () => undefined
  await processes.stop()
  await proxy.close()
  await server.close()
  vi.unstubAllEnvs()
}, 120_000)

describe('on one bucket, one after another', { timeout: 240_000 }, () => {
  test('a worker that is killed during its upload continues it', () =>
    matrix.killWorkerDuringUpload('worker'))

  test('a hub that is killed during an upload by a node takes the snapshot again, and leaves nothing of the first attempt', () =>
    matrix.killHubDuringNodeUpload('nodes'))

  test('a hub that is killed between data and manifest ends the upload', () =>
    matrix.killHubAtManifest('before', false))

  test('a hub that is killed before it knows of its manifest finds it', () =>
    matrix.killHubAtManifest('after', true))

  test('a hub that is killed during its own upload continues it', () => matrix.killHubDuringOwnUpload('own'))

  test('a storage that goes away, and a hub that is killed before it is back, lose nothing', async () => {
    await matrix.restartHub()
    await matrix.killHubWhileStorageIsAway('away')
  })

  test.each([
    ['cut', 'a connection that is cut within a part', { kind: 'cut_within', bytes: 1_000_000 }, isNodePart],
    ['busy', 'a storage that is busy', { kind: 'answer', status: 503, code: 'SlowDown' }, isNodePart],
    ['lost', 'an answer that is lost after the upload is complete', { kind: 'cut_after' }, isCompletion],
  ] as const)('%s: %s loses nothing', async (name, _, fault, isMeant) => {
    await matrix.failOnce(name, fault, isMeant)
    await matrix.delete(name)
    await matrix.requireNoOrphans()
  })

  test('jobs that are killed while they copy, dissect and store are replaced, and leave nothing', async () => {
    const rare = ['--kfl', `src.ip == ${RARE_CLIENT}`]
    await matrix.killJob('worker', 'copied', 'copy')
    await matrix.killJob('worker', 'dissected', 'dissect')
    await matrix.killJob('worker', 'stored', 'store')
    await matrix.killJob('worker', 'rare', 'store', ...rare)
    const names = ['copied', 'dissected', 'stored']
    const run = async (name: string, ...args: string[]) =>
      JSON.parse(
        await processes
          .dissectJob('worker', name, ...args)
          .then((text) => text.slice(text.indexOf('{"snapshot'))),
      )
    const results = await Promise.all([...names.map((name) => run(name)), run('rare', ...rare)])
    const counts = results.map(({ call_count }) => call_count)
    expect(counts).toEqual([ring.calls, ring.calls, ring.calls, ring.rareCalls])
    await matrix.requireNoOrphans()
  })

  test('a hub that is killed during an export gives the whole next time, and exports by filter', async () => {
    await matrix.killExporter('worker')
    const other = await processes.hub('c')
    await processes.until('it has the dissection', async () => {
      type Dissection = { readonly status?: string }
      return (await other.get<Dissection>('/mcp/dissections/worker/rare')).status === 'completed'
    })
    const query = `?dissection=rare&kfl=${encodeURIComponent(`src.ip == ${RARE_CLIENT}`)}`
    expect(await matrix.download('worker', query, other)).toBe(ring.rareDigest)
  })

  test('what a hub that never returns left is removed after a day, and not before', async () => {
    await matrix.leaveOrphans('gone')
    expect(await contents.orphans()).not.toEqual([])
    expect(await contents.sweep(0)).toBe(0)
    expect(await contents.sweep(2)).toBeGreaterThan(0)
    await matrix.requireNoOrphans()
  })

  test('with all snapshots deleted the bucket is empty', () =>
    matrix.requireEmpty(['worker', 'nodes', 'before', 'after', 'own', 'away']))
})
