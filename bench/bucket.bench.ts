import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { externalServer, FaultProxy, ownServer } from '@tapdeck/objects/testing'
// By its path: bundles load the package from a file of its own.
import { openS3 } from '../packages/objects/src/s3/open-s3.ts'
import { BucketContents } from '../test/e2e/bucket/bucket-contents.ts'
import { BucketProcesses } from '../test/e2e/bucket/bucket-processes.ts'
import { KillMatrix } from '../test/e2e/bucket/kill-matrix.ts'
import { RARE_CLIENT, writeRing } from '../test/e2e/bucket/written-ring.ts'
import { watchProcesses } from './bucket/process-figures.ts'

/*
 * A snapshot of TAPDECK_BENCH_GB (0.5) from the ring of a worker into a bucket, dissected by a job, exported by a second hub: seconds,
 * processor and memory of each process, and bytes through the bucket against bytes stored. Then, with TAPDECK_BENCH_KILLS=1, the
 * processes are killed at each step. Hub, worker and jobs are processes with disks of their own. The storage is that of
 * TAPDECK_S3_ENDPOINT (needed above 2 GB), or our own test server in this process. Needs a build, and disk for four times the size.
 */
const BYTES = Number(process.env.TAPDECK_BENCH_GB ?? 0.5) * 1e9
const PATIENCE_MS = 3_600_000
const PART_BYTES = 8 * 2 ** 20

const server = externalServer() ?? (await ownServer())
const { settings, environment } = server
Object.assign(process.env, environment)
const proxy = await FaultProxy.start(settings.endpoint)
const prefix = `bench/${randomUUID()}/`
const address = { endpoint: proxy.endpoint, bucketName: settings.bucket, environment }
const processes = new BucketProcesses(address, prefix, [], PATIENCE_MS)
const objects = openS3({ ...settings, prefix })
const contents = new BucketContents(objects)
try {
  const ring = writeRing(join(processes.folder('worker'), 'recording'), 'node-1', BYTES)
  console.log(`ring: ${mb(ring.bytes)} MB, ${ring.calls} calls, ${ring.rareCalls} of ${RARE_CLIENT}`)
  const matrix = new KillMatrix({
    ...{ processes, proxy, contents, ring },
    part: Math.max(2, Math.floor(BYTES / PART_BYTES / 2)),
  })
  await matrix.startHub()
  const { hub, worker } = matrix
  await measured('upload by the node', { worker: worker.pid, hub: hub.pid }, async () => {
    await matrix.begin('shot')
    await matrix.inBucket('shot')
  })
  const rare = `src.ip == ${RARE_CLIENT}`
  await job('job, all calls', 'all')
  await job(`job, ${rare}`, 'rare', '--kfl', rare)
  const other = await processes.hub('b')
  await measured('second hub takes both results', { 'hub b': other.pid }, () =>
    processes.until('it has the results', async () => {
      type Dissection = { readonly status?: string }
      const found = await Promise.all(
        ['all', 'rare'].map((name) => other.get<Dissection>(`/mcp/dissections/shot/${name}`)),
      )
      return found.every(({ status }) => status === 'completed')
    }),
  )
  await measured('second hub exports all', { 'hub b': other.pid }, async () => {
    same(await matrix.download('shot', '', other), ring.digest)
  })
  for (const dissection of ['rare', 'all'])
    await measured(`second hub exports ${rare} of ${dissection}`, { 'hub b': other.pid }, async () => {
      const query = `?dissection=${dissection}&kfl=${encodeURIComponent(rare)}`
      same(await matrix.download('shot', query, other), ring.rareDigest)
    })
  await other.kill()
  await matrix.requireNoOrphans()
  if (process.env.TAPDECK_BENCH_KILLS === '1') await kills(matrix)
  else await matrix.requireEmpty(['shot'])
  console.log('the bucket is empty, without a sweep')

  async function job(what: string, name: string, ...args: string[]): Promise<void> {
    const started = processes.job('shot', name, ...args)
    const { output } = await measured(what, { job: started.pid }, () => started.ended)
    const [, calls] = /"call_count":(\d+)/.exec(output) ?? []
    same(Number(calls), args.length > 0 ? ring.rareCalls : ring.calls)
  }

  async function kills(matrix: KillMatrix): Promise<void> {
    const step = async (what: string, work: () => Promise<void>) => {
      const began = performance.now()
      await work()
      console.log(`killed, and whole: ${what} (${seconds(began)} s)`)
    }
    await step('job while it copies', () => matrix.killJob('shot', 'one', 'copy'))
    await step('job while it stores', () => matrix.killJob('shot', 'one', 'store'))
    await step('job while it dissects', () => matrix.killJob('shot', 'two', 'dissect'))
    await step('jobs again', async () => {
      await job('job after two kills', 'one')
      await job('job after one kill', 'two')
      await matrix.requireNoOrphans()
    })
    await step('hub that exports', () => matrix.killExporter('shot'))
    await matrix.requireEmpty(['shot'])
    for (const [what, work, name] of [
      ['worker during its upload', () => matrix.killWorkerDuringUpload('worker'), 'worker'],
      ['hub during an upload by the node', () => matrix.killHubDuringNodeUpload('nodes'), 'nodes'],
      ['hub between data and manifest', () => matrix.killHubAtManifest('manifest', false), 'manifest'],
      ['hub during its own upload', () => matrix.killHubDuringOwnUpload('own'), 'own'],
    ] as const) {
      await step(what, work)
      await matrix.requireEmpty([name])
    }
  }
} finally {
  proxy.fault = () => undefined
  await processes.stop()
  await proxy.close()
  objects.close()
  await server.close()
}

async function measured<Result>(
  what: string,
  pids: Readonly<Record<string, () => number | undefined>>,
  work: () => Promise<Result>,
): Promise<Result> {
  const from = proxy.requests.length
  const [began, watch] = [performance.now(), watchProcesses(pids)]
  const result = await work()
  const took = seconds(began)
  const figures = Object.entries(watch.end()).map(
    ([name, { cpu, peak }]) => `${name} ${cpu.toFixed(1)} s of processor, ${mb(peak)} MB`,
  )
  // The upload begins its own list of requests.
  const seen = proxy.requests.slice(Math.min(from, what.startsWith('upload') ? 0 : from))
  const written = seen.reduce((sum, { received }) => sum + received, 0)
  const read = seen.reduce((sum, { sent }) => sum + sent, 0)
  const stored = await contents.bytes()
  console.log(
    `${what}: ${took} s; ${figures.join('; ')}; written ${mb(written)} MB, read ${mb(read)} MB in ${seen.length} requests; stored ${mb(stored)} MB: written ${share(written, stored)}, read ${share(read, stored)}`,
  )
  return result
}

/** The other steps tell something also where this one does not hold. */
function same<Value>(found: Value, expected: Value): void {
  if (found === expected) return
  console.log(`FAILED: found ${found}, and not ${expected}`)
  process.exitCode = 1
}

function seconds(began: number): string {
  return ((performance.now() - began) / 1000).toFixed(1)
}

function mb(bytes: number): string {
  return (bytes / 1e6).toFixed(1)
}

function share(part: number, whole: number): string {
  return `${((100 * part) / whole).toFixed(2)} %`
}
