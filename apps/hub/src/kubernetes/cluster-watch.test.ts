import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Inventory } from '@tapdeck/inventory'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { podObject, serviceObject } from '../testing/cluster-objects.ts'
import { ListWatchServer } from '../testing/list-watch-server.ts'
import { until } from '../testing/start-hub.ts'
import { ClusterWatch } from './cluster-watch.ts'

const SERVICES = '/api/v1/services'
const PODS = '/api/v1/pods'

let folder: string
let server: ListWatchServer
let watch: ClusterWatch | undefined
let names: Inventory
let logged: string[]

beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-watch-'))
  server = new ListWatchServer()
  logged = []
  await server.start()
})

afterEach(async () => {
  await watch?.close()
  watch = undefined
  await server.stop()
  await rm(folder, { recursive: true })
})

async function start(refusedRetryMs = 20): Promise<void> {
  const kubeconfig = await server.writeKubeconfig(folder)
  watch = await ClusterWatch.open({
    server: { kubeconfig, context: '' },
    file: join(folder, 'cluster-names.json'),
    log: pino({ level: 'info' }, { write: (line: string) => void logged.push(line) }),
    now: Date.now,
    refusedRetryMs,
    names: (inventory) => {
      names = inventory
    },
    events: () => {},
  })
}

const states = () => [...new Set(watch!.status.map(({ state }) => state))].join()
const stateOf = (kind: string) => watch!.status.find(({ resource }) => resource === kind)?.state
/** By name; `true` for those that are gone. */
const services = () =>
  JSON.stringify(
    Object.fromEntries(
      names.services.map(({ name, until: end }) => [name, end !== undefined] as const).sort(),
    ),
  )
const shows = (expected: Record<string, boolean>) =>
  until(services, (found) => found === JSON.stringify(expected))
const isWatching = () => until(states, (all) => all === 'watching')
const service = (name: string, ip: string) => serviceObject(name, { clusterIPs: [ip] })

test('a server that is away at the start is reported, and all is known once it is there', async () => {
  server.put(SERVICES, service('a', '10.96.0.1'))
  await start()
  await watch!.close()
  await server.stop()
  await start()
  await until(states, (all) => all === 'away')
  expect(logged.filter((line) => line.includes('the API server is not reached')).length).toBe(
    watch!.status.length,
  )
  server.put(SERVICES, service('b', '10.96.0.2'))
  await server.start()
  await isWatching()
  await shows({ a: false, b: false })
})

test('connections that break again and again lose no change, and nothing is listed again', async () => {
  server.put(SERVICES, service('a', '10.96.0.1'))
  await start()
  await isWatching()
  const lists = server.lists.get(SERVICES)
  for (let round = 1; round <= 4; round++) {
    const before = server.watches.get(SERVICES) ?? 0
    server.cut()
    // While no watch is open.
    server.put(SERVICES, service('comes', '10.96.0.2'))
    server.remove(SERVICES, 'svc-comes')
    server.put(SERVICES, { ...service(`b${round}`, `10.96.1.${round}`) })
    await until(
      () => server.watches.get(SERVICES) ?? 0,
      (count) => count > before,
    )
  }
  await until(services, (found) => found.includes('"b4":false'))
  expect(JSON.parse(services())).toEqual({
    a: false,
    b1: false,
    b2: false,
    b3: false,
    b4: false,
    comes: true,
  })
  expect(server.lists.get(SERVICES)).toBe(lists)
})

test('a watch that the server ends at once is not asked for without a pause', async () => {
  await start()
  await isWatching()
  expect(server.watches.get(SERVICES)).toBe(1)
  server.endWatches()
  await until(
    () => server.watches.get(SERVICES) ?? 0,
    (count) => count > 1,
  )
  server.put(SERVICES, service('late', '10.96.0.9'))
  await shows({ late: false })
  expect(server.watches.get(SERVICES)).toBeLessThan(5)
})

test.each([
  ['as a line of the watch', true],
  ['as the status of the answer', false],
])(
  'a version that has expired, %s: all is listed again, and what vanished has its end',
  async (_how, byLine) => {
    server.expiresByLine = byLine
    server.put(SERVICES, service('stays', '10.96.0.1'))
    server.put(SERVICES, service('vanishes', '10.96.0.2'))
    await start()
    await isWatching()
    const lists = server.lists.get(SERVICES) ?? 0
    await server.stop()
    server.remove(SERVICES, 'svc-vanishes')
    server.put(SERVICES, service('new', '10.96.0.3'))
    server.compact()
    await server.start()
    await shows({ new: false, stays: false, vanishes: true })
    expect(server.lists.get(SERVICES)).toBe(lists + 1)
    await isWatching()
  },
)

test('while the server is away names stay as they were, also over a restart of the hub', async () => {
  server.put(SERVICES, service('a', '10.96.0.1'))
  await start()
  await shows({ a: false })
  await server.stop()
  await until(states, (all) => all === 'away')
  expect(services()).toBe('{"a":false}')
  await watch!.close()
  server.remove(SERVICES, 'svc-a')
  await start()
  expect(services()).toBe('{"a":false}')
  await server.start()
  await shows({ a: true })
})

test('a right that is missing for one kind: the others work, it is logged once, and it is watched once granted', async () => {
  server.forbidden.add(PODS)
  server.put(SERVICES, service('a', '10.96.0.1'))
  server.put(PODS, podObject('p', { ip: '10.244.1.9' }))
  await start()
  await until(
    () => stateOf('pods'),
    (state) => state === 'refused',
  )
  await shows({ a: false })
  const others = () =>
    watch!.status.filter(({ resource, state }) => resource !== 'pods' && state !== 'watching')
  await until(others, (all) => all.length === 0)
  expect(names.pods).toEqual([])
  expect(logged.filter((line) => line.includes('refuses to list this kind'))).toHaveLength(1)
  server.forbidden.clear()
  await until(
    () => names.pods.map(({ name }) => name).join(),
    (found) => found === 'pod-p',
  )
  expect(states()).toBe('watching')
})

test('a refusal that passes, as of an API server that has just started, is asked again at once and lists nothing again', async () => {
  server.put(SERVICES, service('a', '10.96.0.1'))
  await start(60_000)
  await isWatching()
  const lists = server.lists.get(SERVICES)
  server.forbidden.add(SERVICES)
  server.cut()
  await until(
    () => stateOf('services'),
    (state) => state === 'refused',
  )
  server.forbidden.clear()
  server.put(SERVICES, service('b', '10.96.0.2'))
  await shows({ a: false, b: false })
  expect(server.lists.get(SERVICES)).toBe(lists)
})

test('a kind whose watch is refused is not reported as watched, and the refusal is logged once', async () => {
  server.unwatchable.add(SERVICES)
  server.put(SERVICES, service('a', '10.96.0.1'))
  await start()
  await until(
    () => server.refusals.get(SERVICES) ?? 0,
    (count) => count > 3,
  )
  expect(stateOf('services')).toBe('refused')
  const ofServices = logged.map((line) => JSON.parse(line)).filter(({ resource }) => resource === 'services')
  expect(ofServices.map(({ detail }) => detail)).toEqual([expect.stringContaining('403')])
  server.unwatchable.clear()
  await isWatching()
  expect(server.lists.get(SERVICES)).toBe(1)
})
