import { randomUUID } from 'node:crypto'
import { join } from 'node:path'
import { openS3 } from '@tapdeck/objects/s3'
import {
  type ChosenServer,
  externalServer,
  FaultProxy,
  ownServer,
  type PassedRequest,
} from '@tapdeck/objects/testing'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { BucketContents } from '../e2e/bucket/bucket-contents.ts'
import { podsOf } from './pods-of.ts'
import { callsOf, waiting } from './recorded-calls.ts'
import { rightsOf } from './rights-of.ts'
import {
  apply,
  ClusterHub,
  CONTROL_PLANE,
  helm,
  inNode,
  kubectl,
  listenForPods,
  nodes,
  root,
} from './test-cluster.ts'

/**
 * A second release: its snapshots are in a bucket, and its hub dissects them by Kubernetes Jobs. The bucket answers late where a
 * test needs a Job at work. With `TAPDECK_S3_ENDPOINT` on the storage that it names.
 */
const NAMESPACE = 'tapdeck-jobs'
const BUCKET_PORT = 9000
const REQUESTS = 10
const HUB = 'app.kubernetes.io/component=hub'
const KFL = '"dissected" in request.query'
const { get, send } = new ClusterHub(NAMESPACE)
let storage: ChosenServer
let bucket: FaultProxy
let contents: BucketContents
let sent: readonly string[]
let release = () => {}

beforeAll(async () => {
  storage = externalServer() ?? (await ownServer())
  for (const [name, value] of Object.entries(storage.environment)) vi.stubEnv(name, value)
  bucket = await FaultProxy.start(storage.settings.endpoint, await listenForPods(BUCKET_PORT))
  const settings = { ...storage.settings, prefix: `cluster/${randomUUID()}/` }
  contents = new BucketContents(openS3(settings))
  await kubectl('create', 'namespace', NAMESPACE)
  const metadata = { name: 'bucket', namespace: NAMESPACE }
  await apply({ apiVersion: 'v1', kind: 'Secret', metadata, stringData: storage.environment })
  const { bucket: name, prefix } = settings
  const s3 = { ...{ bucket: name, prefix, pathStyle: true }, endpoint: bucket.endpoint }
  const values = {
    tap: {
      // The workers of the release of the other suites are on the same nodes.
      probePort: 8895,
      snapshots: { storage: 's3', s3 },
      delayedDissection: { runner: 'kubernetes', parallel: 2 },
      capture: { dissection: { enabled: false } },
    },
    bucketCredentials: { secretName: 'bucket' },
    // The release of the other suites has the default folder.
    workerData: { hostPath: '' },
  }
  const set = Object.entries(values).flatMap(([key, value]) => [
    '--set-json',
    `${key}=${JSON.stringify(value)}`,
  ])
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  await helm('install', 'tapdeck', chart, '-n', NAMESPACE, ...set, '--wait', '--timeout', '5m')
  const boundaries = () => get<{ nodes: readonly object[] }>('/mcp/data-boundaries')
  await vi.waitFor(async () => expect((await boundaries()).nodes).toHaveLength(nodes.length), waiting)
  const clients = await podsOf('client')
  const requests = `for i in $(seq ${REQUESTS}); do wget -qO- "http://web/?dissected=$(hostname)-$i" >/dev/null; done`
  await Promise.all(clients.map(({ name }) => kubectl('exec', name, '--', 'sh', '-c', requests)))
  sent = clients
    .flatMap(({ name }) => Array.from({ length: REQUESTS }, (_, at) => `${name} ${name}-${at + 1}`))
    .sort()
  // The last packets are in the ring before the snapshot is taken.
  const recorded = () => callsOf(KFL, 'recording', get)
  await vi.waitFor(async () => expect(await recorded()).toHaveLength(sent.length), waiting)
  await send('POST', '/mcp/snapshots', { name: 's', duration: '1h' })
  const stored = { location: 's3', node_count: nodes.length }
  await vi.waitFor(async () => expect(await get('/mcp/snapshots/s')).toMatchObject(stored), waiting)
})
afterEach(() => release())
afterAll(async () => {
  await helm('uninstall', 'tapdeck', '-n', NAMESPACE, '--wait')
  await kubectl('delete', 'namespace', NAMESPACE)
  await bucket.close()
  await storage.close()
  vi.unstubAllEnvs()
})

const dissection = (name: string) => get<Readonly<Record<string, unknown>>>(`/mcp/dissections/s/${name}`)
const start = (name: string) =>
  send('POST', '/mcp/dissections', { snapshot_name: 's', dissection_name: name })
const completed = (name: string) =>
  expect.poll(() => dissection(name)).toMatchObject({ status: 'completed', errors: [] })

/** Requests that wait from now on, until `release`. Returns how many do. */
function hold(isMeant: (request: PassedRequest) => boolean): () => number {
  let held = 0
  const until = new Promise<void>((resolve) => {
    release = () => {
      bucket.fault = () => undefined
      resolve()
    }
  })
  bucket.fault = (request) => {
    if (!isMeant(request)) return undefined
    held++
    return { kind: 'slow', until }
  }
  return () => held
}

/** A Job stores its result: it has dissected everything, and is not completed. */
const isResult = ({ method, key }: PassedRequest) =>
  method !== 'GET' && key.includes('/data/') && key.includes('/dissections/')

/** Starts a dissection whose Job is held before it stores its result. */
async function startHeld(name: string): Promise<void> {
  const held = hold(isResult)
  await start(name)
  await expect.poll(held).toBeGreaterThan(0)
}

interface JobPod {
  readonly metadata: { readonly name: string }
  readonly spec: Readonly<Record<string, unknown>> & { readonly nodeName: string }
}

async function listed<Item>(...what: string[]): Promise<readonly Item[]> {
  const text = await kubectl('get', ...what, '-n', NAMESPACE, '-o', 'json')
  return (JSON.parse(text) as { items: readonly Item[] }).items
}
const jobs = () => listed('jobs')
const jobPods = () => listed<JobPod>('pods', '-l', 'app.kubernetes.io/component=dissect-job')
const podNames = async () => (await jobPods()).map(({ metadata }) => metadata.name)

async function expectKnownCalls(name: string): Promise<void> {
  const calls = await callsOf(KFL, `s/${name}`, get)
  expect(calls.map(({ src, request }) => `${src.pod} ${request.query?.dissected}`).sort()).toEqual(sent)
  for (const { src, dst } of calls) {
    expect(src).toMatchObject({ workload: 'client' })
    expect(dst).toMatchObject({ workload: 'web', svc: 'web' })
  }
}

test('a Job dissects the snapshot, its progress is seen, and its result has exactly the calls that were made', async () => {
  await startHeld('all')
  await expect
    .poll(() => dissection('all'))
    .toMatchObject({ status: 'running', progress: 99, started_at: expect.any(String) })
  expect((await dissection('all')).call_count).toBeGreaterThanOrEqual(sent.length)
  expect(await jobs()).toHaveLength(1)
  release()
  await completed('all')
  await expectKnownCalls('all')
  expect(await jobs()).toEqual([])
})

test('the pod of a Job is confined, and goes with a dissection that is stopped, as does what it has stored', async () => {
  await startHeld('stopped')
  const [pod] = await jobPods()
  expect(pod!.spec).toMatchObject({
    automountServiceAccountToken: false,
    containers: [{ resources: { requests: { cpu: '500m', memory: '1Gi' }, limits: { memory: '4Gi' } } }],
    volumes: [{ name: 'config' }, { name: 'tmp' }],
  })
  await expectConfinedProcess(Number(pod!.spec.nodeName.replace('node', '')))
  await expectAdmittedAsRestricted(pod!.spec)
  await send('POST', '/mcp/dissections/s/stopped/stop')
  expect(await dissection('stopped')).toMatchObject({ status: 'cancelled' })
  expect(await jobs()).toEqual([])
  await expect.poll(podNames).toEqual([])
  expect(await contents.orphans()).toEqual([])
})

async function expectConfinedProcess(node: number): Promise<void> {
  const pid = (await inNode(node, 'pgrep', '-f', '^/usr/local/bin/node /app/dist/dissect-job.mjs')).trim()
  const status = await inNode(node, 'cat', `/proc/${pid}/status`)
  const none = '0000000000000000'
  for (const line of [
    'Uid:\t65532\t',
    `CapEff:\t${none}`,
    `CapBnd:\t${none}`,
    'NoNewPrivs:\t1',
    'Seccomp:\t2',
  ])
    expect(status).toContain(line)
  const mounts = await inNode(node, 'cat', `/proc/${pid}/mounts`)
  expect(mounts).toMatch(/^\S+ \/ \S+ ro,/m)
}

/** The strictest rules of Kubernetes for pods. */
async function expectAdmittedAsRestricted(spec: JobPod['spec']): Promise<void> {
  const name = `${NAMESPACE}-restricted`
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' }
  await apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } })
  const { serviceAccount, serviceAccountName, nodeName, ...other } = spec
  const copy = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'copy', namespace: name }, spec: other }
  await apply(copy)
  await expect(
    apply({ ...copy, metadata: { ...copy.metadata, name: 'other' }, spec: { ...other, hostNetwork: true } }),
  ).rejects.toThrow(/violates PodSecurity/)
  await kubectl('delete', 'namespace', name, '--wait=false')
}

test('a hub that makes Jobs has only the rights to make, read and delete them more than another one', async () => {
  const common = await rightsOf('tapdeck-hub', 'tapdeck')
  // Each release has its authority in its own namespace.
  const elsewhere = common.filter((right) => !right.includes('[tapdeck-link'))
  expect(await rightsOf('tapdeck-hub', NAMESPACE, 'default')).toEqual(elsewhere)
  const added = (await rightsOf('tapdeck-hub', NAMESPACE)).filter((right) => !common.includes(right))
  expect(added).toEqual(['jobs.batch [] [] [list watch create get delete]'])
})

test('a pod that is killed is replaced, and the result is the same', async () => {
  await startHeld('killed')
  const [pod] = await jobPods()
  await kubectl('delete', 'pod', pod!.metadata.name, '-n', NAMESPACE, '--force', '--grace-period=0')
  release()
  await completed('killed')
  await expectKnownCalls('killed')
  expect(await jobs()).toEqual([])
})

test('a hub that is killed follows the Job that runs, and takes its result', async () => {
  await startHeld('hub-killed')
  const [pod] = await jobPods()
  // The first process of a container is safe from its others.
  const kill = `for (const pid of fs.readdirSync('/proc').filter((name) => Number(name) > 1 && Number(name) !== process.pid))
    if (fs.readFileSync('/proc/' + pid + '/cmdline', 'utf8').includes('hub.mjs')) process.kill(Number(pid), 'SIGKILL')`
  await kubectl('exec', '-n', NAMESPACE, 'deployment/tapdeck-hub', '--', '/usr/local/bin/node', '-e', kill)
  const restarts = [
    '-n',
    NAMESPACE,
    '-l',
    HUB,
    '-o',
    'jsonpath={.items[0].status.containerStatuses[0].restartCount}',
  ]
  await expect.poll(() => kubectl('get', 'pods', ...restarts)).toBe('1')
  await expect.poll(() => dissection('hub-killed')).toMatchObject({ status: 'running', progress: 99 })
  expect((await jobPods()).map(({ metadata }) => metadata.name)).toEqual([pod!.metadata.name])
  release()
  await completed('hub-killed')
  await expectKnownCalls('hub-killed')
  expect(await jobs()).toEqual([])
})

test('a hub that is replaced and loses its disk lets the Job run, and has the snapshot', async () => {
  await startHeld('hub-lost')
  const before = await podNames()
  const chart = join(root, 'deploy', 'helm', 'tapdeck')
  await helm(
    'upgrade',
    'tapdeck',
    chart,
    '-n',
    NAMESPACE,
    '--reuse-values',
    '--set',
    'tap.delayedDissection.reportWithin=20s',
  )
  await kubectl('delete', 'pod', '-n', NAMESPACE, '-l', HUB, '--force', '--grace-period=0')
  await kubectl('rollout', 'status', '-n', NAMESPACE, 'deployment/tapdeck-hub', '--timeout=120s')
  await expect.poll(() => get('/mcp/snapshots/s')).toMatchObject({ location: 's3' })
  expect(await podNames()).toEqual(before)
})

test('Jobs whose image cannot be pulled, or that find no node, fail with the reason of the cluster', async () => {
  const hub = (
    await kubectl('get', 'pods', '-n', NAMESPACE, '-l', HUB, '-o', 'jsonpath={.items[0].spec.nodeName}')
  ).trim()
  const free = nodes.find((name) => name !== hub)!
  const other = nodes.filter((name) => name !== free)
  const images = (...args: string[]) =>
    inNode(Number(free.replace('node', '')), 'ctr', '-n', 'k8s.io', 'images', ...args)
  const [image] = (await images('ls', '-q'))
    .split('\n')
    .filter((name) => name.startsWith('localhost/tapdeck:'))
  const failed = (reason: RegExp) => ({ status: 'failed', errors: [expect.stringMatching(reason)] })
  await kubectl('cordon', ...other)
  await images('tag', image!, 'localhost/kept:1')
  await images('rm', image!)
  try {
    await start('no-image')
    const reason = /its container does not run: (ErrImagePull|ImagePullBackOff): .*localhost\/tapdeck/
    await expect
      .poll(() => dissection('no-image'))
      .toMatchObject({ status: 'running', waiting_for: expect.stringMatching(reason) })
    await kubectl('cordon', free)
    await start('no-node')
    await expect.poll(() => dissection('no-image')).toMatchObject(failed(reason))
    await expect
      .poll(() => dissection('no-node'))
      .toMatchObject(failed(/its pod is not scheduled: Unschedulable: 0\/\d+ nodes/))
  } finally {
    await images('tag', 'localhost/kept:1', image!)
    await images('rm', 'localhost/kept:1')
    await kubectl('uncordon', ...nodes)
  }
  await start('image')
  await completed('image')
})

test('the hub that was replaced lists the result of the Job that it had not started', async () => {
  await completed('hub-lost')
  await expectKnownCalls('hub-lost')
})

test('what workers, hub and Jobs exchange with the bucket is not recorded', async () => {
  await send('POST', '/mcp/snapshots', { name: 'after', duration: '1h' })
  await vi.waitFor(
    async () => expect(await get('/mcp/snapshots/after')).toMatchObject({ location: 's3' }),
    waiting,
  )
  await send('POST', '/mcp/dissections', { snapshot_name: 'after', dissection_name: 'all' })
  const job = () => get('/mcp/dissections/after/all')
  await expect.poll(job).toMatchObject({ status: 'completed', errors: [] })
  interface Flows {
    readonly flows: readonly { readonly server: { readonly ip?: string; readonly port?: number } }[]
  }
  const query = { db: 'after/all', ip: CONTROL_PLANE, limit: '1000' }
  const ports = (await get<Flows>('/mcp/flows', query)).flows.map(({ server }) => server.port)
  // The API server is there too.
  expect(ports.length).toBeGreaterThan(0)
  expect(ports).not.toContain(BUCKET_PORT)
})
