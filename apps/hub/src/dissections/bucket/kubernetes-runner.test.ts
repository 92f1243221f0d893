import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveConfig } from '@tapdeck/config'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openBucket } from '../../snapshots/open-bucket.ts'
import { bucketForTests } from '../../testing/bucket-for-tests.ts'
import { captureFile, httpPackets } from '../../testing/http-capture.ts'
import { JobServer } from '../../testing/job-server.ts'
import { jobsOf } from '../../testing/jobs-of.ts'
import { startHub, type TestHub } from '../../testing/start-hub.ts'
import { threadForTests } from '../../testing/thread-for-tests.ts'
import { runDissectJob } from './run-dissect-job.ts'

const thread = threadForTests()
const bucket = bucketForTests()
let cluster: JobServer
let folder: string
let hub: TestHub

const template = {
  apiVersion: 'batch/v1',
  kind: 'Job',
  spec: {
    template: { spec: { restartPolicy: 'Never', containers: [{ name: 'dissect-job', image: 'tapdeck' }] } },
  },
}

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-runner-'))
  cluster = await JobServer.start()
  await writeFile(join(folder, 'kubeconfig'), cluster.kubeconfig)
  await writeFile(join(folder, 'job.yaml'), JSON.stringify(template))
})
afterEach(async () => {
  await hub?.stop()
  await cluster.close()
  await rm(folder, { recursive: true })
})

const { importFile, dissect, calls } = jobsOf(() => hub)

async function start(data: string, ...settings: string[]): Promise<void> {
  hub = await startHub({
    thread: thread(),
    folder: join(folder, data),
    set: [
      ...bucket.settings,
      'tap.delayedDissection.runner=kubernetes',
      `tap.delayedDissection.jobTemplate=${folder}/job.yaml`,
      `tap.kubernetes.kubeconfig=${folder}/kubeconfig`,
      ...settings,
    ],
  })
  if (hub.services.snapshots.find('s1')) return
  await importFile('s1', captureFile(httpPackets({ requests: 30 })))
  const location = async () => (await hub.get('/mcp/snapshots/s1')).json.location
  await expect.poll(location, { timeout: 60_000 }).toBe('s3')
}

/** What the container of a Job does: the command of its arguments, with an empty folder. */
async function runJob(
  [command, snapshot, name, ...flags]: readonly string[],
  other: readonly string[] = [],
): Promise<void> {
  expect([command, ...flags]).toEqual(['dissect-job', '--requested'])
  const set = [...bucket.settings, ...other]
  const { config } = resolveConfig({ files: [], set, setString: [], env: {}, flags: {} })
  const objects = (await openBucket(config))!
  await runDissectJob({
    ...{ config, objects, requested: true, thread: thread(), log: hub.log, now: Date.now, beatMs: 20 },
    folder: join(folder, 'elsewhere'),
    request: { snapshot_name: snapshot!, dissection_name: name! },
    signal: new AbortController().signal,
  }).finally(() => objects.close())
}

const leftovers = () => bucket.server.bucket.keys().filter((key) => key.includes('dissections/'))

test('a dissection runs as a Job; filter, progress and result go through the bucket', async () => {
  cluster.run = runJob
  await start('hub')
  const done = await dissect('s1', 'some', { kfl: 'path.endsWith("7")' })
  expect(done).toMatchObject({ status: 'completed', progress: 100, errors: [] })
  expect((await calls('s1/some')).json.total).toBe(done.call_count)
  expect(done.call_count).toBeGreaterThan(0)
  expect(done.call_count).toBeLessThan(30)
  expect(cluster.jobs.size).toBe(0)
  expect(await readdir(join(folder, 'elsewhere'))).toEqual([])
  expect((await hub.send('DELETE', '/mcp/dissections/s1/some', undefined)).status).toBe(200)
  expect(leftovers()).toEqual([])
})

test('a Job that the cluster gives up, or may not make, fails the dissection with the reason', async () => {
  cluster.run = async () => {
    throw new Error('Job has reached the specified backoff limit')
  }
  await start('hub')
  const failed = await dissect('s1', 'one')
  expect(failed).toMatchObject({ status: 'failed', errors: [expect.stringContaining('backoff limit')] })
  cluster.forbidden = true
  const refused = await dissect('s1', 'two')
  expect(refused).toMatchObject({
    status: 'failed',
    errors: [expect.stringMatching(/cannot \w+ Jobs: 403.*The chart/)],
  })
  cluster.forbidden = false
  expect(cluster.jobs.size).toBe(0)
  expect(leftovers()).toEqual([])
})

test('a Job that does not begin says why, and is given up after reportWithin', async () => {
  await start('hub', 'tap.delayedDissection.reportWithin=4s')
  cluster.events = [{ reason: 'FailedCreate', message: 'exceeded quota' }]
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  const status = async () => (await hub.get('/mcp/dissections/s1/one')).json
  const reason = 'it has no pod: FailedCreate: exceeded quota'
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: 'running', waiting_for: reason })
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({
    status: 'failed',
    errors: [expect.stringMatching(new RegExp(`reportWithin: ${reason}$`))],
  })
  expect((await status()).waiting_for).toBeUndefined()
  expect(cluster.jobs.size).toBe(0)
  expect(leftovers()).toEqual([])
})

test('an API server that is away does not end a dissection, neither at its start nor at its end', async () => {
  cluster.run = runJob
  cluster.isAway = true
  await start('hub')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  const status = async () => (await hub.get('/mcp/dissections/s1/one')).json
  const reason = expect.stringMatching(/the API server is not reached: 503/)
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: 'running', waiting_for: reason })
  cluster.isAway = false
  await expect.poll(() => cluster.jobs.size, { timeout: 60_000 }).toBe(1)
  cluster.isAway = true
  const completed = () =>
    bucket.server.bucket.keys().some((key) => key.includes('data/') && key.includes('/dissections/'))
  await expect.poll(completed, { timeout: 60_000 }).toBe(true)
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: 'running', waiting_for: reason })
  cluster.isAway = false
  await expect
    .poll(status, { timeout: 60_000 })
    .toMatchObject({ status: 'completed', call_count: 30, errors: [] })
  expect(cluster.jobs.size).toBe(0)
})

test('a Job that completes without a result fails the dissection', async () => {
  await start('hub')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  await expect.poll(() => cluster.jobs.size, { timeout: 60_000 }).toBe(1)
  cluster.complete()
  const status = async () => (await hub.get('/mcp/dissections/s1/one')).json
  const reason = 'the Kubernetes Job ended without a result'
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: 'failed', errors: [reason] })
})

test('what a Job made with other redaction rules is not used', async () => {
  cluster.run = (args) => runJob(args, ['tap.redaction.headers={x-other}'])
  await start('hub')
  const failed = await dissect('s1', 'one')
  expect(failed).toMatchObject({
    status: 'failed',
    errors: [expect.stringContaining('other rules of tap.redaction')],
  })
  expect(leftovers()).toEqual([])
})

test('a hub that is started again follows the Job that runs', async () => {
  let begin = () => {}
  const begun = new Promise<void>((resolve) => {
    begin = resolve
  })
  let made = 0
  cluster.run = async (args) => {
    made++
    await begun
    await runJob(args)
  }
  await start('hub')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  await expect.poll(() => cluster.jobs.size, { timeout: 60_000 }).toBe(1)
  await hub.stop()
  expect(cluster.jobs.size).toBe(1)
  await start('hub')
  begin()
  const status = async () => (await hub.get('/mcp/dissections/s1/one')).json
  await expect.poll(status, { timeout: 60_000 }).toMatchObject({ status: 'completed', call_count: 30 })
  expect(made).toBe(1)
})

test('a cancelled dissection ends its Job and leaves nothing', async () => {
  await start('hub')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'one' })
  await expect.poll(() => cluster.jobs.size, { timeout: 60_000 }).toBe(1)
  const stopped = await hub.send('POST', '/mcp/dissections/s1/one/stop', {})
  expect(stopped.status, stopped.text).toBe(200)
  expect((await hub.get('/mcp/dissections/s1/one')).json.status).toBe('cancelled')
  expect(cluster.jobs.size).toBe(0)
  expect(leftovers()).toEqual([])
})
