import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { configKeys, isKeyBelow, restartReason } from '@tapdeck/config'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { startHub, type TestHub, until } from './testing/start-hub.ts'

let folder: string
let file: string
let hub: TestHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-reload-'))
  file = join(folder, 'values.yaml')
  await writeFile(file, '')
  await writeFile(join(folder, 'names.yaml'), 'pods: [{name: a, namespace: b, ips: [10.0.0.9]}]\n')
  hub = await startHub({ files: [file] })
})
afterEach(async () => {
  await hub.stop()
  await rm(folder, { recursive: true, force: true })
})

/** Callers that were resolved before lose their access when any key of `tap.auth` changes. */
const auth = async () => {
  const caller = await hub.services.access.resolve(new Headers(), '')
  return () => hub.services.access.isCredentialValid(caller)
}
const read =
  <Value>(value: () => Value) =>
  async () =>
    value

const telemetry = read(() => hub.services.telemetry.applied)

interface Sample {
  /** Another value than the default. */
  readonly value: unknown
  /** Values of other keys, without which this one is not accepted. */
  readonly besides?: Readonly<Record<string, unknown>>
  /** For a key that applies at once: reads what the hub works with. */
  readonly observe?: () => Promise<() => unknown>
}

const names = ['x']
const issuer = { 'tap.auth.oidc.issuer': 'http://127.0.0.1:9', 'tap.auth.oidc.audience': 'a' }

/** One entry for each key of the configuration. */
const samples: Readonly<Record<string, Sample>> = {
  'tap.capture.dissection.enabled': { value: false, observe: read(() => hub.services.switchboard.enabled) },
  'tap.capture.dissection.stopAfter': {
    value: '7m',
    observe: read(() => hub.services.switchboard.state.stop_after),
  },
  'tap.capture.dissection.backfill': { value: '7m' },
  'tap.capture.dissection.mcpCountsAsActivity': { value: true, observe: read(assistantCounts) },
  'tap.capture.dissection.bodyBytes': { value: '1Ki' },
  'tap.capture.raw.enabled': { value: false },
  'tap.capture.raw.storageSize': { value: '2Gi' },
  'tap.capture.events.enabled': { value: false },
  'tap.capture.events.storageSize': { value: '1Mi' },
  'tap.capture.rewind.maxTime': { value: '7s' },
  'tap.capture.rewind.maxBytes': { value: '2Gi' },
  'tap.capture.dbMaxSize': { value: '1Gi' },
  'tap.capture.interfaces': { value: ['lo'] },
  'tap.capture.snapLength': { value: 128 },
  'tap.capture.bufferSize': { value: '128Mi' },
  'tap.capture.podLoopback': { value: true },
  'tap.capture.podInterfaces': { value: true },
  'tap.capture.captureSelf': { value: true },
  'tap.capture.ownPorts': { value: '29000-29063' },
  'tap.index.engine': { value: 'clickhouse' },
  'tap.index.clickhouse.url': { value: 'http://127.0.0.1:9' },
  'tap.index.clickhouse.database': { value: 'other' },
  'tap.index.clickhouse.user': { value: 'other' },
  'tap.index.clickhouse.passwordFile': { value: '/run/secrets/other' },
  'tap.index.clickhouse.ca': { value: '/etc/ca.pem' },
  'tap.index.clickhouse.timeout': { value: '7s' },
  'tap.index.clickhouse.batchRows': { value: 7 },
  'tap.index.clickhouse.queueSize': { value: '1Mi' },
  'tap.index.clickhouse.retention': { value: '24h' },
  'tap.snapshots.storage': { value: 's3' },
  'tap.snapshots.s3.bucket': { value: 'other' },
  'tap.snapshots.s3.prefix': { value: 'other/' },
  'tap.snapshots.s3.endpoint': { value: 'http://127.0.0.1:9' },
  'tap.snapshots.s3.region': { value: 'eu-west-1' },
  'tap.snapshots.s3.pathStyle': { value: true },
  'tap.snapshots.s3.encryption': { value: 'AES256' },
  'tap.snapshots.s3.kmsKey': { value: 'key' },
  'tap.snapshots.s3.nodeUploads': { value: false },
  'tap.snapshots.local.storageSize': {
    value: '1Gi',
    observe: read(() => hub.services.snapshots.room.maxBytes),
  },
  'tap.snapshots.local.retention.maxAge': { value: '1h', observe: read(() => hub.retention.policy) },
  'tap.snapshots.local.retention.maxSize': { value: '1Gi', observe: read(() => hub.retention.policy) },
  'tap.snapshots.importFolder': { value: '/tmp', observe: read(() => hub.services.snapshots.importFolder) },
  'tap.snapshots.returnWithin': { value: '7s', observe: read(() => hub.services.snapshots.returnWithin) },
  'tap.delayedDissection.parallel': { value: 7, observe: read(() => hub.services.dissections.limits) },
  'tap.delayedDissection.threads': { value: 63, observe: read(() => hub.services.dissections.limits) },
  'tap.delayedDissection.maxTime': { value: '7m', observe: read(() => hub.services.dissections.limits) },
  'tap.delayedDissection.runner': { value: 'kubernetes' },
  'tap.delayedDissection.reportWithin': {
    value: '7m',
    observe: read(() => hub.services.dissections.limits),
  },
  'tap.delayedDissection.jobTemplate': { value: '/tmp/job.yaml' },
  'tap.auth.enabled': { value: true, observe: auth },
  'tap.auth.defaultRole': { value: 'svc-viewer', observe: auth },
  'tap.auth.roles': { value: { own: { capabilities: ['snapshot:read'] } }, observe: auth },
  'tap.auth.groupMapping': { value: { ops: 'svc-admin' }, observe: auth },
  'tap.auth.oidc.issuer': { value: 'http://127.0.0.1:8', besides: issuer, observe: auth },
  'tap.auth.oidc.audience': { value: 'other', besides: issuer, observe: auth },
  'tap.auth.oidc.rolesClaim': { value: 'roles', observe: auth },
  'tap.auth.oidc.nameClaim': { value: 'name', observe: auth },
  'tap.auth.oidc.clientId': { value: 'client', besides: issuer, observe: auth },
  'tap.auth.oidc.clientSecret': { value: 'secret', observe: auth },
  'tap.auth.oidc.clientSecretFile': { value: '/tmp/secret', observe: auth },
  'tap.auth.oidc.scopes': { value: ['openid'], observe: auth },
  'tap.auth.oidc.caFile': { value: '/tmp/ca', observe: auth },
  'tap.auth.oidc.clockSkew': { value: '7s', observe: auth },
  'tap.auth.kubernetes.enabled': { value: true, observe: auth },
  'tap.auth.kubernetes.apiServer': { value: 'https://127.0.0.1:9', observe: auth },
  'tap.auth.kubernetes.caFile': { value: '/tmp/ca', observe: auth },
  'tap.auth.kubernetes.tokenFile': { value: '/tmp/token', observe: auth },
  'tap.auth.kubernetes.audience': { value: 'other', observe: auth },
  'tap.auth.kubernetes.workers': { value: 'ns:workers', observe: auth },
  'tap.auth.session.idle': { value: '7m', observe: auth },
  'tap.auth.session.longest': { value: '7h', observe: auth },
  'tap.redaction.credentials': { value: 'keep' },
  'tap.redaction.headers': { value: names },
  'tap.redaction.query': { value: names },
  'tap.redaction.json': { value: names },
  'tap.redaction.sqlLiterals': { value: true },
  'tap.redaction.detect': { value: ['card'] },
  'tap.redaction.patterns': { value: names },
  'tap.redaction.bodies': { value: true },
  'tap.redaction.byRole': {
    value: { 'svc-viewer': { bodies: true } },
    observe: read(() => hub.services.redactions.of({ role: 'svc-viewer' }) === undefined),
  },
  'tap.kubernetes.enabled': { value: true },
  'tap.kubernetes.kubeconfig': { value: '/tmp/kubeconfig' },
  'tap.kubernetes.context': { value: 'other' },
  'tap.kubernetes.workerNodes': { value: { pool: 'a' } },
  'tap.kubernetes.workerDaemonSet': { value: 'tapdeck/tapdeck-worker' },
  'tap.telemetry.otlp.enabled': { value: true, observe: telemetry },
  'tap.telemetry.otlp.endpoint': { value: 'http://127.0.0.1:9', observe: telemetry },
  'tap.telemetry.otlp.headers': { value: { key: 'x' }, observe: telemetry },
  'tap.telemetry.otlp.caFile': { value: '/tmp/ca', observe: telemetry },
  'tap.telemetry.otlp.compression': { value: 'gzip', observe: telemetry },
  'tap.telemetry.otlp.kfl': { value: 'http', observe: telemetry },
  'tap.telemetry.otlp.maxSpansPerSecond': { value: 7, observe: telemetry },
  'tap.telemetry.otlp.queueSize': { value: 7, observe: telemetry },
  'tap.telemetry.otlp.metricsInterval': { value: '7s', observe: telemetry },
  'tap.tls.capture.enabled': { value: true },
  'tap.tls.capture.storageSize': { value: '1Mi' },
  'tap.tls.capture.sealingKeyFile': { value: '/tmp/sealing' },
  'tap.tls.capture.keyLogFiles': { value: ['/tmp/keys.log'] },
  'tap.tls.capture.processes': { value: 'node' },
  'tap.tls.capture.namespaces': { value: names },
  'tap.tls.capture.regex': { value: 'x' },
  'tap.tls.capture.maxHitsPerSecond': { value: 7 },
  'tap.tls.cert': { value: '/tmp/cert', besides: { 'tap.tls.key': '/tmp/key' } },
  'tap.tls.key': { value: '/tmp/key', besides: { 'tap.tls.cert': '/tmp/cert' } },
  'tap.tls.ca': { value: '/tmp/ca' },
  'tap.regex': { value: 'a.*', observe: read(() => hub.services.targets.current) },
  'tap.namespaces': { value: names, observe: read(() => hub.services.targets.current) },
  'tap.excludedNamespaces': { value: names, observe: read(() => hub.services.targets.current) },
  'tap.bpfOverride': { value: 'tcp port 80', observe: captureFilter },
  'tap.inventory': {
    value: 'names.yaml',
    observe: read(() => hub.services.directory.inventory.pods.length),
  },
  'tap.nodeIp': { value: '10.9.9.9' },
  'tap.probePort': { value: 8896 },
  'tap.node': { value: 'other' },
  'hub.host': { value: '127.0.0.2' },
  'hub.port': { value: 4321 },
  'hub.url': { value: 'http://127.0.0.1:9' },
  'hub.standby': { value: true },
  'hub.state': { value: 's3' },
  'hub.stateKeyFile': { value: '/etc/state.key' },
  'hub.takeOverAfter': { value: '1m' },
  'hub.publicUrl': { value: 'https://tap.example', observe: read(() => hub.web.publicUrl) },
  'hub.allowedHosts': { value: ['tap.example'], observe: read(() => acceptsHost('tap.example')) },
  'hub.link.port': { value: 8897 },
  'hub.link.names': { value: ['hub.example'] },
  'hub.link.cert': { value: '/link.crt', besides: { 'hub.link.key': '/link.key' } },
  'hub.link.key': { value: '/link.key', besides: { 'hub.link.cert': '/link.crt' } },
  'hub.link.rotateAfter': { value: '30d' },
  'hub.link.secretName': { value: 'authority' },
  'hub.link.configMapName': { value: 'trust' },
  'hub.plainHttp': { value: 'anywhere', observe: read(() => hub.web.plain.rule?.plainHttp) },
  'hub.trustedProxies': { value: ['10.0.0.0/8'], observe: read(() => hub.web.plain.rule?.trustedProxies) },
  'hub.queriesAtOnce': { value: 7, observe: read(() => hub.web.gate.most) },
  'hub.mcpMaxChars': { value: 7000, observe: read(() => hub.web.mcp.maxChars) },
  data: { value: '/tmp/other' },
  logLevel: { value: 'warn', observe: read(() => hub.log.level) },
}

/** Whether a request by MCP moves the start of the inactivity period. */
async function assistantCounts(): Promise<boolean> {
  const { switchboard } = hub.services
  const before = switchboard.state.idle_since
  await until(Date.now, (now) => now > Date.parse(before!) + 1)
  switchboard.assistant()
  return switchboard.state.idle_since !== before
}

/** The filter that a worker has got; read a second time, once it has got one. */
async function captureFilter(): Promise<() => unknown> {
  const worker = await hub.worker('n1')
  const expressions = () =>
    worker.asked.flatMap((one) => (one.request === 'capture_filter' ? [one.input.expression] : []))
  let reads = 0
  return () => (reads++ === 0 ? expressions() : until(expressions, ({ length }) => length > 0))
}

function acceptsHost(host: string): boolean {
  hub.web.hosts.bind('127.0.0.1')
  try {
    hub.web.hosts.check(host)
    return true
  } catch {
    return false
  }
}

async function configure(values: Readonly<Record<string, unknown>>): Promise<void> {
  const tree: Record<string, unknown> = {}
  for (const [path, value] of Object.entries(values)) {
    const parts = path.split('.')
    let at = tree
    for (const part of parts.slice(0, -1)) {
      at[part] ??= {}
      at = at[part] as Record<string, unknown>
    }
    at[parts.at(-1)!] = path === 'tap.inventory' ? join(folder, String(value)) : value
  }
  await writeFile(file, JSON.stringify(tree))
  await hub.reload()
}

const restartNeeded = async () => (await hub.get('/api/status')).json.restart_needed

test('each configuration key is applied by exactly one module or needs a restart, and has a sample here', () => {
  const applied = hub.modules.flatMap(({ keys }) => keys)
  const places = configKeys.map(({ path }) => ({
    path,
    places:
      applied.filter((key) => isKeyBelow(path, key)).length + (restartReason(path) === undefined ? 0 : 1),
    hasSample: samples[path] !== undefined,
  }))
  expect(places.filter(({ places, hasSample }) => places !== 1 || !hasSample)).toEqual([])
  expect(applied.filter((key) => !configKeys.some(({ path }) => isKeyBelow(path, key)))).toEqual([])
  expect(Object.keys(samples)).toEqual(configKeys.map(({ path }) => path))
})

describe('a changed key', () => {
  test.each(Object.entries(samples).filter(([path]) => restartReason(path) === undefined))(
    '%s is applied at once',
    async (path, { value, besides, observe }) => {
      await configure({ ...besides })
      const current = await observe!()
      const before = await current()
      await configure({ ...besides, [path]: value })
      expect(await current()).not.toEqual(before)
      expect(await restartNeeded()).toBeUndefined()
    },
  )

  test.each(Object.entries(samples).filter(([path]) => restartReason(path) !== undefined))(
    '%s is shown as needing a restart',
    async (path, { value, besides = {} }) => {
      await configure({ ...besides, [path]: value })
      const reason = restartReason(path)
      expect(await restartNeeded()).toContainEqual({ key: path, reason })
      expect(hub.logged.find((line) => line.includes('restart Tapdeck'))).toContain(path)
      await configure({})
      expect(await restartNeeded()).toBeUndefined()
    },
  )
})

test('a configuration that one module rejects changes no module', async () => {
  await writeFile(join(folder, 'broken.yaml'), 'pods: 7\n')
  await configure({
    'tap.auth.defaultRole': 'svc-viewer',
    'hub.queriesAtOnce': 7,
    'tap.inventory': 'broken.yaml',
  })
  expect(hub.logged.join('')).toContain('keeping the previous one')
  expect(hub.web.gate.most).toBe(32)
  expect((await hub.services.access.resolve(new Headers(), '')).role).toBe('svc-admin')
})
