import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { readClickhouseStorage } from '@tapdeck/index/clickhouse-storage'
import { entriesOf, type Inventory } from '@tapdeck/inventory'
import { type QuestionName, questions } from '@tapdeck/questions'
import { PcapngWriter } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { idleReport } from '../../apps/hub/src/testing/fake-worker.ts'
import { startHub, type TestHub } from '../../apps/hub/src/testing/start-hub.ts'
import { Live } from '../../apps/worker/src/live/live.ts'
import { Connection } from '../../packages/index/src/clickhouse/connection.ts'
import { address, uniqueName } from './address.ts'
import { InsertProxy, type Inserts } from './insert-proxy.ts'

/**
 * A hub with the engine clickhouse beside a hub with the engine duckdb. Both have the same two nodes, which saw the same
 * packets, and both are asked the same over HTTP.
 */
const NODES = ['n1', 'n2'] as const
const START = Date.UTC(2026, 0, 2, 10)
const database = uniqueName()
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-clickhouse-'))
const inventory: Inventory = {
  pods: [
    { name: 'web-1', namespace: 'shop', ips: ['10.0.0.1'], node: 'n1' },
    { name: 'api-1', namespace: 'shop', ips: ['10.0.0.2'], node: 'n2' },
    { name: 'db-1', namespace: 'data', ips: ['10.0.0.3'], node: 'n2' },
  ],
  services: [],
}
const lives: Live[] = []
const joins: (() => Promise<void>)[] = []
let proxy: InsertProxy
let shared: TestHub
let apart: TestHub
let stored: Live

const inserts = (what: Inserts) => {
  proxy.inserts = what
}

const storage = () =>
  readClickhouseStorage({
    ...{ url: proxy.url, database, user: 'default', passwordFile: '', ca: '', timeout: '500s' },
    ...{ batchRows: 1000, queueSize: '1Mi', retention: '24h' },
  })

function open(node: string, inClickhouse: boolean): Live {
  const live = new Live(
    {
      node,
      folder: join(folder, `${node}-${inClickhouse}`),
      ...{ maxBytes: 0, bodyBytes: 1024 },
      targets: { regex: '.*', namespaces: [], excludedNamespaces: [] },
      ...(inClickhouse && { clickhouse: storage() }),
    },
    () => {},
  )
  live.applyNames({ reset: true, put: [...entriesOf(inventory)], drop: [] })
  lives.push(live)
  return live
}

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

function blocks(packets: readonly BuiltPacket[]): Uint8Array {
  const writer = new PcapngWriter()
  for (const { data, time } of packets) writer.packet(0, time, data, 0, data.length, data.length)
  return writer.take()
}

function exchange(at: number, client: string, server: string, path: string, status: number): Uint8Array {
  const talk = new Conversation({
    ...{ client, server, clientPort: 20_000 + at, clientIsn: at * 1000, serverIsn: at * 2000 },
    start: (START + at * 1000) * 1000,
  }).handshake()
  talk.send(0, `GET ${path} HTTP/1.1\r\nHost: api\r\nX-Number: ${at}\r\n\r\n`)
  talk.time += 1000 + (at % 7) * 500
  talk.send(1, `HTTP/1.1 ${status} Reason\r\nContent-Length: 2\r\n\r\nok`).close()
  return blocks(talk.packets)
}

/** Exchanges between two nodes are seen by both; what stays on a node, by it alone. */
function traffic(node: string): readonly Uint8Array[] {
  const isLocal = (at: number) => at % 4 === 3
  const seen = Array.from({ length: 40 }, (_, at) => at).filter((at) => node === 'n2' || !isLocal(at))
  return seen.map((at) => {
    const client = isLocal(at) ? '10.0.0.2' : '10.0.0.1'
    const server = isLocal(at) ? '10.0.0.3' : '10.0.0.2'
    return exchange(at, client, server, `/item/${at % 5}`, at % 10 === 0 ? 500 : 200)
  })
}

async function feed(live: Live, packets: readonly Uint8Array[]): Promise<void> {
  await live.begin(preamble())
  for (const one of packets) live.push(one)
  await live.end()
}

beforeAll(async () => {
  proxy = await InsertProxy.start()
  const engine = ['tap.index.engine=clickhouse', `tap.index.clickhouse.url=${proxy.url}`]
  shared = await startHub({
    set: [...engine, `tap.index.clickhouse.database=${database}`, 'tap.index.clickhouse.timeout=500s'],
  })
  apart = await startHub()
  const report = { ...idleReport, recording: { ...idleReport.recording, oldest_ts: START + 20_000 } }
  for (const node of NODES) {
    const inFiles = open(node, false)
    await feed(inFiles, traffic(node))
    inFiles.recorded({ since: START + 20_000, until: START }, 0)
    const answers = Object.keys(questions).map((name) => [
      name,
      async (input: never) => JSON.parse(await inFiles.query(name as QuestionName, input)),
    ])
    joins.push(async () => {
      if (!isConnected(apart, node)) await apart.worker(node, Object.fromEntries(answers), report)
      // These know nothing: what the hub answers is from ClickHouse.
      if (!isConnected(shared, node)) await shared.worker(node, {}, report)
    })
    stored = open(node, true)
    await feed(stored, traffic(node))
  }
})

afterAll(async () => {
  inserts('pass')
  for (const live of lives) await live.close()
  await shared?.stop()
  await apart?.stop()
  const connection = new Connection(address(), 1e9)
  for (const table of ['live_calls', 'live_flows'])
    await connection.run(`DROP TABLE IF EXISTS \`${database}\`.${table}`)
  await connection.close()
  await proxy?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** A hub gives up a worker that is silent, as one in a very busy process is. */
beforeEach(async () => {
  for (const connect of joins) await connect()
})

function isConnected(hub: TestHub, node: string): boolean {
  return hub.services.workers.connected.some((worker) => worker.node === node)
}

/** Without what names the sources, what says how percentiles of several indexes were put together, and when the hub started. */
function common(json: unknown): unknown {
  const apartFromEngine = new Set(['next_cursor', 'percentiles_are', 'approximate', 'total_is', 'indexing'])
  return JSON.parse(JSON.stringify(json), (key, value) => (apartFromEngine.has(key) ? undefined : value))
}

const window = `start=${START}&end=${START + 3_600_000}`

it.each([
  '/mcp/calls?limit=100&format=full',
  '/mcp/calls?limit=7&order=oldest',
  '/mcp/calls?limit=100&kfl=response.status+%3D%3D+500',
  '/mcp/calls?limit=100&kfl=request.headers%5B%22x-number%22%5D+%3D%3D+%2212%22',
  '/mcp/calls?limit=100&kfl=has_pcap+and+dst.ns+%3D%3D+%22data%22',
  '/mcp/calls?limit=100&kfl=src.pod+%3D%3D+%22nobody%22',
  `/mcp/stats?group_by=service&${window}`,
  `/mcp/stats?group_by=path&${window}`,
  `/mcp/stats?group_by=src_workload,status&kfl=latency+%3E+2ms&${window}`,
  '/mcp/flows?limit=100&format=full',
  '/mcp/flows?aggregate=pod&order=packets',
  '/mcp/flows?aggregate=node',
])('answers as DuckDB does: %s', async (path) => {
  const [one, other] = [await shared.get(path), await apart.get(path)]
  expect(other.status, other.text).toBe(200)
  expect(one.status, one.text).toBe(200)
  expect(common(one.json)).toEqual(common(other.json))
})

it('pages through all calls, each exchange once', async () => {
  const ids: string[] = []
  let cursor: string | null = ''
  while (cursor !== null) {
    const after = cursor === '' ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { json } = await shared.get(`/mcp/calls?limit=17${after}`)
    ids.push(...json.calls.map(({ id }: { id: string }) => id))
    cursor = json.next_cursor
  }
  expect(ids).toHaveLength(40)
  expect(new Set(ids).size).toBe(40)
})

it('finds one call, with the view of the other node', async () => {
  const { json } = await shared.get(
    '/mcp/calls?limit=1&kfl=request.path+%3D%3D+%22%2Fitem%2F0%22&order=oldest',
  )
  const path = `/mcp/calls/${encodeURIComponent(json.calls[0].id)}`
  const [one, other] = [await shared.get(path), await apart.get(path)]
  expect(one.json.both_ends).toMatchObject({ client_node: 'n1', server_node: 'n2' })
  expect(one.json.request).toEqual(other.json.request)
})

it('keeps live calls while ClickHouse is away, and stores each once without further traffic', async () => {
  const count = async () =>
    (await shared.get('/mcp/calls?limit=1&kfl=request.path+%3D%3D+%22%2Flater%22')).json.total
  await stored.begin(preamble())
  inserts('refuse')
  stored.push(exchange(100, '10.0.0.2', '10.0.0.3', '/later', 200))
  await expect.poll(() => stored.status.queue?.failure).toMatch(/ClickHouse at http/)
  expect(stored.status.queue?.bytes).toBeGreaterThan(0)
  inserts('lose-answer')
  await expect.poll(count, { timeout: 300_000 }).toBe(1)
  inserts('pass')
  await expect.poll(() => stored.status.queue, { timeout: 300_000 }).toMatchObject({ bytes: 0 })
  expect(stored.status.queue?.failure).toBeUndefined()
  expect(await count()).toBe(1)
  expect(stored.status.loss).not.toHaveProperty('unwritten_calls')
  await stored.end()
})

it('says that ClickHouse does not answer, and answers again when it does', async () => {
  proxy.isAway = true
  const away = await shared.get('/mcp/calls?limit=1')
  expect(away).toMatchObject({ status: 503, json: { detail: expect.stringContaining('ClickHouse') } })
  proxy.isAway = false
  expect((await shared.get('/mcp/calls?limit=1')).status).toBe(200)
})

it('starts while ClickHouse is away, but not with tables of another version', async () => {
  proxy.isAway = true
  const set = ['tap.index.engine=clickhouse', `tap.index.clickhouse.url=${proxy.url}`]
  const all = [...set, `tap.index.clickhouse.database=${database}`, 'tap.index.clickhouse.timeout=500s']
  const early = await startHub({ set: all })
  await early.stop()
  proxy.isAway = false
  const connection = new Connection({ ...address(), database }, 1e9)
  await connection.run(
    `ALTER TABLE ${connection.table('live_flows')} MODIFY COMMENT 'Tapdeck index, schema 99'`,
  )
  await connection.close()
  await expect(startHub({ set: all })).rejects.toThrow(/schema 99.*Choose another database/s)
})
