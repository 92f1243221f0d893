import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { chartValuesSchema, configSchema, readYaml } from '@tapdeck/config'
import { describe, expect, it } from 'vitest'
import { findHelm } from './find-helm.mjs'
import { renderManifests } from './manifests.mjs'

const path = (name: string) => fileURLToPath(new URL(`../deploy/${name}`, import.meta.url))
const read = (name: string) => readFileSync(path(name), 'utf8')
const { version } = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

it("the schema of the chart's values is made from the configuration tree (npm run docs)", () => {
  expect(read('helm/tapdeck/values.schema.json')).toBe(chartValuesSchema())
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

  it('the worker has SYS_ADMIN only for the loopback of pods and for probes that take TLS keys', () => {
    const capabilities = (...values: string[]) =>
      /drop: \[ALL\], add: (\[.*?\])/.exec(template(...values).output)?.[1]
    expect(capabilities()).not.toContain('SYS_ADMIN')
    const withLoopback = capabilities('tap.capture.podLoopback=true')
    for (const one of ['"NET_RAW"', '"SYS_ADMIN"']) expect(withLoopback).toContain(one)
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
    expect(template().output).not.toMatch(/dissect-job|kind: Role\n/)
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
        'serviceMonitor.token.secret=scraper',
        'persistence.enabled=true',
        'persistence.storageClass=fast',
        'workerData.hostPath=',
      ],
    )
    expect(status, output).toBe(0)
    for (const kind of ['Ingress', 'HTTPRoute', 'ServiceMonitor', 'PodMonitor', 'PersistentVolumeClaim'])
      expect(output).toContain(`\nkind: ${kind}\n`)
    // Only the monitor that has a token shows one.
    expect(output.match(/authorization: .*/g)).toEqual([
      'authorization: { credentials: { name: scraper, key: token } }',
    ])
  })
})
