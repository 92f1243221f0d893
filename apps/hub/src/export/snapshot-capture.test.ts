import { execFileSync } from 'node:child_process'
import { chmod, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { CaptureNotes, CaptureReader, PcapngWriter } from '@tapdeck/wire'
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import { giveToken } from '../testing/give-token.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let thread: URL
let hub: TestHub
beforeAll(async () => {
  thread = await bundleThread()
})
afterAll(() => rm(thread))
afterEach(() => hub?.stop())

const inventory = {
  pods: [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.1'] }],
  services: [{ name: 'orders', namespace: 'shop', ips: ['10.0.0.2'] }],
}
const PCAP = '/mcp/snapshots/s/pcap'
/** The same for roles that may not use MCP. */
const EXPORT = '/api/snapshots/s/pcap'

interface Seen {
  readonly time: number
  readonly ports: readonly [number, number]
}

async function read(query: Record<string, string | number> = {}) {
  const text = new URLSearchParams(Object.entries(query).map(([key, value]) => [key, String(value)]))
  const response = await hub.fetch(new Request(`http://127.0.0.1${PCAP}?${text}`))
  expect(response.status).toBe(200)
  const bytes = new Uint8Array(await response.arrayBuffer())
  const packets: Seen[] = []
  const notes = new CaptureNotes()
  const reader = new CaptureReader(
    {
      packet(data, start, _end, _length, time) {
        const at = start + 34
        packets.push({ time, ports: [(data[at] << 8) | data[at + 1], (data[at + 2] << 8) | data[at + 3]] })
      },
    },
    {},
    notes,
  )
  reader.push(bytes)
  reader.end()
  return { packets, notes, bytes, headers: response.headers }
}

async function dissected(name = 'd'): Promise<void> {
  await hub.send('POST', '/delayed_dissection.DelayedDissection/Start', {
    snapshot_name: 's',
    dissection_name: name,
  })
  await until(
    () => hub.get(`/mcp/dissections/s/${name}`),
    ({ json }) => json.status === 'completed',
  )
}

it('a BPF expression chooses packets, and the error of a wrong one has its position', async () => {
  hub = await startHub()
  const packets = httpPackets({ requests: 30 })
  await hub.send('POST', '/api/snapshots/s/import', captureFile(packets))
  expect((await read({ bpf_filter: 'tcp port 80' })).packets).toHaveLength(packets.length)
  expect((await read({ bpf_filter: 'udp' })).packets).toEqual([])
  const half = await read({ bpf_filter: 'tcp src port 20010 or 20020' })
  expect(half.packets.length).toBeGreaterThan(10)
  expect(half.packets.every(({ ports: [from] }) => from === 20_010 || from === 20_020)).toBe(true)
  const syn = await read({ bpf_filter: 'tcp[tcpflags] & (tcp-syn|tcp-ack) = tcp-syn', format: 'pcap' })
  expect(syn.packets).toHaveLength(3)
  expect((await hub.get(`${PCAP}?bpf_filter=${encodeURIComponent('port 80 and tpc')}`)).json).toMatchObject({
    status: 400,
    code: 'bad_filter',
    position: 12,
    length: 3,
    suggestion: 'tcp',
  })
  expect((await hub.get(`${PCAP}?start_time=2000&end_time=1000`)).json).toMatchObject({ status: 400 })
})

it('a KFL filter chooses the connections of matching calls, and an id that of one', async () => {
  hub = await startHub({ thread })
  const early = httpPackets({ requests: 20 })
  const late = httpPackets({ requests: 20, start: 1_700_000_900_000, mark: 'late' })
  await hub.send('POST', '/api/snapshots/s/import', captureFile([...early, ...late]))
  expect((await hub.get(`${PCAP}?kfl=http`)).json).toMatchObject({ status: 409, code: 'no_dissection' })
  await dissected()
  const one = await read({ kfl: 'request.path contains "/late/orders/1"' })
  // Calls 1 and 10 to 19: both connections, of the late ones only.
  expect(one.packets.map(({ time }) => time)).toEqual(late.map(({ time }) => time))
  const fifth = await read({ kfl: 'request.path == "/late/orders/15"', dissection: 'd' })
  expect(fifth.packets.every(({ ports }) => ports.includes(20_010))).toBe(true)
  expect(fifth.packets.length).toBeGreaterThan(5)
  expect((await read({ kfl: 'response.status == 404' })).packets).toEqual([])
  const { json } = await hub.get('/mcp/calls?db=s/d&limit=1&kfl=request.path%3D%3D%22%2Fshop%2Forders%2F3%22')
  const whole = await read({ call: json.calls[0].id })
  expect(whole.packets.length).toBeGreaterThan(fifth.packets.length)
  expect(whole.packets.every(({ ports }) => ports.includes(20_000))).toBe(true)
  expect(whole.headers.get('content-disposition')).toMatch(/filename="s-call-[\w.-]+\.pcapng"$/)
  for (const [query, status] of [
    ['kfl=nonsense.field==1', 400],
    ['kfl=http&dissection=other', 404],
    ['call=import/999/9', 404],
    ['call=import/1/1&kfl=http', 400],
  ] as const)
    expect((await hub.get(`${PCAP}?${query}`)).status).toBe(status)
})

it('the capture has names, and the first packet of each conversation says who talks to whom', async () => {
  hub = await startHub()
  hub.services.directory.set('test', inventory)
  await hub.send('POST', '/api/snapshots/s/import', captureFile(httpPackets({ requests: 30 })))
  const { notes } = await read()
  expect([...notes.names]).toEqual([
    ['10.0.0.1', ['cart-1.shop']],
    ['10.0.0.2', ['orders.shop.svc', 'orders.shop']],
  ])
  expect(notes.comments.map(({ text }) => text)).toEqual([
    'cart-1.shop:20000 → orders.shop:80',
    'cart-1.shop:20010 → orders.shop:80',
    'cart-1.shop:20020 → orders.shop:80',
  ])
  expect(notes.comments[0]!.packet).toBe(1)
})

it('keys that an imported capture carries are kept', async () => {
  hub = await startHub()
  const writer = new PcapngWriter()
  writer.section()
  writer.secrets(0x544c534b, new TextEncoder().encode('CLIENT_RANDOM 00 11\n'))
  const file = Buffer.concat([writer.take(), captureFile(httpPackets({ requests: 5 }))])
  await hub.send('POST', '/api/snapshots/s/import?node=a&more=true', file)
  await hub.send(
    'POST',
    '/api/snapshots/s/import?node=b&append=true',
    captureFile(httpPackets({ requests: 5 })),
  )
  expect((await read({ bpf_filter: 'tcp' })).notes.secrets).toHaveLength(1)
  expect((await read({ bpf_filter: 'tcp', nodes: 'a' })).notes.secrets).toHaveLength(1)
})

it('without tls:read there are no keys in a download, whatever it chooses, and none can be asked for', async () => {
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.reader.capabilities={snapshot:read,snapshot:write,tls:read}',
      'tap.auth.roles.outsider.capabilities={snapshot:read,snapshot:write}',
    ],
  })
  const reader = giveToken(hub.folder, 'reader').headers
  const outsider = giveToken(hub.folder, 'outsider').headers
  const writer = new PcapngWriter()
  writer.section()
  writer.secrets(0x544c534b, new TextEncoder().encode('CLIENT_RANDOM 00 11\n'))
  const file = Buffer.concat([writer.take(), captureFile(httpPackets({ requests: 5 }))])
  await hub.send('POST', '/api/snapshots/s/import?node=a&more=true', file, reader)
  const other = captureFile(httpPackets({ requests: 5 }))
  await hub.send('POST', '/api/snapshots/s/import?node=b&append=true', other, reader)
  for (const query of ['', '?nodes=a', '?nodes=a&bpf_filter=tcp', '?bpf_filter=tcp']) {
    const seen = await hub.get(`${EXPORT}${query}`, reader)
    const hidden = await hub.get(`${EXPORT}${query}`, outsider)
    expect([seen.status, hidden.status]).toEqual([200, 200])
    expect(seen.text).toContain('CLIENT_RANDOM')
    expect(hidden.text).not.toContain('CLIENT_RANDOM')
    expect(hidden.headers.get('etag')).not.toBe(seen.headers.get('etag'))
  }
  expect((await hub.get(`${EXPORT}?tls_keys=true`, outsider)).status).toBe(403)
  expect((await hub.get(`${EXPORT}?tls_keys=true&format=pcap`, reader)).status).toBe(400)
  expect((await hub.get(`${EXPORT}?tls_keys=true`, reader)).text).toContain('CLIENT_RANDOM')
})

/** What was recorded lies as the ring wrote it, and goes out block by block. */
async function recorded(files: readonly Uint8Array[]): Promise<void> {
  const taken = files.map((bytes, at) => ({
    node: `n${at}`,
    packet_count: 1,
    dropped_packets: 0,
    bytes: (async function* () {
      yield bytes
    })(),
  }))
  await hub.services.snapshots.keep('s', { start: 0, end: 1, partial: false }, taken)
}

it('gives the same packets, names and comments of what was recorded as of what was imported', async () => {
  hub = await startHub()
  hub.services.directory.set('test', inventory)
  const bytes = captureFile(httpPackets({ requests: 30 }))
  await hub.send('POST', '/api/snapshots/s/import', bytes)
  const requests = [{}, { bpf_filter: 'tcp src port 20010' }, { start_time: 1_700_000_000_004 }]
  const imported = await Promise.all(requests.map(read))
  await hub.send('DELETE', '/api/snapshots/s')
  await recorded([bytes])
  for (const [at, request] of requests.entries()) {
    const { packets, notes } = await read(request)
    expect(packets).toEqual(imported[at]!.packets)
    expect(notes.comments).toEqual(imported[at]!.notes.comments)
    expect([...notes.names]).toEqual([...imported[at]!.notes.names])
  }
})

it('reports what cannot be read of a snapshot, in the capture if possible, and returns the rest', async () => {
  hub = await startHub()
  hub.services.directory.set('test', inventory)
  const packets = httpPackets({ requests: 300 })
  const bytes = captureFile(packets)
  await recorded([bytes, bytes])
  const [{ paths }] = hub.services.snapshots.captures('s')
  await chmod(paths[0]!, 0o644)
  await writeFile(paths[0]!, Buffer.from(bytes).fill(0xff, 5000, 6000))
  for (const query of [{ nodes: 'n0' }, {}]) {
    const { packets: got, bytes: all } = await read(query)
    const whole = packets.length * (query.nodes ? 1 : 2)
    expect(got.length).toBeLessThan(whole)
    expect(got.length).toBeGreaterThan(whole - 15)
    expect(Buffer.from(all).includes('tapdeck: incomplete: ')).toBe(true)
  }
  // Twice for the packets; the second request reads the files whole, and finds that a checksum differs too.
  const warnings = hub.logged.filter((line) => line.includes('a snapshot is damaged'))
  expect(warnings.filter((line) => line.includes('checksum'))).toHaveLength(1)
  expect(warnings).toHaveLength(3)
  const response = await hub.fetch(new Request(`http://127.0.0.1${PCAP}?format=pcap`))
  await expect(response.arrayBuffer()).rejects.toThrow(/incomplete/)
  await rm(paths[0]!)
  expect((await read({})).packets).toHaveLength(packets.length)
})

const missing = noTshark()
it.skipIf(missing)(`tshark shows the names${missing ? ` (skipped: ${missing})` : ''}`, async () => {
  hub = await startHub()
  hub.services.directory.set('test', inventory)
  await hub.send('POST', '/api/snapshots/s/import', captureFile(httpPackets({ requests: 3 })))
  const path = join(hub.folder, 'x.pcapng')
  await writeFile(path, (await read({ bpf_filter: 'tcp' })).bytes)
  const shown = execFileSync(
    'tshark',
    [
      '-r',
      path,
      '-N',
      'n',
      '-c',
      '1',
      '-T',
      'fields',
      '-e',
      'ip.src_host',
      '-e',
      'ip.dst_host',
      '-e',
      'frame.comment',
    ],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] },
  )
  expect(shown.trim().split('\t')).toEqual([
    'cart-1.shop',
    'orders.shop',
    'cart-1.shop:20000 → orders.shop:80',
  ])
})

function noTshark(): string | undefined {
  try {
    execFileSync('tshark', ['--version'], { stdio: 'ignore' })
    return undefined
  } catch {
    return 'no tshark here'
  }
}
