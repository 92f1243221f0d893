import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { entriesOf, type Inventory } from '@tapdeck/inventory'
import { PcapngWriter } from '@tapdeck/wire'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import type { CaptureStatus } from '../capture/capture-message.ts'
import { workerReport } from '../worker-report.ts'
import { Live } from './live.ts'
import type { LiveNotification, LiveStart } from './live-message.ts'

let folder: string
let live: Live
let notifications: LiveNotification[]
let damaged = 0
/** Layout of a DuckDB file: three headers, then blocks. */
const HEADERS = 12_288
const BLOCK = 262_144

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  notifications = []
  live = opened({})
})
afterEach(async () => {
  await live.close()
  rmSync(folder, { recursive: true })
})

function opened(targets: { namespaces?: string[] }, more: Partial<LiveStart> = {}): Live {
  const all = { regex: '.*', namespaces: [], excludedNamespaces: [] }
  return new Live(
    {
      node: 'n1',
      folder: join(folder, 'live'),
      maxBytes: 0,
      bodyBytes: 1024,
      targets: { ...all, ...targets },
      ...more,
    },
    (one) => notifications.push(one),
    () => damaged++,
  )
}

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

/** One HTTP exchange as a block of packets; by default the connection stays open. */
function exchange(path: string, clientPort: number, close = false, server = '10.0.0.2'): Uint8Array {
  const isns = { clientIsn: clientPort * 1000, serverIsn: clientPort * 2000 }
  const talk = new Conversation({ clientPort, server, ...isns, start: Date.now() * 1000 }).handshake()
  request(talk, path)
  if (close) talk.close()
  return blocks(talk.packets)
}

/** Goes on with a conversation by one request and its response; returns their packets. */
function request(talk: Conversation, path: string): readonly BuiltPacket[] {
  const before = talk.packets.length
  talk
    .send(0, `GET ${path} HTTP/1.1\r\nHost: cart\r\n\r\n`)
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  return talk.packets.slice(before)
}

function blocks(packets: readonly BuiltPacket[]): Uint8Array {
  const writer = new PcapngWriter()
  for (const { data, time } of packets) writer.packet(0, time, data, 0, data.length, data.length)
  return writer.take()
}

async function paths(kfl = ''): Promise<string[]> {
  const answer = await live.query('calls', { kfl, limit: 100, order: 'oldest', format: 'compact' })
  return JSON.parse(answer).calls.map((call: { path?: string }) => call.path)
}

test('calls are indexed while the switch is on, and visible once it is off', async () => {
  await live.begin(preamble())
  live.push(exchange('/one', 1001))
  live.push(exchange('/two', 1002, true))
  await live.end()
  expect(await paths()).toEqual(['/one', '/two'])
  expect(live.status).toMatchObject({ indexing: false, calls: 2 })
})

test('no packet is dissected while dormant', async () => {
  live.push(exchange('/early', 1001))
  await live.begin(preamble())
  await live.end()
  live.push(exchange('/late', 1002))
  expect(live.status.packets).toBe(0)
  expect(await paths()).toEqual([])
})

test('an unanswered request times out although no packet follows', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'Date'] })
  try {
    await live.begin(preamble())
    const writer = new PcapngWriter()
    const talk = new Conversation({ clientPort: 1001, start: Date.now() * 1000 })
      .handshake()
      .send(0, 'GET /lost HTTP/1.1\r\nHost: cart\r\n\r\n')
    for (const { data, time } of talk.packets) writer.packet(0, time, data, 0, data.length, data.length)
    live.push(writer.take())
    expect(live.status.calls).toBe(0)
    vi.advanceTimersByTime(330_000)
    expect(live.status.calls).toBe(1)
  } finally {
    vi.useRealTimers()
  }
})

test('counters add up over several periods', async () => {
  for (const port of [1001, 1002]) {
    await live.begin(preamble())
    live.push(exchange('/x', port))
    // The same connection behind address translation.
    live.push(exchange('/x', port, false, '10.0.0.3'))
    await live.end()
  }
  const { packets, calls, duplicates } = live.status
  expect(calls).toBe(2)
  expect(duplicates).toBe(2)
  expect(packets).toBeGreaterThan(10)
  expect(await paths()).toHaveLength(2)
})

test('what was captured twice, and what is not decided or named, is in the report of the node', async () => {
  const talk = new Conversation({ firstId: 1, step: 1000 }).handshake()
  request(talk, '/x')
  await live.begin(preamble())
  live.push(blocks(talk.packets.flatMap((packet) => [packet, packet])))
  await live.end()
  const status = { ...live.status, unnamed: 5, lag: 0, waiting: 0 }
  expect(workerReport({ ...captured, duplicates: 3 }, status)).toMatchObject({
    calls: 1,
    duplicates: { packets: 3, calls: 0 },
    duplicate_captures: 3 + talk.packets.length,
    unnamed_calls: 5,
    undecided_ownership: 1,
  })
})

test('a call becomes visible while the switch stays on', async () => {
  await live.begin(preamble())
  live.push(exchange('/soon', 1001))
  await expect.poll(() => paths(), { timeout: 30_000 }).toEqual(['/soon'])
})

const setNames = (inventory: Inventory) =>
  live.applyNames({ reset: true, put: [...entriesOf(inventory)], drop: [] })

test('names come from the current inventory', async () => {
  setNames({
    pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.2'] }],
    services: [{ name: 'cart', namespace: 'shop', endpoints: [{ ip: '10.0.0.2', ports: [80] }] }],
  })
  await live.begin(preamble())
  live.push(exchange('/named', 1001))
  await live.end()
  expect(await paths('dst.pod == "cart-1" and dst.svc == "cart"')).toEqual(['/named'])
})

test('a connection that is older than the names of its ends has them from then on', async () => {
  const talk = new Conversation({ server: '10.0.0.2', start: Date.now() * 1000 }).handshake()
  await live.begin(preamble())
  live.push(blocks(talk.packets))
  live.push(blocks(request(talk, '/before')))
  setNames({ pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.2'] }], services: [] })
  live.push(blocks(request(talk, '/after')))
  await live.end()
  expect(await paths('dst.pod == "cart-1"')).toEqual(['/after'])
  expect(await paths()).toEqual(['/before', '/after'])
})

test('only calls of capture targets are indexed', async () => {
  await live.close()
  live = opened({ namespaces: ['shop'] })
  setNames({ pods: [{ name: 'cart-1', namespace: 'bank', ips: ['10.0.0.2'] }], services: [] })
  await live.begin(preamble())
  live.push(exchange('/other', 1001))
  setNames({ pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.2'] }], services: [] })
  live.push(exchange('/wanted', 1002))
  await live.end()
  expect(await paths()).toEqual(['/wanted'])
})

test('a subscription gets the calls that match its filter', async () => {
  live.subscribe(7, 'path contains "wan"')
  live.subscribe(8, '')
  live.unsubscribe(8)
  await live.begin(preamble())
  live.push(exchange('/wanted', 1001))
  live.push(exchange('/other', 1002))
  await live.end()
  const messages = notifications.map((one) => (one.kind === 'calls' ? JSON.parse(one.text) : one))
  expect(messages).toMatchObject([
    { kind: 'calls', subscription: 7, calls: [{ path: '/wanted' }], skipped: 0 },
  ])
  expect(() => live.subscribe(9, 'nosuch == 1')).toThrow(/nosuch/)
})

test('open flows are listed with their calls', async () => {
  await live.begin(preamble())
  live.push(exchange('/open', 1001))
  await expect.poll(() => paths(), { timeout: 30_000 }).toEqual(['/open'])
  const { flows } = JSON.parse(await live.query('flows', { limit: 10, order: 'bytes' }))
  expect(flows).toHaveLength(1)
  expect(flows[0]).toMatchObject({ proto: 'tcp', server: { ip: '10.0.0.2', port: 80 } })
})

test('redacted values reach neither the index nor a subscription', async () => {
  const rules = { headers: [], query: [], json: [], sqlLiterals: false, detect: [], bodies: false }
  await live.close()
  live = opened({}, { redaction: { ...rules, patterns: ['sk_[a-z]+'] } })
  live.subscribe(1, 'http')
  await live.begin(preamble())
  live.push(exchange('/pay/sk_secret', 51_000, true))
  await live.end()
  expect(await paths()).toEqual(['/pay/*********'])
  const full = await live.query('calls', { kfl: '', limit: 10, order: 'oldest', format: 'raw' })
  expect(full + JSON.stringify(notifications)).not.toContain('sk_secret')
  expect(JSON.stringify(notifications)).toContain('/pay/*********')
})

test('credentials are masked in the index and in subscriptions, with the key of the hub', async () => {
  const rules = {
    headers: [],
    query: [],
    json: [],
    sqlLiterals: false,
    detect: [],
    patterns: [],
    bodies: false,
  }
  await live.close()
  live = opened({}, { redaction: { ...rules, credentials: 'mask' } })
  live.redactor?.setKey(new Uint8Array(32).fill(7))
  live.subscribe(1, 'http')
  await live.begin(preamble())
  live.push(exchange('/pay?api_key=n33dle', 51_000, true))
  await live.end()
  const full = await live.query('calls', { kfl: '', limit: 10, order: 'oldest', format: 'raw' })
  expect(full).toMatch(/api_key=masked-[0-9a-f]{12}/)
  expect(full + JSON.stringify(notifications)).not.toContain('n33dle')
})

test('a call shows whether its packets are kept, the state of its flow, and the DNS name of its server', async () => {
  await live.close()
  live = opened({}, { nodeIp: '10.9.9.9' })
  await live.begin(preamble())
  live.push(exchange('/a', 51_001, true))
  await live.end()
  const count = async (kfl: string) => JSON.parse(await live.query('count', { kfl })).count
  expect(await count('has_pcap')).toBe(0)
  expect(await count('not has_pcap')).toBe(1)
  live.recorded({ since: Date.now() - 60_000, until: 0 }, 0)
  expect(await count('has_pcap and node_ip == "10.9.9.9"')).toBe(1)
  live.recorded({ since: Date.now() + 60_000, until: 0 }, 0)
  expect(await count('has_pcap')).toBe(0)
  live.recorded({ since: null, until: 0 }, 0)
  expect(await count('has_pcap == false')).toBe(1)
  expect(await count('flow_state == "closed" and flow_local_pkts > 2 and "http" in flow_l7_detected')).toBe(1)
})

test('calls and flows name the known processes at both ends', async () => {
  await live.begin(preamble())
  const opened = { ts: Date.now() - 10, kind: 'os', type: 'connection_open', comm: 'curl' } as const
  const { client, server } = { client: '10.0.0.1', server: '10.0.0.2' }
  live.learnOwners([
    { ...opened, local: `${client}:1001`, remote: `${server}:80` },
    { ...opened, type: 'listen_open', comm: 'nginx', local: `0.0.0.0:80`, ips: [server] },
  ])
  live.push(exchange('/one', 1001))
  live.push(exchange('/two', 1002))
  await live.end()
  const ask = (kfl: string) => live.query('calls', { kfl, limit: 9, order: 'oldest', format: 'compact' })
  const [one, two] = JSON.parse(await ask('')).calls
  expect([one.src.process, one.dst.process]).toEqual(['curl', 'nginx'])
  expect([two.src.process, two.dst.process]).toEqual([undefined, 'nginx'])
  expect(await paths('src.process == "curl"')).toEqual(['/one'])
})

test('a file in place of the index folder is moved away with a warning, and indexing begins', async () => {
  writeFileSync(join(folder, 'live'), 'not a folder')
  await live.begin(preamble())
  live.push(exchange('/one', 1001, true))
  await live.end()
  expect(await paths()).toEqual(['/one'])
  expect(notifications).toContainEqual(
    expect.objectContaining({ what: expect.stringContaining('live index is damaged') }),
  )
  expect(readFileSync(join(folder, 'live.damaged'), 'utf8')).toBe('not a folder')
})

test('after any damaged block, a new thread answers again after at most one failure', async () => {
  await live.begin(preamble())
  for (let port = 1001; port < 1401; port++) live.push(exchange(`/${'long'.repeat(100)}/${port}`, port, true))
  await live.end()
  await live.close()
  const database = join(folder, 'live', 'chunk-000001', 'calls.duckdb')
  const whole = readFileSync(database)
  const results: string[] = []
  for (let block = HEADERS; block < whole.length; block += BLOCK) {
    const bytes = Buffer.from(whole)
    bytes.fill(0x5a, block + 64, Math.min(block + 4096, bytes.length))
    cpSync(join(folder, 'live'), join(folder, `live-${block}`), { recursive: true })
    writeFileSync(join(folder, `live-${block}`, 'chunk-000001', 'calls.duckdb'), bytes)
    damaged = 0
    const start = () => opened({}, { folder: join(folder, `live-${block}`) })
    live = start()
    const failure = await paths().then(
      () => undefined,
      (error: unknown) => error,
    )
    await live.close().catch(() => {})
    if (failure) expect(failure).toMatchObject({ status: 503, code: 'index_damaged' })
    expect(damaged).toBe(failure ? 1 : 0)
    live = start()
    await paths()
    await live.close()
    results.push(failure ? 'at a query' : 'at the start or not at all')
  }
  expect(results).toContain('at a query')
  live = opened({})
})

test('times without indexing that cannot be written are in the report of the worker, until they can', async () => {
  const place = join(folder, 'live', 'coverage.json.new')
  mkdirSync(place, { recursive: true })
  await live.begin(preamble())
  live.push(exchange('/one', 1001))
  const reported = () => workerReport(captured, { ...live.status, lag: 0, waiting: 0 }).not_saved
  expect(reported()).toEqual([{ what: 'times without indexing', reason: expect.stringContaining('EISDIR') }])
  rmSync(place, { recursive: true })
  await live.end()
  expect(reported()).toBeUndefined()
})

const captured: CaptureStatus = {
  active: true,
  interfaces: [],
  packets: 0,
  duplicates: 0,
  boundaries: {
    ...{ oldest_ts: null, newest_ts: null, size_bytes: 0, packet_count: 0, dropped_packets: 0 },
    drops: { kernel: 0, queue: 0, disk: 0 },
  },
  recording: { recording: true },
  captured_until: 0,
  coverage: { until: 0, gaps: [] },
  loss: {},
}
