import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { LiveCall } from '@tapdeck/api'
import { entriesOf, type Inventory, type Pod } from '@tapdeck/inventory'
import { type Ownership, reportedCalls } from '@tapdeck/questions'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { afterEach, expect, test } from 'vitest'
import { Live } from './live.ts'
import type { LiveNotification } from './live-message.ts'

/** Jobs with three requests each to a server on the other node. They share sixteen addresses, one after the other. */
const JOBS = 100
const REQUESTS = 3
const ADDRESSES = 16
const NODES = ['n1', 'n2']
const START = Date.now() - 600_000

const nodes = (podCIDRs: boolean): Inventory => ({
  pods: [],
  services: [],
  nodes: NODES.map((name, at) => ({
    name,
    ips: [`192.0.2.${at + 1}`],
    ...(podCIDRs && { podCIDRs: [`10.244.${at + 1}.0/24`] }),
  })),
})
const server: Pod = { name: 'api-0', namespace: 'shop', ips: ['10.244.2.9'], node: 'n2', from: START }
const beginOf = (job: number) => START + job * 2000
const addressOf = (job: number) => `10.244.1.${16 + (job % ADDRESSES)}`

function podOf(job: number): Pod {
  const from = beginOf(job)
  const ips = [addressOf(job)]
  return { name: `job-${job}`, namespace: 'shop', ips, node: 'n1', from, until: from + 1500 }
}

function packetsOf(job: number): Uint8Array {
  return written(
    Array.from({ length: REQUESTS }, (_, request) => connectionOf(job, request, `/${job}/${request}`)),
  )
}

/** A connection of a job; without a path it has no request. */
function connectionOf(job: number, number: number, path?: string): Conversation {
  const talk = new Conversation({
    client: addressOf(job),
    server: '10.244.2.9',
    clientPort: 40_000 + job * REQUESTS + number,
    clientIsn: 1000 * (job * REQUESTS + number),
    start: (beginOf(job) + 100 + number * 100) * 1000,
  }).handshake()
  if (path !== undefined)
    talk
      .send(0, `GET ${path} HTTP/1.1\r\nHost: api\r\n\r\n`)
      .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  return talk.close()
}

function written(talks: readonly Conversation[]): Uint8Array {
  const writer = new PcapngWriter()
  for (const { packets } of talks)
    for (const { data, time } of packets) writer.packet(0, time, data, 0, data.length, data.length)
  return writer.take()
}

interface Watched {
  readonly node: string
  readonly live: Live
  readonly streamed: LiveCall[]
  learn(inventory: Inventory): void
}

const folders: string[] = []
const open: Live[] = []

async function watch(node: string): Promise<Watched> {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-short-'))
  folders.push(folder)
  const streamed: LiveCall[] = []
  const notify = (one: LiveNotification) => {
    if (one.kind === 'calls') streamed.push(...JSON.parse(one.text).calls)
  }
  const targets = { regex: '.*', namespaces: [], excludedNamespaces: [] }
  const live = new Live({ node, folder, maxBytes: 0, bodyBytes: 64, targets }, notify)
  open.push(live)
  live.subscribe(1, '')
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  await live.begin(writer.take())
  const learn = (inventory: Inventory) => live.applyNames({ put: [...entriesOf(inventory)], drop: [] })
  return { node, live, streamed, learn }
}

afterEach(async () => {
  for (const live of open.splice(0)) await live.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true })
})

/** Both nodes see all packets. `delays`: by node, after how many more jobs the name of a job's pod arrives. */
async function run(withBlocks: boolean, delays: readonly ((job: number) => number)[]): Promise<Watched[]> {
  const watched = await Promise.all(NODES.map(watch))
  for (const { learn } of watched) learn({ ...nodes(withBlocks), pods: withBlocks ? [server] : [] })
  for (let step = -1; step < JOBS + 20; step++) {
    if (step >= 0 && step < JOBS) for (const { live } of watched) live.push(packetsOf(step))
    for (const [at, { learn }] of watched.entries()) {
      const pods = Array.from({ length: JOBS }, (_, job) => job).filter(
        (job) => job + delays[at]!(job) === step,
      )
      const late = !withBlocks && step === 10 + at * 20 ? [server] : []
      if (pods.length + late.length > 0) learn({ pods: [...pods.map(podOf), ...late], services: [] })
    }
  }
  for (const { live } of watched) await live.end()
  return watched
}

const ownersOf = (node: string, settled: boolean) => ({ node, nodes: NODES, settled }) satisfies Ownership

async function listed(watched: readonly Watched[], settled: boolean): Promise<LiveCall[]> {
  const pages = watched.map(async ({ node, live }) => {
    const owners = ownersOf(node, settled)
    const query = { kfl: '', limit: 1000, order: 'oldest', format: 'compact', owners } as const
    return JSON.parse(await live.query('calls', query)).calls as LiveCall[]
  })
  return (await Promise.all(pages)).flat()
}

const streamedBy = (watched: readonly Watched[], settled: boolean) =>
  watched.flatMap(({ node, streamed }) => streamed.filter(reportedCalls(ownersOf(node, settled))))

/** How often each request was reported. */
function timesOf(calls: readonly LiveCall[]): number[] {
  const times = new Map<string | undefined, number>()
  for (const { path } of calls) times.set(path, (times.get(path) ?? 0) + 1)
  return Array.from({ length: JOBS * REQUESTS }, (_, at) => {
    const path = `/${Math.floor(at / REQUESTS)}/${at % REQUESTS}`
    return times.get(path) ?? 0
  })
}

const once = Array.from({ length: JOBS * REQUESTS }, () => 1)
const named = ({ path, src, dst }: LiveCall) => `${path} ${src.pod} ${src.node} ${dst.pod} ${dst.node}`

/** The names come before, a little after, and long after the packets, on each node in another order. */
const delays = [(job: number) => [3, -1, 9][job % 3]!, (job: number) => [-1, 12, 0, 5][job % 4]!]

test('each call of short pods is reported once, with names, however late the names come to each node', async () => {
  const watched = await run(true, delays)
  for (const calls of [await listed(watched, true), streamedBy(watched, true)]) {
    expect(timesOf(calls)).toEqual(once)
    const expected = once.map((_, at) => {
      const job = Math.floor(at / REQUESTS)
      return `/${job}/${at % REQUESTS} job-${job} n1 api-0 n2`
    })
    expect(calls.map(named).sort()).toEqual(expected.sort())
  }
  for (const { live } of watched) {
    const { calls, unnamed, undecided } = live.status
    expect({ calls, unnamed, undecided }).toEqual({ calls: 300, unnamed: 0, undecided: 0 })
    const answer = JSON.parse(await live.query('flows', { limit: 1000, order: 'packets' }))
    const unknown = answer.flows.filter(
      ({ client, server: end }: { client: { pod?: string }; server: { pod?: string } }) =>
        client.pod === undefined || end.pod === undefined,
    )
    expect(answer.flows.length).toBeGreaterThan(0)
    expect(unknown).toEqual([])
  }
})

test('a call is indexed as soon as the name of its pod comes, and a connection without calls has that name, too', async () => {
  const { live, learn } = await watch('n1')
  learn({ ...nodes(true), pods: [server] })
  live.push(packetsOf(0))
  live.push(written([connectionOf(1, 0)]))
  expect(live.status.calls).toBe(0)
  learn({ pods: [podOf(0), podOf(1)], services: [] })
  expect(live.status.calls).toBe(REQUESTS)
  await live.end()
  const { flows } = JSON.parse(await live.query('flows', { limit: 10, order: 'packets' }))
  const clients = flows.map(({ client }: { client: { pod?: string } }) => client.pod)
  expect(clients.sort()).toEqual(['job-0', 'job-1'])
})

test('names that never come are given up: each call is reported once, and counted as unnamed', async () => {
  const watched = await run(true, [() => 1000, (job) => (job < 50 ? 2 : 1000)])
  for (const calls of [await listed(watched, true), streamedBy(watched, true)]) {
    expect(timesOf(calls)).toEqual(once)
    for (const { src, dst } of calls) expect([src.pod, src.node, dst.node]).toEqual([undefined, 'n1', 'n2'])
  }
  expect(watched.map(({ live }) => live.status.unnamed)).toEqual([300, 150])
})

test('without blocks of addresses no call is missing, and those that are there twice are counted', async () => {
  const watched = await run(false, delays)
  let undecided = 0
  for (const { node, live } of watched) {
    const question = { kfl: '', owners: ownersOf(node, false), undecided: true as const }
    const answer = JSON.parse(await live.query('count', question))
    expect(answer.undecided).toBe(true)
    undecided += answer.count
  }
  for (const calls of [await listed(watched, false), streamedBy(watched, false)]) {
    const times = timesOf(calls)
    expect(times.filter((count) => count === 0)).toEqual([])
    const twice = times.filter((count) => count > 1).length
    expect(twice).toBeGreaterThan(0)
    expect(undecided).toBeGreaterThanOrEqual(twice)
  }
  expect(watched.map(({ live }) => live.status.undecided > 0)).toEqual([true, true])
})
