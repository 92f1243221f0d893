import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import type { FullCall } from '@tapdeck/dissect'
import { recordTls } from '@tapdeck/tls/testing'
import { PcapngWriter, TLS_KEY_LOG } from '@tapdeck/wire'
import { Conversation } from '@tapdeck/wire/testing'
import { afterAll, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { pcapFile } from '../testing/pcap-file.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-dissect-'))
afterAll(() => rmSync(folder, { recursive: true }))

const begin = 1_700_000_000_000_000

interface Visit {
  path: string
  status?: number
  start?: number
  port?: number
  server?: string
  answerAfter?: number
}

/** One request and its answer on a connection of its own; the handshake takes 200 µs. */
function visit({
  path,
  status = 200,
  start = begin,
  port = 40_000,
  server = '10.0.0.2',
  answerAfter = 0,
}: Visit) {
  return new Conversation({ start, clientPort: port, server })
    .handshake()
    .send(0, `GET ${path} HTTP/1.1\r\nHost: shop\r\n\r\n`)
    .wait(answerAfter)
    .send(1, `HTTP/1.1 ${status} Fine\r\nContent-Length: 2\r\n\r\nok`)
    .close().packets
}

function file(name: string, ...visits: Visit[]): string {
  const packets = visits.flatMap(visit).sort((a, b) => a.time - b.time)
  const path = join(folder, name)
  writeFileSync(path, name.endsWith('.gz') ? gzipSync(pcapFile(packets)) : pcapFile(packets))
  return path
}

async function dissect(...args: string[]) {
  const terminal = recordingTerminal({ width: 100 })
  const status = await runCommand(commands, ['dissect', ...args], terminal, {})
  const lines = terminal.outText.split('\n').filter(Boolean)
  return {
    status,
    lines,
    notes: terminal.notes,
    calls: () => lines.map((line) => JSON.parse(line) as FullCall),
  }
}

test('prints one call a line in full, ordered by the time of the request', async () => {
  const capture = file(
    'order.pcap',
    { path: '/slow', port: 40_001, answerAfter: 5_000_000 },
    { path: '/quick', port: 40_002, start: begin + 1_000_000 },
  )
  const { status, calls } = await dissect(capture)
  expect(status).toBe(0)
  expect(calls().map(({ path }) => path)).toEqual(['/slow', '/quick'])
  expect(calls()[1]).toMatchObject({
    ts: begin / 1000 + 1000.3,
    src: { ip: '10.0.0.1', port: 40_002 },
    dst: { ip: '10.0.0.2', port: 80 },
    proto: 'http',
    method: 'GET',
    status: 200,
    request: { path: '/quick', headers: { host: 'shop' } },
    response: { status: 200, body: 'ok' },
    capture_source: 'file',
    tcp: { handshake_us: 200, fins: 2 },
    tcp_handshake_p50_us: 200,
    tcp_handshake_p99_us: 200,
  })
})

test('gzip is read as it is', async () => {
  expect((await dissect(file('packed.pcap.gz', { path: '/a' }))).calls()).toHaveLength(1)
})

test('an inventory names both ends, and a filter may use the names', async () => {
  const inventory = join(folder, 'inventory.yaml')
  writeFileSync(
    inventory,
    `
pods:
  - { name: web-0, namespace: shop, ips: [10.0.0.1] }
  - { name: cart-0, namespace: shop, ips: [10.0.0.2] }
services:
  - { name: cart, namespace: shop, endpoints: [{ ip: 10.0.0.2, ports: [80] }] }
`,
  )
  const capture = file('named.pcap', { path: '/a', status: 500 }, { path: '/b', port: 40_001 })
  const { calls } = await dissect(
    capture,
    '--inventory',
    inventory,
    '--kfl',
    'src.pod == "web-0" and dst.svc == "cart" and response.status == 500',
  )
  expect(calls()).toMatchObject([
    {
      path: '/a',
      src: { pod: 'web-0', ns: 'shop' },
      dst: { pod: 'cart-0', svc: 'cart' },
      error: expect.any(String),
    },
  ])
})

test('a filter may ask for what is known only at the end', async () => {
  const capture = file('late.pcap', { path: '/a' }, { path: '/b', port: 40_001, server: '10.0.0.3' })
  const asked = async (kfl: string) => (await dissect(capture, '--kfl', kfl)).lines.length
  expect(await asked('tcp_handshake_p50_us == 200')).toBe(2)
  expect(await asked('tcp_handshake_p50_us > 200')).toBe(0)
})

test('a summary counts', async () => {
  const capture = file('sum.pcap', { path: '/a' }, { path: '/b', port: 40_001 })
  const { lines } = await dissect(capture, '--format', 'summary')
  expect(JSON.parse(lines[0]!)).toEqual({
    packets: 20,
    bytes: expect.any(Number),
    flows: 2,
    calls: 2,
    by_protocol: { http: 2 },
    loss: {},
    elapsed_ms: expect.any(Number),
    mb_per_s: expect.any(Number),
  })
})

test('a table is for people', async () => {
  const { lines } = await dissect(file('table.pcap', { path: '/a' }), '--format', 'table', '--utc')
  expect(lines[0]).toMatch(/^2023-11-14 UTC +SOURCE +DESTINATION +PROTO/)
  expect(lines[1]).toMatch(/^22:13:20\.000 +10\.0\.0\.1 +10\.0\.0\.2:80 +http +GET +\/a +200/)
})

test('the pieces of a rotated capture are read as one', async () => {
  const packets = visit({ path: '/split' })
  const pieces = [packets.slice(0, 5), packets.slice(5)].map((piece, at) => {
    const path = join(folder, `piece${at}.pcap`)
    writeFileSync(path, pcapFile(piece))
    return path
  })
  expect((await dissect(...pieces)).calls()).toMatchObject([{ path: '/split', status: 200 }])
})

test('files of other times share no connections, even with the same addresses', async () => {
  const later = file('later.pcap', { path: '/later', start: begin + 3_600_000_000 })
  const earlier = file('earlier.pcap', { path: '/earlier' })
  expect((await dissect(later, earlier)).calls().map(({ path, status }) => [path, status])).toEqual([
    ['/earlier', 200],
    ['/later', 200],
  ])
})

test('a capture that ends in the middle is read as far as it goes, and the loss is reported', async () => {
  const path = join(folder, 'cut.pcap')
  const whole = pcapFile(visit({ path: '/a' }))
  writeFileSync(path, whole.subarray(0, whole.length - 30))
  const { status, lines } = await dissect(path, '--format', 'summary')
  expect(status).toBe(0)
  expect(JSON.parse(lines[0]!)).toMatchObject({ calls: 1, loss: { truncated_file: expect.any(Number) } })
})

test('what is no capture is named, with status 3; other files are read all the same', async () => {
  const notCapture = join(folder, 'readme.txt')
  writeFileSync(notCapture, 'this is not a capture at all')
  const empty = join(folder, 'empty.pcap')
  writeFileSync(empty, '')
  const { status, lines, notes } = await dissect(notCapture, file('good.pcap', { path: '/a' }), empty)
  expect(status).toBe(3)
  expect(lines).toHaveLength(1)
  expect(notes).toEqual([expect.stringContaining(notCapture), expect.stringContaining(empty)])
})

test.each([
  [['/nowhere/at-all.pcap'], '/nowhere/at-all.pcap does not exist'],
  [[tmpdir()], 'is no file'],
  [['x.pcap', '--kfl', 'respons.status == 1'], 'did you mean response.status?'],
  [['x.pcap', '--inventory', '/nowhere.yaml'], '/nowhere.yaml does not exist'],
  [[], 'expected FILE…'],
])('%j is a usage error', async (args, message) => {
  const { status, notes } = await dissect(...args)
  expect(status).toBe(2)
  expect(notes.join('\n')).toContain(message)
})

test('what was lost, and that a filter matched nothing, is said on standard error', async () => {
  const path = join(folder, 'gap.pcap')
  const packets = visit({ path: '/a' })
  // The segment with the answer is missing.
  writeFileSync(path, pcapFile(packets.filter((_, at) => at !== 5)))
  for (const format of ['table', 'ndjson'])
    expect((await dissect(path, '--format', format)).notes.join()).toMatch(/Lost or damaged: .*gaps 1/)
  const good = file('quiet.pcap', { path: '/a' })
  expect((await dissect(good)).notes).toEqual([])
  const { status, notes } = await dissect(good, '--kfl', 'dns')
  expect([status, notes]).toEqual([0, ['No call matches the filter. Flows read: 1.']])
  expect((await dissect(good, '--kfl', 'tcp_handshake_p50_us > 200')).notes).toHaveLength(1)
})

test('names that our own pcapng carries are used where no inventory is given', async () => {
  const writer = new PcapngWriter()
  const capture = (name: string, application: string) => {
    writer.section(application)
    writer.names(
      new Map([
        ['10.0.0.1', ['web.0.shop']],
        ['10.0.0.2', ['cart.shop', 'cart.shop.svc']],
      ]),
    )
    const id = writer.interface({ link: 1, snaplen: 262_144, name: 'eth0' })
    for (const { data, time, length } of visit({ path: '/a' }))
      writer.packet(id, time, data, 0, data.length, length ?? data.length)
    const path = join(folder, name)
    writeFileSync(path, writer.take())
    return path
  }
  const ours = capture('ours.pcapng', 'tapdeck')
  // The download of one whole node keeps the section header of its ring segment.
  for (const path of [ours, capture('node.pcapng', 'tapdeck 0.1.0 (node n1)')])
    expect((await dissect(path)).calls()).toMatchObject([
      { src: { pod: 'web.0', ns: 'shop' }, dst: { svc: 'cart', ns: 'shop' } },
    ])
  expect((await dissect(ours, '--kfl', 'dst.svc == "cart"')).lines).toHaveLength(1)
  const inventory = join(folder, 'none.yaml')
  writeFileSync(inventory, 'pods: []\nservices: []\n')
  expect((await dissect(ours, '--inventory', inventory)).calls()[0]!.src.pod).toBeUndefined()
  expect((await dissect(capture('others.pcapng', 'dumpcap'))).calls()[0]!.src.pod).toBeUndefined()
})

test('a key log opens the connections of a capture, and so do the secrets that a pcapng carries', async () => {
  const { bytes, keyLog } = await recordTls({
    serve: (socket) =>
      void socket.once('data', () => socket.write('HTTP/1.1 204 Fine\r\nContent-Length: 0\r\n\r\n')),
    async ask(socket) {
      socket.write('GET /hidden HTTP/1.1\r\nHost: shop\r\n\r\n')
      await once(socket, 'data')
    },
  })
  const connection = new Conversation({ serverPort: 443 }).handshake()
  for (const part of bytes) connection.send(part.side, part.bytes)
  const { packets } = connection.close()
  const [pcap, keys, pcapng] = ['tls.pcap', 'keys.log', 'keys.pcapng'].map((name) => join(folder, name))
  if (pcap === undefined || keys === undefined || pcapng === undefined) throw new Error('no names')
  writeFileSync(pcap, pcapFile(packets))
  writeFileSync(keys, `${keyLog}damaged line\n`)
  const writer = new PcapngWriter()
  writer.section('other')
  const id = writer.interface({ link: 1 })
  writer.secrets(TLS_KEY_LOG, Buffer.from(keyLog))
  for (const { data, time } of packets) writer.packet(id, time, data, 0, data.length, data.length)
  writeFileSync(pcapng, writer.take())
  expect((await dissect(pcap)).calls().map(({ proto }) => proto)).toEqual(['tls'])
  const opened = await dissect(pcap, '--keys', keys)
  expect(opened.calls().map(({ proto, path, status }) => [proto, path, status])).toEqual([
    ['tls', undefined, undefined],
    ['http', '/hidden', 204],
  ])
  expect(opened.notes).toContain(`${keys}: 1 damaged lines were skipped.`)
  expect((await dissect(pcapng)).calls().map(({ proto }) => proto)).toEqual(['tls', 'http'])
})

test('a file without TLS secrets is refused as a key log', async () => {
  const path = file('plain.pcap', { path: '/' })
  expect((await dissect(path, '--keys', path)).notes[0]).toContain('has no TLS secrets')
})

test('credentials are masked, in filters too, unless they are to be kept', async () => {
  const secret = 'n33dle-s3cret'
  const masked = /masked-[0-9a-f]{12}/g
  const path = file(
    'credentials.pcap',
    { path: `/a?key=${secret}` },
    { path: `/b?key=${secret}`, port: 40_001, start: begin + 1_000_000 },
  )
  const { lines } = await dissect(path)
  expect(lines).toHaveLength(2)
  expect(lines.join()).not.toContain(secret)
  expect(new Set(lines.join().match(masked)).size).toBe(1)
  expect((await dissect(path, '--kfl', `url contains "${secret}"`)).lines).toEqual([])
  const kept = await dissect(path, '--credentials', 'keep', '--kfl', `url contains "${secret}"`)
  expect(kept.lines).toHaveLength(2)
})
