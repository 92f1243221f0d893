import { readYaml } from '@tapdeck/config'
import { expect, test } from 'vitest'
import { recorderContainer } from './recorder-container.ts'
import { sidecarManifest } from './sidecar-manifest.ts'

const common = { image: 'tapdeck:1', pod: 'shop/web-1', keep: '10m' }
const digest = 'ab'.repeat(32)

test('a recorder that joins a hub gets its credential by its standard input, and nothing of it is in the spec', () => {
  const container = recorderContainer('tapdeck-1', common)
  expect(container).toMatchObject({ stdin: true, stdinOnce: true })
  expect(container.args).toEqual(['recorder', '--pod=shop/web-1', '--keep=10m', '--join'])
})

test('a recorder alone knows the digest of its token only, and has no standard input', () => {
  const container = recorderContainer('tapdeck-1', { ...common, tokenDigest: digest })
  expect(container).not.toHaveProperty('stdin')
  expect(container.args).toContain(`--token-digest=${digest}`)
})

test('no container adds or drops a capability, and each runs as root without more rights than its start', () => {
  const { securityContext } = recorderContainer('tapdeck-1', common)
  expect(securityContext).toMatchObject({ runAsUser: 0, allowPrivilegeEscalation: false })
  expect(securityContext).not.toHaveProperty('capabilities')
  expect(securityContext).not.toHaveProperty('privileged')
})

test('key logs are a volume of the pod, mounted for reading', () => {
  const { args, volumeMounts } = recorderContainer('tapdeck-1', {
    ...common,
    keyLogs: { volume: 'keys', path: 'web.log' },
  })
  expect(volumeMounts).toEqual([{ name: 'keys', mountPath: '/key-logs', readOnly: true }])
  expect(args).toContain('tap.tls.capture.keyLogFiles={/key-logs/web.log}')
})

test('the sidecar is a native one, as the same recorder without an end', () => {
  const manifest = readYaml('sidecar', sidecarManifest({ image: 'tapdeck:1', tokenDigest: digest })) as {
    initContainers: readonly Record<string, unknown>[]
    volumes: readonly object[]
  }
  const [sidecar] = manifest.initContainers
  expect(sidecar).toMatchObject({ name: 'tapdeck', image: 'tapdeck:1', restartPolicy: 'Always' })
  expect(sidecar!.args).toContain('--keep=0')
  expect(sidecar!.securityContext).toEqual(recorderContainer('tapdeck-1', common).securityContext)
  expect(manifest.volumes).toHaveLength(1)
})
