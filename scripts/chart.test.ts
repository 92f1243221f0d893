import { spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import {
  chartRestartKeys,
  chartValuesSchema,
  configKeys,
  configSchema,
  isSecret,
  readYaml,
} from '@tapdeck/config'
import { dataFolderNames } from '@tapdeck/recording'
import { describe, expect, it } from 'vitest'
import { findHelm } from './find-helm.mjs'
import { renderManifests } from './manifests.mjs'

const path = (name: string) => fileURLToPath(new URL(`../deploy/${name}`, import.meta.url))
const read = (name: string) => readFileSync(path(name), 'utf8')
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

it("the schema of the chart's values is made from the configuration tree (npm run docs)", () => {
  expect(read('helm/tapdeck/values.schema.json')).toBe(chartValuesSchema())
})

it('the keys whose change replaces pods are those that need a restart (npm run docs)', () => {
  expect(read('helm/tapdeck/restart-keys.json')).toBe(chartRestartKeys())
})

it('the chart has the version of the project', () => {
  expect(read('helm/tapdeck/Chart.yaml')).toContain(`\nversion: ${version}\nappVersion: ${version}\n`)
})

const helm = findHelm()
describe.skipIf(helm === undefined)('with helm', () => {
  const run = (...args: string[]) => {
    const { status, stdout, stderr } = spawnSync(helm!, args, { encoding: 'utf8' })
    return { status, output: stdout + stderr }
  }
  const template = (...values: string[]) =>
    run('template', 'tapdeck', path('helm/tapdeck'), ...values.flatMap((one) => ['--set', one]))

  const objects = (...values: string[]) => objectsOf(template(...values).output)
  const find = (all: readonly KubernetesObject[], kind: string, name: string) =>
    all.find((one) => one.kind === kind && one.metadata.name === name)!
  const podOf = (all: readonly KubernetesObject[], part: 'hub' | 'worker') =>
    find(all, part === 'hub' ? 'Deployment' : 'DaemonSet', `tapdeck-${part}`).spec.template
  const notesOf = (...values: string[]) =>
    run(
      ...['install', 'tapdeck', path('helm/tapdeck'), '--dry-run=client'],
      ...values.flatMap((one) => ['--set', one]),
    ).output.split('\nNOTES:\n')[1]

  it('lint finds nothing', () => {
    expect(run('lint', '--strict', path('helm/tapdeck')).output).toContain('0 chart(s) failed')
  })

  it('the manifests are the chart with its defaults (npm run manifests)', () => {
    expect(read('manifests/tapdeck.yaml')).toBe(renderManifests(helm!))
  })

  it('a key that the configuration does not know is refused with its name', () => {
    const { status, output } = template('tap.capture.nonsense=1')
    expect(status).not.toBe(0)
    expect(output).toContain("'nonsense' not allowed")
  })

  it('values of the configuration tree reach the hub and the workers as they are', () => {
    const { output } = template('tap.capture.raw.storageSize=5Gi', 'tap.auth.enabled=true', 'logLevel=debug')
    const text = /values\.yaml: \|\n((?: {4}.*\n)+)/.exec(output)?.[1]?.replaceAll(/^ {4}/gm, '')
    const config = configSchema.parse(readYaml('the chart', text ?? ''))
    expect(config.tap.capture.raw.storageSize).toBe('5Gi')
    expect(config.tap.auth).toMatchObject({
      enabled: true,
      kubernetes: { enabled: true, workers: 'default:tapdeck-worker' },
    })
    expect(config.logLevel).toBe('debug')
  })

  it('the worker has SYS_ADMIN only for interfaces of pods and for probes that take TLS keys', () => {
    const capabilities = (...values: string[]) =>
      /drop: \[ALL\], add: (\[.*?\])/.exec(template(...values).output)?.[1]
    expect(capabilities()).not.toContain('SYS_ADMIN')
    const withLoopback = capabilities('tap.capture.podLoopback=true')
    for (const one of ['"NET_RAW"', '"SYS_ADMIN"']) expect(withLoopback).toContain(one)
    expect(capabilities('tap.capture.podInterfaces=true')).toBe(withLoopback)
    const keys = 'tap.tls.capture.enabled=true'
    expect(capabilities(keys, 'tap.tls.capture.keyLogFiles[0]=/keys')).not.toContain('SYS_ADMIN')
    expect(capabilities('tap.tls.capture.namespaces[0]=shop')).not.toContain('SYS_ADMIN')
    expect(capabilities(keys, 'tap.tls.capture.namespaces[0]=shop')).toContain('"SYS_ADMIN"')
    // Kubernetes refuses CAP_SYS_ADMIN beside allowPrivilegeEscalation: false, and accepts SYS_ADMIN.
    expect(capabilities('capabilities[0]=CAP_SYS_ADMIN', 'tap.capture.podLoopback=true')).toBe(
      '["SYS_ADMIN"]',
    )
  })

  it('the hub may make Jobs only where dissections run as such, and has a template that is a Job', () => {
    expect(template().output).not.toMatch(/dissect-job|resources: \[jobs\], verbs: \[create/)
    const { output } = template('tap.delayedDissection.runner=kubernetes', 'tap.snapshots.storage=s3')
    expect(output).toContain('{ apiGroups: [batch], resources: [jobs], verbs: [create, get, delete] }')
    const text = /dissect-job\.yaml: \|\n((?: {4}.*\n)+)/.exec(output)?.[1]?.replaceAll(/^ {4}/gm, '')
    const job = readYaml('the chart', text ?? '') as { kind: string; spec: { template: { spec: object } } }
    expect(job).toMatchObject({
      apiVersion: 'batch/v1',
      kind: 'Job',
      spec: {
        backoffLimit: 2,
        template: { spec: { restartPolicy: 'Never', automountServiceAccountToken: false } },
      },
    })
  })

  it('every option of the chart renders', () => {
    const { status, output } = template(
      ...['ingress.enabled=true', 'ingress.host=tapdeck.example', 'httpRoute.enabled=true'],
      ...['httpRoute.parentRefs[0].name=gateway', 'serviceMonitor.enabled=true', 'podMonitor.enabled=true'],
      ...[
        'serviceMonitor.authorization.credentials.name=scraper',
        'persistence.enabled=true',
        'persistence.storageClass=fast',
        'workerData.hostPath=',
      ],
    )
    expect(status, output).toBe(0)
    for (const kind of ['Ingress', 'HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PersistentVolumeClaim'])
      expect(output).toContain(`\nkind: ${kind}\n`)
    expect(output.match(/name: scraper/g)).toHaveLength(1)
  })

  it('workers connect to the port with TLS, and get certificates only', () => {
    const all = objects()
    const { containers, volumes } = podOf(all, 'worker').spec
    expect(containers[0]!.env).toContainEqual({
      name: 'TAPDECK_URL',
      value: 'https://tapdeck.default.svc:8897',
    })
    expect(volumes).toContainEqual({ name: 'trust', configMap: { name: 'tapdeck-link', optional: true } })
    expect(JSON.stringify(podOf(all, 'worker'))).not.toContain('tapdeck-link-authority')
    const { link } = configOf(all).hub
    expect(link).toMatchObject({
      port: 8897,
      secretName: 'tapdeck-link-authority',
      configMapName: 'tapdeck-link',
    })
    expect(link.names).toContain('tapdeck.default.svc')
    expect(configOf(all).tap.tls.ca).toBe('/etc/tapdeck-trust/ca.crt')
    // Without data an upgrade leaves what the hub stored.
    for (const [kind, name] of [
      ['Secret', 'tapdeck-link-authority'],
      ['ConfigMap', 'tapdeck-link'],
    ] as const)
      expect(find(all, kind, name)).not.toHaveProperty('data')
    expect(find(all, 'Role', 'tapdeck-link').rules).toEqual([
      {
        apiGroups: [''],
        resources: ['secrets'],
        resourceNames: ['tapdeck-link-authority'],
        verbs: ['get', 'patch'],
      },
      {
        apiGroups: [''],
        resources: ['configmaps'],
        resourceNames: ['tapdeck-link'],
        verbs: ['get', 'patch'],
      },
    ])
  })

  it('with a certificate of its own for that port, nodes do not get its key', () => {
    expect(template('link.existingSecret=link-tls').output).toContain('must not get the key of the hub')
    const all = objects('link.existingSecret=link-tls', 'link.caSecret=link-ca')
    expect(JSON.stringify(podOf(all, 'hub'))).toContain('link-tls')
    expect(JSON.stringify(podOf(all, 'worker'))).not.toContain('link-tls')
    expect(configOf(all).hub.link).toMatchObject({ cert: '/etc/tapdeck-link/tls.crt', secretName: '' })
    expect(all.some(({ metadata }) => metadata.name === 'tapdeck-link-authority')).toBe(false)
  })

  it('every secret of the configuration is in a Secret that only the hub mounts', () => {
    const values: Readonly<Record<string, string>> = {
      'tap.auth.oidc.clientSecret': 'tap.auth.oidc.clientSecret=MARKER',
      'tap.telemetry.otlp.headers': 'tap.telemetry.otlp.headers.key=MARKER',
    }
    const secrets = configKeys.map((key) => key.path).filter(isSecret)
    expect(secrets.toSorted()).toEqual(Object.keys(values))
    for (const value of [...Object.values(values), 'tap.telemetry.otlp.endpoint=https://a:MARKER@b?key=c']) {
      const all = objects(value, 'tap.auth.oidc.issuer=https://id.example', 'tap.auth.oidc.clientId=x')
      const holders = all.filter((one) => JSON.stringify(one).includes('MARKER'))
      expect(holders.map(({ kind, metadata }) => [kind, metadata.name])).toEqual([
        ['Secret', 'tapdeck-config'],
      ])
      expect(JSON.stringify(podOf(all, 'worker'))).not.toContain('tapdeck-config')
      const { args } = podOf(all, 'hub').spec.containers[0]!
      expect(args).toEqual(['hub', '--values=/etc/tapdeck-config/values.yaml'])
    }
    expect(template('tap.index.clickhouse.url=https://user:pass@db').status).not.toBe(0)
    const { args } = podOf(objects('existingSecret=more'), 'hub').spec.containers[0]!
    expect(args).toEqual(['hub', '--values=/etc/tapdeck-secret/values.yaml'])
  })

  it('auth.mode makes a safe installation, and nothing contradicts it', () => {
    const enabled = (...values: string[]) => configOf(objects(...values)).tap.auth.enabled
    expect(enabled()).toBe(false)
    expect(enabled('auth.mode=token')).toBe(true)
    expect(enabled('auth.mode=none')).toBe(false)
    expect(enabled('tap.auth.enabled=true')).toBe(true)
    expect(enabled('auth.mode=token', 'tap.auth.enabled=true')).toBe(true)
    const issuer = ['tap.auth.oidc.issuer=https://id.example', 'tap.auth.oidc.clientId=x']
    expect(enabled('auth.mode=oidc', ...issuer)).toBe(true)
    for (const refused of [
      ['auth.mode=token', 'tap.auth.enabled=false'],
      ['auth.mode=none', 'tap.auth.enabled=true'],
      ['auth.mode=oidc', 'tap.auth.enabled=false', ...issuer],
      ['auth.mode=oidc'],
      ['auth.mode=token', ...issuer],
      ['auth.mode=magic'],
    ])
      expect(template(...refused).status, refused.join()).not.toBe(0)
  })

  it('the notes begin with what is open', () => {
    expect(notesOf()).toMatch(/^OPEN: every caller that reaches the hub is an administrator/)
    expect(notesOf('auth.mode=token')).toMatch(
      /^Callers need an API token\. Without TLS, the hub accepts port-forwards only/,
    )
    expect(notesOf('auth.mode=token', 'hub.plainHttp=anywhere')).toMatch(
      /^.*\n?.*OPEN, tokens may cross the network/,
    )
    expect(notesOf('auth.mode=token', 'ingress.enabled=true', 'ingress.host=a.example')).toContain(
      'The ingress gets 403',
    )
    expect(notesOf('hostPID=false')).toContain('hostPID is false: calls and events have no processes')
    expect(notesOf()).toContain('pod-security.kubernetes.io/enforce=privileged')
  })

  it('a change replaces the pods of the part that reads the key at its start, and no others', () => {
    const checksums = (...values: string[]) => {
      const all = objects(...values)
      return (['hub', 'worker'] as const).map((part) => JSON.stringify(podOf(all, part).metadata.annotations))
    }
    const before = checksums()
    const replaced = (...values: string[]) => checksums(...values).map((one, at) => one !== before[at])
    expect(replaced('tap.capture.raw.storageSize=5Gi')).toEqual([false, true])
    expect(replaced('hub.takeOverAfter=40s')).toEqual([true, false])
    expect(replaced('tap.tls.capture.enabled=true')).toEqual([false, true])
    expect(replaced('tap.auth.oidc.clientSecret=x')).toEqual([true, false])
    // The hub applies these at once, and gives the targets to the workers.
    expect(replaced('tap.namespaces[0]=shop', 'hub.queriesAtOnce=7')).toEqual([false, false])
  })

  it('probes follow tap.tls.cert, and those of workers ask the process', () => {
    const probes = ['startupProbe', 'livenessProbe', 'readinessProbe'] as const
    const hubOf = (...values: string[]) => podOf(objects(...values), 'hub').spec.containers[0]!
    const tls = ['tap.tls.cert=/tls/tls.crt', 'tap.tls.key=/tls/tls.key']
    for (const probe of probes) {
      expect(hubOf()[probe].httpGet.scheme).toBe('HTTP')
      expect(hubOf(...tls)[probe].httpGet.scheme).toBe('HTTPS')
      const { host, port } = podOf(objects(), 'worker').spec.containers[0]![probe].httpGet
      expect([host, port]).toEqual(['127.0.0.1', 8896])
    }
    expect(configOf(objects()).tap.probePort).toBe(8896)
  })

  it('volumes, variables, annotations, pull secrets and objects of a user are in the pods', () => {
    const all = objects(
      ...['extraVolumes.hub[0].name=tls', 'extraVolumes.hub[0].secret.secretName=hub-tls'],
      ...['extraVolumeMounts.hub[0].name=tls', 'extraVolumeMounts.hub[0].mountPath=/tls'],
      ...['extraEnv.worker[0].name=A', 'extraEnv.worker[0].value=b', 'podAnnotations.hub.team=x'],
      ...['imagePullSecrets[0].name=one', 'image.pullSecrets[0].name=two'],
      'extraObjects[0].kind=ConfigMap,extraObjects[0].apiVersion=v1,extraObjects[0].metadata.name=more',
    )
    const hub = podOf(all, 'hub')
    expect(hub.spec.volumes).toContainEqual({ name: 'tls', secret: { secretName: 'hub-tls' } })
    expect(hub.spec.containers[0]!.volumeMounts).toContainEqual({ name: 'tls', mountPath: '/tls' })
    expect(hub.metadata.annotations).toMatchObject({ team: 'x' })
    expect(hub.spec.imagePullSecrets).toEqual([{ name: 'one' }, { name: 'two' }])
    expect(podOf(all, 'worker').spec.containers[0]!.env).toContainEqual({ name: 'A', value: 'b' })
    expect(all.some(({ metadata }) => metadata.name === 'more')).toBe(true)
  })

  it('the network policy admits the release and what is listed to the API, and everyone to the port for workers', () => {
    const list = ['networkPolicy.from[0].podSelector.matchLabels.app=prometheus']
    const policy = find(objects(...list), 'NetworkPolicy', 'tapdeck-hub')
    const own = { 'app.kubernetes.io/name': 'tapdeck', 'app.kubernetes.io/instance': 'tapdeck' }
    expect(policy.spec.ingress).toEqual([
      { ports: [{ port: 'link', protocol: 'TCP' }] },
      {
        ports: [{ port: 'http', protocol: 'TCP' }],
        from: [
          { podSelector: { matchLabels: own } },
          { podSelector: { matchLabels: { app: 'prometheus' } } },
        ],
      },
    ])
  })

  it('with authentication, a monitor needs a token and TLS', () => {
    const monitor = ['serviceMonitor.enabled=true', 'auth.mode=token']
    const token = 'serviceMonitor.authorization.credentials.name=metrics'
    expect(template(...monitor).output).toContain('/metrics needs a token')
    expect(template(...monitor, token).output).toContain('would cross nodes in clear')
    const [endpoint] = find(
      objects(...monitor, token, 'tap.tls.cert=/a', 'tap.tls.key=/b'),
      'ServiceMonitor',
      'tapdeck',
    ).spec.endpoints
    expect(endpoint).toMatchObject({ scheme: 'https', authorization: { credentials: { name: 'metrics' } } })
  })

  it('the pod of the hub fits Pod Security "restricted"', () => {
    const { spec } = podOf(objects(), 'hub')
    expect(spec).toMatchObject({
      securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    })
    expect(spec).not.toHaveProperty('hostNetwork')
    for (const container of spec.containers)
      expect(container.securityContext).toMatchObject({
        allowPrivilegeEscalation: false,
        capabilities: { drop: ['ALL'] },
      })
    expect(spec.volumes.flatMap((volume: object) => Object.keys(volume)).includes('hostPath')).toBe(false)
  })

  it('the cleanup job runs after an uninstall, on every node', () => {
    expect(objects().some(({ kind }) => kind === 'Job')).toBe(false)
    const job = find(objects('cleanup.enabled=true', 'cleanup.nodes=3'), 'Job', 'tapdeck-cleanup')
    expect(job.metadata.annotations).toMatchObject({ 'helm.sh/hook': 'post-delete' })
    expect(job.spec).toMatchObject({ completions: 3, parallelism: 3 })
    expect(template('cleanup.enabled=true').output).toContain('set cleanup.nodes')
  })
})

it('the cleanup deletes what a worker stores, and nothing else', () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-cleanup-'))
  try {
    for (const name of dataFolderNames('worker')) mkdirSync(join(folder, name, 'inner'), { recursive: true })
    writeFileSync(join(folder, 'of-another-program'), '')
    const env = { ...process.env, TAPDECK_CLEANUP_FOLDER: folder, TAPDECK_CLEANUP_ROUNDS: '1' }
    const { status } = spawnSync(process.execPath, [path('helm/tapdeck/cleanup.mjs')], { env })
    expect(status).toBe(0)
    expect(readdirSync(folder)).toEqual(['of-another-program'])
  } finally {
    rmSync(folder, { recursive: true })
  }
})

/** As much of an object as the tests look at. */
interface KubernetesObject {
  readonly kind: string
  readonly metadata: { readonly name: string; readonly annotations?: object }
  readonly data?: Readonly<Record<string, string>>
  // biome-ignore lint/suspicious/noExplicitAny: tests look into objects of any shape
  readonly [field: string]: any
}

function objectsOf(output: string): KubernetesObject[] {
  return output
    .split(/^---\n/m)
    .map((text) => readYaml('the chart', text))
    .filter((one) => one !== null) as KubernetesObject[]
}

function configOf(all: readonly KubernetesObject[]) {
  const { data } = all.find(({ kind, metadata }) => kind === 'ConfigMap' && metadata.name === 'tapdeck')!
  return configSchema.parse(readYaml('the chart', data!['values.yaml']!))
}
