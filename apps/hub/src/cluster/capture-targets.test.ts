import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const filters = ({ asked }: FakeWorker) =>
  asked.flatMap((one) => (one.request === 'capture_filter' ? [one.input.expression] : []))
const targets = ({ asked }: FakeWorker) =>
  asked.flatMap((one) => (one.request === 'targets' ? [one.input] : []))

test('a changed filter reaches connected and later workers, and a wrong one none', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-values-'))
  const file = join(folder, 'values.yaml')
  const write = (expression: string) => writeFile(file, `tap:\n  bpfOverride: "${expression}"\n`)
  await write('')
  hub = await startHub({ files: [file] })
  const first = await hub.worker('n1')
  expect(filters(first)).toEqual([])
  for (const expression of ['tcp port 80', 'tcp prot 81', '']) {
    await write(expression)
    await hub.reload()
  }
  await until(
    () => filters(first),
    (all) => all.length >= 2,
  )
  expect(filters(first)).toEqual(['tcp port 80', ''])
  const second = await hub.worker('n2')
  await until(
    () => filters(second),
    (all) => all.length > 0,
  )
  expect(filters(second)).toEqual([''])
  await rm(folder, { recursive: true })
})

test('targets are previewed, set for all workers at once, and reset', async () => {
  hub = await startHub()
  const pod = (name: string, namespace: string, more = {}) => ({
    name,
    namespace,
    ips: [],
    node: 'n1',
    ...more,
  })
  hub.services.directory.set('test', {
    pods: [
      pod('web-1', 'shop'),
      pod('web-2', 'shop', { until: 1 }),
      pod('web-3', 'bank'),
      pod('db-0', 'shop'),
    ],
    services: [],
  })
  const first = await hub.worker('n1')
  const found = { pods: [{ name: 'web-1', namespace: 'shop', node: 'n1' }], total: 1 }
  const choice = { regex: '^web', namespaces: ['shop'] }
  expect((await hub.send('POST', '/api/targets/preview', choice)).json).toEqual(found)
  expect(targets(first)).toEqual([])
  const { json } = await hub.send('PUT', '/api/targets', { ...choice, bpf: 'tcp port 80' })
  expect(json).toEqual({ ...choice, excluded_namespaces: [], bpf: 'tcp port 80', source: 'caller', ...found })
  expect(targets(first)).toEqual([{ ...choice, excludedNamespaces: [] }])
  expect(filters(first)).toEqual(['tcp port 80'])
  const second = await hub.worker('n2')
  await until(
    () => targets(second),
    (all) => all.length === 1,
  )
  expect((await hub.send('PUT', '/api/targets', { bpf: 'tcp prot 80' })).status).toBe(400)
  expect((await hub.send('PUT', '/api/targets', { regex: '(' })).status).toBe(400)
  expect((await hub.send('DELETE', '/api/targets')).json).toMatchObject({
    regex: '.*',
    source: 'configuration',
    total: 3,
  })
  expect(targets(first).at(-1)).toEqual({ regex: '.*', namespaces: [], excludedNamespaces: [] })
})

test('a choice outlives the hub and reaches workers that return, until the configuration changes', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-targets-'))
  hub = await startHub({ folder })
  const choice = { regex: '^web', namespaces: ['shop'], excluded_namespaces: ['test'], bpf: 'tcp port 80' }
  await hub.send('PUT', '/api/targets', choice)
  expect((await stat(join(folder, 'targets.json'))).mode & 0o777).toBe(0o600)
  await hub.stop()
  hub = await startHub({ folder })
  expect((await hub.get('/api/targets')).json).toMatchObject({ ...choice, source: 'caller' })
  const applied = async () => {
    const worker = await hub.worker('n1')
    await until(
      () => filters(worker),
      (all) => all.length > 0,
    )
    return { filters: filters(worker), targets: targets(worker) }
  }
  const chosen = { regex: '^web', namespaces: ['shop'], excludedNamespaces: ['test'] }
  expect(await applied()).toEqual({ filters: ['tcp port 80'], targets: [chosen] })
  await hub.stop()
  // A worker of the hub before may still have the choice, so it is sent what replaces it.
  const configured = { regex: '^api', namespaces: [], excludedNamespaces: [] }
  hub = await startHub({ folder, set: ['tap.regex=^api'] })
  expect((await hub.get('/api/targets')).json).toMatchObject({ regex: '^api', source: 'configuration' })
  expect(await applied()).toEqual({ filters: [''], targets: [configured] })
  await hub.stop()
  hub = await startHub({ folder })
  expect((await hub.get('/api/targets')).json).toMatchObject({ regex: '.*', source: 'configuration' })
  await hub.stop()
  await rm(folder, { recursive: true })
})

test.each([
  ['no JSON', '{"chosen":'],
  ['no targets', '{"chosen":{"regex":5}}'],
  [
    'a pattern that no caller may choose',
    JSON.stringify({
      chosen: { regex: '(a+)+\\1', namespaces: [], excludedNamespaces: [], bpf: '' },
      configured: { regex: '.*', namespaces: [], excludedNamespaces: [], bpf: '' },
    }),
  ],
])('stored targets that are %s are logged, and the configuration is in force', async (_what, text) => {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-targets-'))
  await writeFile(join(folder, 'targets.json'), text)
  hub = await startHub({ folder })
  expect((await hub.get('/api/targets')).json).toMatchObject({ regex: '.*', source: 'configuration' })
  expect(hub.logged.some((line) => line.includes('cannot read the stored targets'))).toBe(true)
  await hub.stop()
  await rm(folder, { recursive: true })
})

test('a pattern that could take exponential time is refused', async () => {
  hub = await startHub({})
  for (const [method, path] of [
    ['POST', '/api/targets/preview'],
    ['PUT', '/api/targets'],
  ] as const) {
    const response = await hub.fetch(
      new Request(`http://127.0.0.1${path}`, {
        method,
        headers: { host: '127.0.0.1', 'content-type': 'application/json' },
        body: JSON.stringify({ regex: '^(?=a)(a+)+\\1$' }),
      }),
    )
    expect(response.status).toBe(400)
    expect(await response.json()).toMatchObject({ code: 'bad_regex' })
  }
})
