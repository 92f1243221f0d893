import { once } from 'node:events'
import { mkdir, mkdtemp, readdir, rm, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

const noon = Date.UTC(2026, 0, 2, 12)
interface HubCall {
  readonly status?: number
  readonly latency_ms?: number
  readonly error?: string
  readonly decrypted?: boolean
}

const calls = Array.from({ length: 25 }, (_, i) => ({
  id: `n1/1/${i}`,
  ts: noon + i,
  src: { ip: '10.0.0.1', port: 4000 + i, pod: 'checkout-0', ns: 'shop', process: { pid: 7 } },
  dst: { ip: '10.0.0.2', port: 80, svc: 'payments', node: 'n2' },
  proto: 'http',
  method: 'GET',
  path: `/${i}`,
  ...(i % 2 === 0 ? { status: 200, latency_ms: 1.5 } : { error: 'no_response' }),
  ...(i === 3 && { decrypted: true }),
  node_id: 'n1',
  flow_id: 1,
  req_size: 100 + i,
  request: { headers: { host: 'payments' }, body: `b${i}` },
}))
const flow = {
  proto: 'tcp',
  client: { ip: '10.0.0.1', pod: 'checkout-0' },
  server: { ip: '10.0.0.2', port: 80, svc: 'payments' },
  client_stats: { tx_pkts: 3, tx_bytes: 30, rx_pkts: 4, rx_bytes: 40, tcp_handshake_p50_us: 120 },
  server_stats: { tx_pkts: 4, tx_bytes: 40, rx_pkts: 3, rx_bytes: 30 },
  totals: { pkts: 7, bytes: 70, pps: 1, bps: 1 },
  tcp: { retransmissions: 2, out_of_order: 0, zero_window: 0, resets: 1 },
  flows: 5,
  start_ts: noon,
  last_ts: noon + 1000,
  worker: 'n1',
}

let server: Server
let url: string
let folder: string
let asked: URL[]
const FLOWS = 12
/** As a hub whose pages of flows have at most five rows. */
function flowPage(query: URLSearchParams) {
  const from = Number(query.get('cursor') ?? 0)
  const to = Math.min(from + Math.min(Number(query.get('limit')), 5), FLOWS)
  const flows = Array.from({ length: to - from }, (_, i) => ({ ...flow, flows: from + i }))
  const total = FLOWS - from
  return { flows, total, truncated: to < FLOWS, next_cursor: to < FLOWS ? String(to) : null }
}

/** Answers at most this many calls a page, as a hub whose filter needs payloads. */
let mostInPage: number
let failsAt: number
/** The request that gets no answer. */
let waitsAt: number

beforeEach(async () => {
  asked = []
  mostInPage = 10
  failsAt = Number.POSITIVE_INFINITY
  waitsAt = Number.POSITIVE_INFINITY
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-export-'))
  server = createServer((request, response) => {
    const address = new URL(request.url ?? '', 'http://hub')
    asked.push(address)
    if (asked.length === waitsAt) return
    if (asked.length > failsAt) return void response.writeHead(503).end('{"detail":"no worker"}')
    const from = Number(address.searchParams.get('cursor') ?? 0)
    const limit = Math.min(Number(address.searchParams.get('limit')), mostInPage)
    const to = Math.min(from + limit, calls.length)
    const page = address.pathname.endsWith('/flows')
      ? flowPage(address.searchParams)
      : { calls: calls.slice(from, to), total: 25, next_cursor: to < calls.length ? String(to) : null }
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await rm(folder, { recursive: true, force: true })
})

async function run(...args: readonly string[]) {
  const terminal = recordingTerminal()
  const given = ['export', '--url', url, ...args]
  const status = await runCommand(commands, given, terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes.join('\n') }
}

/** What is in the folder beside the lock. */
async function tables() {
  return (await readdir(folder)).filter((name) => name !== 'export.lock')
}

async function read(table: string) {
  const instance = await DuckDBInstance.create(':memory:')
  const connection = await instance.connect()
  const result = await connection.runAndReadAll(`FROM '${folder}/${table}/*.parquet'`)
  connection.closeSync()
  instance.closeSync()
  return result.getRowObjectsJS()
}

test('all pages of calls, oldest first, and the flows are in Parquet files as the hub returned them', async () => {
  const { status, out, notes } = await run('--parquet', folder, '--start', String(noon))
  expect(status, notes).toBe(0)
  expect(asked).toHaveLength(6)
  const [first] = asked
  expect(first?.searchParams.get('order')).toBe('oldest')
  expect(first?.searchParams.get('start')).toBe(String(noon))
  // Without an end, an export of live calls would follow the traffic.
  expect(new Set(asked.map(({ searchParams }) => searchParams.get('end'))).size).toBe(1)
  expect(first?.searchParams.get('end')).toMatch(/^\d+$/)
  expect(await read('calls')).toEqual(
    calls.map((call) => {
      const { id, ts, src, dst, proto, method, path } = call
      const { status, latency_ms, error, decrypted }: HubCall = call
      return {
        ...{ id, time: new Date(ts), proto, method, path },
        status: status === undefined ? null : String(status),
        error: error ?? null,
        connection_end: null,
        delivery: null,
        latency_ms: latency_ms ?? null,
        ...{ src_ip: src.ip, src_port: BigInt(src.port), src_pod: src.pod, src_ns: src.ns },
        ...{ src_svc: null, src_node: null },
        ...{ dst_ip: dst.ip, dst_port: 80n, dst_pod: null, dst_ns: null, dst_svc: dst.svc, dst_node: 'n2' },
        decrypted: decrypted ?? false,
      }
    }),
  )
  const flows = await read('flows')
  expect(flows.map((row) => row.flows)).toEqual(Array.from({ length: FLOWS }, (_, i) => BigInt(i)))
  expect(asked.at(-1)?.searchParams.get('order')).toBe('key')
  expect(flows.slice(0, 1)).toMatchObject([
    {
      ...{ transport: 'tcp', client_pod: 'checkout-0', server_port: 80n },
      ...{ start: new Date(noon), last: new Date(noon + 1000), client_bytes: 30n, server_bytes: 40n },
      ...{ handshake_p50_us: 120, handshake_p99_us: null, retransmissions: 2n, resets: 1n },
    },
  ])
  expect(JSON.parse(out)).toMatchObject({
    calls: { rows: 25, truncated: false },
    flows: { rows: FLOWS, total: FLOWS, truncated: false },
  })
})

test('a limit of flows is kept and reported', async () => {
  const { out, notes } = await run('--parquet', folder, '--max-flows', '7', '--table', 'flows')
  expect(await read('flows')).toHaveLength(7)
  expect(JSON.parse(out)).toMatchObject({ flows: { rows: 7, total: FLOWS, truncated: true } })
  expect(notes).toContain('--max-flows')
})

test('payloads add sizes, processes and messages', async () => {
  await run('--parquet', folder, '--payloads', '--table', 'calls')
  expect(asked[0]?.searchParams.get('format')).toBe('full')
  const rows = await read('calls')
  expect(rows[4]).toMatchObject({ flow_id: 1n, node_id: 'n1', req_size: 104n, resp_size: null })
  expect(rows[4]).toMatchObject({ src_process: '{"pid":7}', response: null })
  expect(JSON.parse(String(rows[4]?.request))).toEqual(calls[4]?.request)
  expect(await tables()).toEqual(['calls'])
})

test('a limit of calls is kept and reported', async () => {
  const { notes } = await run('--parquet', folder, '--max-calls', '12', '--table', 'calls')
  expect(await read('calls')).toHaveLength(12)
  expect(notes).toContain('There are more calls')
})

test('a hub that fails on the way leaves no files, and what was there stays', async () => {
  await run('--parquet', folder, '--table', 'calls')
  failsAt = asked.length + 1
  const { status, notes } = await run('--parquet', folder, '--table', 'calls')
  expect(status).toBe(1)
  expect(notes).toContain('no worker')
  expect(await tables()).toEqual(['calls'])
  expect(await read('calls')).toHaveLength(25)
})

test.each([
  [[], '--parquet FOLDER'],
  [['--parquet', 'x', '--table', 'flows', '--kfl', 'http'], '--table flows and --kfl'],
  [['--parquet', 'x', '--table', 'flows', '--db', 'recording'], '--db recording'],
])('refuses %j', async (args, message) => {
  const { status, notes } = await run(...args)
  expect(status).toBe(2)
  expect(notes).toContain(message)
  expect(asked).toEqual([])
})

test('with a filter, only calls are written', async () => {
  await run('--parquet', folder, '--kfl', 'http')
  expect(asked.every(({ searchParams }) => searchParams.get('kfl') === 'http')).toBe(true)
  expect(await tables()).toEqual(['calls'])
})

test('Ctrl-C ends a request under way, removes what is not complete, and keeps what was there', async () => {
  await run('--parquet', folder)
  waitsAt = asked.length + 5
  const ended = run('--parquet', folder)
  await expect.poll(() => asked.length).toBe(waitsAt)
  expect(await tables()).toEqual(['calls', 'flows', 'flows.partial'])
  process.emit('SIGINT')
  const { status, notes } = await ended
  expect(status).toBe(1)
  expect(notes).toContain('stopped')
  expect(await tables()).toEqual(['calls', 'flows'])
  expect(await read('flows')).toHaveLength(FLOWS)
})

test('a second export into the same folder is refused while the first one runs', async () => {
  waitsAt = 2
  const first = run('--parquet', folder)
  await expect.poll(() => asked.length).toBe(2)
  const second = await run('--parquet', `${folder}/`)
  expect(second.status).toBe(1)
  expect(second.notes).toContain('another export uses')
  expect(second.notes).toContain('choose another folder with --parquet')
  expect(asked).toHaveLength(2)
  process.emit('SIGTERM')
  await first
  waitsAt = Number.POSITIVE_INFINITY
  expect((await run('--parquet', folder)).status).toBe(0)
})

test('files of others are found before anything is read', async () => {
  await mkdir(join(folder, 'flows'))
  await writeFile(join(folder, 'flows', 'notes.txt'), 'mine')
  const { status, notes } = await run('--parquet', folder)
  expect(status).toBe(1)
  expect(notes).toContain('flows contains notes.txt')
  expect(asked).toEqual([])
  expect(await tables()).toEqual(['flows'])
  expect(await readdir(join(folder, 'flows'))).toEqual(['notes.txt'])
})

test('what an interrupted export left is removed with a note', async () => {
  await mkdir(join(folder, 'calls.partial'))
  const { notes } = await run('--parquet', folder, '--table', 'calls')
  expect(notes).toContain('calls.partial: the export that wrote it was interrupted')
  expect(await tables()).toEqual(['calls'])
})
