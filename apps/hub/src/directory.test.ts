import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { startHub, type TestHub } from './testing/start-hub.ts'

let folder: string
let values: string
let names: string
let hub: TestHub

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-names-'))
  values = join(folder, 'values.yaml')
  names = join(folder, 'names.yaml')
  await writeFile(names, JSON.stringify({ pods: [pod('from-file', '10.0.0.1')], services: [] }))
  await writeFile(values, `tap:\n  inventory: ${names}\n`)
  hub = await start()
})
afterEach(async () => {
  await hub.stop()
  await rm(folder, { recursive: true })
})

const start = () => startHub({ folder, files: [values] })
const pod = (name: string, ip: string) => ({ name, namespace: 'shop', ips: [ip] })
const put = (pods: readonly unknown[], source?: string) =>
  hub.send('PUT', '/api/inventory', { pods, services: [], ...(source && { source }) })

async function known(): Promise<string[]> {
  const { json } = await hub.get('/api/inventory')
  return (json as { pods: { name: string; ips: string[] }[] }).pods.map(({ name, ips }) => `${name} ${ips}`)
}

test('what a caller gave outlives a restart, beside the configured file', async () => {
  expect((await put([pod('given', '10.0.0.2')])).status).toBe(200)
  expect((await put([pod('another', '10.0.0.3')], 'terraform')).status).toBe(200)
  const before = await known()
  expect(before).toEqual(['given 10.0.0.2', 'another 10.0.0.3', 'from-file 10.0.0.1'])
  await hub.stop()
  hub = await start()
  expect(await known()).toEqual(before)
  expect((await stat(join(folder, 'inventory.json'))).mode & 0o777).toBe(0o600)
})

test('what a caller gave outlives a change of the configured file and of the values file', async () => {
  await put([pod('given', '10.0.0.2')])
  await writeFile(names, JSON.stringify({ pods: [pod('changed', '10.0.0.4')], services: [] }))
  await hub.reload()
  expect(await known()).toEqual(['given 10.0.0.2', 'changed 10.0.0.4'])
  await writeFile(values, '')
  await hub.reload()
  expect(await known()).toEqual(['given 10.0.0.2'])
})

test('a caller takes precedence over the file, and empty lists remove what it gave, for good', async () => {
  await put([pod('from-file', '10.0.0.9'), pod('same-address', '10.0.0.1')])
  expect(await known()).toEqual(['from-file 10.0.0.9', 'same-address 10.0.0.1'])
  expect(hub.services.directory.resolver.resolve('10.0.0.1', 80, Date.now()).pod).toBe('same-address')
  await put([])
  await hub.stop()
  hub = await start()
  expect(await known()).toEqual(['from-file 10.0.0.1'])
})

test('a damaged file is set aside with a warning, and the hub starts', async () => {
  await put([pod('given', '10.0.0.2')])
  await hub.stop()
  await writeFile(join(folder, 'inventory.json'), '{"sources":')
  hub = await start()
  expect(await known()).toEqual(['from-file 10.0.0.1'])
  expect(hub.logged.join()).toContain('moved it aside')
  expect(await readFile(join(folder, 'inventory.json.damaged'), 'utf8')).toBe('{"sources":')
})

test('a node has the addresses of the devices that its worker reports, and keeps them while it is away', async () => {
  const node = { name: 'n1', ips: ['192.0.2.1'] }
  hub.services.directory.setCluster({ pods: [], services: [], nodes: [node] })
  const nodeAt = (ip: string) => hub.services.directory.resolver.resolve(ip, 0, Date.now()).node
  const worker = await hub.worker('n1', {}, { addresses: ['10.244.1.0'] })
  await expect.poll(() => nodeAt('10.244.1.0')).toBe('n1')
  worker.sendReport({ addresses: ['10.244.1.0', '10.244.1.1'] })
  await expect.poll(() => nodeAt('10.244.1.1')).toBe('n1')
  worker.close()
  await expect.poll(() => hub.services.workers.connected).toEqual([])
  expect(['10.244.1.0', '10.244.1.1'].map(nodeAt)).toEqual(['n1', 'n1'])
})
