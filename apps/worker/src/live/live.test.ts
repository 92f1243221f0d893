import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PcapngWriter } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { Live } from './live.ts'
import type { LiveNews, LiveStart } from './live-message.ts'

let folder: string
let live: Live
let news: LiveNews[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  news = []
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
    (one) => news.push(one),
  )
}

function preamble(): Uint8Array {
  const writer = new PcapngWriter()
  writer.section('test')
  writer.interface({ link: 1, name: 'eth0' })
  return writer.take()
}

/** One HTTP exchange as a block of packets; the connection stays open unless told. */
function exchange(path: string, clientPort: number, close = false): Uint8Array {
  const talk = new Conversation({ clientPort, start: Date.now() * 1000 })
    .handshake()
    .send(0, `GET ${path} HTTP/1.1\r\nHost: cart\r\n\r\n`)
    .send(1, 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok')
  if (close) talk.close()
  const writer = new PcapngWriter()
  for (const { data, time } of talk.packets) writer.packet(0, time, data, 0, data.length, data.length)
  return writer.take()
}

async function paths(kfl = ''): Promise<string[]> {
  const answer = await live.query('calls', { kfl, limit: 100, order: 'oldest', format: 'compact' })
  return JSON.parse(answer).calls.map((call: { path?: string }) => call.path)
}

test('calls are indexed while the switch is on, and visible at its off', async () => {
  await live.begin(preamble())
  live.push(exchange('/one', 1001))
  live.push(exchange('/two', 1002, true))
  await live.end()
  expect(await paths()).toEqual(['/one', '/two'])
  expect(live.status).toMatchObject({ indexing: false, calls: 2 })
})

test('dormant means that no packet is dissected', async () => {
  live.push(exchange('/early', 1001))
  await live.begin(preamble())
  await live.end()
  live.push(exchange('/late', 1002))
  expect(live.status.packets).toBe(0)
  expect(await paths()).toEqual([])
})

test('on a quiet network a request that nobody answers is told all the same', async () => {
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

test('counts go on over several periods', async () => {
  for (const port of [1001, 1002]) {
    await live.begin(preamble())
    live.push(exchange('/x', port))
    await live.end()
  }
  const { packets, calls } = live.status
  expect(calls).toBe(2)
  expect(packets).toBeGreaterThan(10)
  expect(await paths()).toHaveLength(2)
})

test('a call is visible soon, without anybody turning the switch', async () => {
  await live.begin(preamble())
  live.push(exchange('/soon', 1001))
  await expect.poll(() => paths(), { timeout: 30_000 }).toEqual(['/soon'])
})

test('names come from the inventory in force', async () => {
  live.setInventory({
    pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.2'] }],
    services: [{ name: 'cart', namespace: 'shop', endpoints: [{ ip: '10.0.0.2', ports: [80] }] }],
  })
  await live.begin(preamble())
  live.push(exchange('/named', 1001))
  await live.end()
  expect(await paths('dst.pod == "cart-1" and dst.svc == "cart"')).toEqual(['/named'])
  expect(() => live.setInventory({ pods: 5 })).toThrow()
})

test('capture filters keep what they name', async () => {
  await live.close()
  live = opened({ namespaces: ['shop'] })
  live.setInventory({ pods: [{ name: 'cart-1', namespace: 'bank', ips: ['10.0.0.2'] }], services: [] })
  await live.begin(preamble())
  live.push(exchange('/other', 1001))
  live.setInventory({ pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.2'] }], services: [] })
  live.push(exchange('/wanted', 1002))
  await live.end()
  expect(await paths()).toEqual(['/wanted'])
})

test('subscribers get what matches their filter, others nothing', async () => {
  live.subscribe(7, 'path contains "wan"')
  live.subscribe(8, '')
  live.unsubscribe(8)
  await live.begin(preamble())
  live.push(exchange('/wanted', 1001))
  live.push(exchange('/other', 1002))
  await live.end()
  const told = news.map((one) => (one.news === 'calls' ? JSON.parse(one.text) : one))
  expect(told).toMatchObject([{ kind: 'calls', subscription: 7, calls: [{ path: '/wanted' }], skipped: 0 }])
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

test('what is no question is refused', async () => {
  await expect(live.query('constructor', {})).rejects.toThrow(/no question/)
})

test('what is to be redacted reaches neither the index nor a viewer', async () => {
  const rules = { headers: [], query: [], json: [], sqlLiterals: false, detect: [], bodies: false }
  await live.close()
  live = opened({}, { redaction: { ...rules, patterns: ['sk_[a-z]+'] } })
  live.subscribe(1, 'http')
  await live.begin(preamble())
  live.push(exchange('/pay/sk_secret', 51_000, true))
  await live.end()
  expect(await paths()).toEqual(['/pay/*********'])
  const full = await live.query('calls', { kfl: '', limit: 10, order: 'oldest', format: 'raw' })
  expect(full + JSON.stringify(news)).not.toContain('sk_secret')
  expect(JSON.stringify(news)).toContain('/pay/*********')
})

test('a call knows whether its packets are kept, what became of its flow, and the name that was asked for', async () => {
  await live.close()
  live = opened({}, { nodeIp: '10.9.9.9' })
  await live.begin(preamble())
  live.push(exchange('/a', 51_001, true))
  await live.end()
  const count = async (kfl: string) => JSON.parse(await live.query('count', { kfl })).count
  expect(await count('has_pcap')).toBe(0)
  expect(await count('not has_pcap')).toBe(1)
  live.recorded(Date.now() - 60_000)
  expect(await count('has_pcap and node_ip == "10.9.9.9"')).toBe(1)
  live.recorded(Date.now() + 60_000)
  expect(await count('has_pcap')).toBe(0)
  live.recorded(null)
  expect(await count('has_pcap == false')).toBe(1)
  expect(await count('flow_state == "closed" and flow_local_pkts > 2 and "http" in flow_l7_detected')).toBe(1)
})

test('calls and flows name the processes at both ends, as far as they are known', async () => {
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
