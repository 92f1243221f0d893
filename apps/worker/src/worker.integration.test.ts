import { type ChildProcess, spawn } from 'node:child_process'
import { createHash, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { initialCredit, type WorkerReport } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { bootVariable, configSchema } from '@tapdeck/config'
import { Ring } from '@tapdeck/recording'
import { CaptureReader, PcapngWriter } from '@tapdeck/wire'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, expect, type TestContext, test } from 'vitest'
import { TestHub } from './testing/test-hub.ts'

const bundles = mkdtempSync(join(tmpdir(), 'tapdeck-bundles-'))
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))

beforeAll(async () => {
  symlinkSync(source('../../../node_modules'), join(bundles, 'node_modules'))
  await build({
    entryPoints: {
      worker: source('./main.ts'),
      'worker-capture': source('./capture/capture-thread.ts'),
      'worker-live': source('./live/live-thread.ts'),
    },
    outdir: bundles,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi', '@duckdb/node-api', 'pino', 'ws', 'yaml', 'zod'],
  })
})
afterAll(() => rmSync(bundles, { recursive: true }))

let data: string
let hub: TestHub
let workers: ChildProcess[]

beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tapdeck-'))
  hub = new TestHub()
  workers = []
})
afterEach(async () => {
  for (const worker of workers) {
    if (worker.exitCode === null && worker.signalCode === null) {
      worker.kill('SIGKILL')
      await once(worker, 'exit')
    }
  }
  hub.close()
  rmSync(data, { recursive: true })
})

async function start(): Promise<ChildProcess> {
  const config = configSchema.parse({
    data,
    logLevel: 'error',
    hub: { url: await hub.url() },
    tap: { node: 'n1', capture: { interfaces: ['lo'], bufferSize: '8Mi' } },
  })
  const worker = spawn(process.execPath, [join(bundles, 'worker.mjs')], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    env: {
      ...process.env,
      TAPDECK_WORKER_TOKEN: 'token',
      [bootVariable]: JSON.stringify({ config, sources: {} }),
    },
  })
  workers.push(worker)
  const before = hub.hellos.length
  await expect.poll(() => hub.hellos.length, { timeout: 30_000 }).toBeGreaterThan(before)
  return worker
}

/** A report that was made after this call: the next one may already have been sent. */
async function freshReport(): Promise<WorkerReport> {
  const before = hub.reports
  await expect.poll(() => hub.reports, { timeout: 30_000 }).toBeGreaterThan(before + 1)
  return hub.report!
}

/** Creates a recording of `count` packets of 1000 bytes, one per millisecond, before the worker starts. */
function recordBefore(count: number, from: number): void {
  const ring = Ring.open(join(data, 'recording'), { maxBytes: 1 << 30, node: 'n1', application: 'test' })
  ring.addInterface({ link: 1, name: 'old0' })
  const writer = new PcapngWriter()
  for (let at = 0; at < count; at++) {
    const time = (from + at) * 1000
    writer.packet(0, time, new Uint8Array(1000), 0, 1000, 1000)
    const block = writer.take()
    ring.append(block, block.length, { packets: 1, first: time, last: time, drops: 0 })
  }
  ring.close()
}

test('hello names the node, and the reason if nothing is captured', async () => {
  await start()
  expect(hub.credentials).toEqual([`Bearer ${workerCredential('token', 'n1')}`])
  expect(hub.hellos[0]).toMatchObject({ node: 'n1', report: { indexing: false, calls: 0 } })
  const { capture } = hub.hellos[0]!.report
  if (capture.active) expect(capture.interfaces).toEqual(['lo'])
  else expect(capture.reason).toMatch(/CAP_NET_RAW.*setcap/)
})

test('a killed worker reports the time range that it did not record', async (context) => {
  const first = await start()
  const { capture } = hub.hellos[0]!.report
  if (!capture.active) return context.skip()
  await expect.poll(() => hub.report?.coverage?.recorded.until, { timeout: 30_000 }).toBeGreaterThan(0)
  const killedAt = Date.now()
  first.kill('SIGKILL')
  await once(first, 'exit')
  await start()
  const { coverage } = hub.hellos.at(-1)!.report
  const gap = coverage!.recorded.gaps!.at(-1)!
  expect(gap.reason).toBe('killed')
  expect(gap.from).toBeLessThanOrEqual(killedAt)
  expect(gap.to).toBeGreaterThan(killedAt)
  expect(coverage!.recorded.off).toBeUndefined()
})

test('a file in place of the recording folder is reported with the reason', async () => {
  writeFileSync(join(data, 'recording'), '')
  await start()
  const { recorder } = hub.hellos[0]!.report
  expect(recorder).toEqual({
    recording: false,
    reason: expect.stringMatching(/EEXIST.*recording.*restart the worker/),
  })
})

test('a recorded window is streamed within the credit, and can be cancelled', async () => {
  const from = Date.now() - 60_000
  recordBefore(10_000, from)
  await start()
  expect(await hub.ask('boundaries', {})).toMatchObject({ oldest_ts: from, packet_count: expect.any(Number) })

  const { pieces, ...result } = await hub.ask('window', { start: from + 1000, end: from + 8999 })
  expect(result).toMatchObject({
    packet_count: 8000,
    start_ts: from + 1000,
    end_ts: from + 8999,
    partial: false,
  })
  expect(result.size_bytes).toBe(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let packets = 0
  const reader = new CaptureReader({ packet: () => packets++ }, {})
  for (const piece of pieces) reader.push(piece)
  reader.end()
  expect(packets).toBe(8000)

  hub.grantsCredit = false
  const stalled = hub.ask('window', { start: from, end: from + 9999 })
  await expect.poll(() => hub.held, { timeout: 30_000 }).toBeGreaterThan(initialCredit - (2 << 20))
  expect(hub.held).toBeLessThanOrEqual(initialCredit)
  hub.say({ kind: 'cancel', id: hub.lastId })
  await expect(stalled).rejects.toMatchObject({ kind: 'failure' })
})

test('an interrupted window continues at the byte, and only after the same bytes', async () => {
  const from = Date.now() - 60_000
  recordBefore(3000, from)
  await start()
  const window = { start: from, end: from + 2999 }
  const { pieces, sha256, size_bytes } = await hub.ask('window', window)
  const all = Buffer.concat(pieces)
  const sum = (bytes: Uint8Array) => createHash('sha256').update(bytes).digest('hex')
  expect(sha256).toBe(sum(all))
  for (const offset of [1, 100_000, all.length]) {
    const checkpoint = { offset, sha256: sum(all.subarray(0, offset)) }
    const rest = await hub.ask('window', { ...window, from: checkpoint })
    expect(rest).toMatchObject({ sha256, size_bytes, packet_count: 3000 })
    expect(Buffer.concat(rest.pieces).equals(all.subarray(offset))).toBe(true)
  }
  const others = { offset: 1000, sha256: sum(all.subarray(1, 1001)) }
  await expect(hub.ask('window', { ...window, from: others })).rejects.toMatchObject({ code: 'changed' })
})

test('a window is uploaded in parts, and a worker that was killed offers the same parts again', async () => {
  const from = Date.now() - 60_000
  recordBefore(10_000, from)
  const stored = new Map<number, Buffer>()
  const storage = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk)
    stored.set(Number(request.url?.slice(1)), Buffer.concat(body))
    response.end()
  })
  storage.listen(0, '127.0.0.1')
  await once(storage, 'listening')
  const address = `http://127.0.0.1:${(storage.address() as AddressInfo).port}`
  const window = { start: from, end: from + 9999 }
  type Parts = Parameters<typeof hub.ask<'upload'>>[1]['parts']
  const ask = (upload: string, parts: Parts) =>
    hub.ask('upload', { ...window, upload, part_bytes: 4 << 20, parts })
  try {
    const killed = await start()
    const { ready } = await ask(randomUUID(), [])
    killed.kill('SIGKILL')
    await once(killed, 'exit')
    await start()
    const upload = randomUUID()
    let step = await ask(upload, [])
    expect(step.ready).toEqual(ready)
    while (step.result === undefined)
      step = await ask(
        upload,
        step.ready.map(({ number }) => ({ number, url: `${address}/${number}` })),
      )
    const { pieces, sha256, size_bytes } = await hub.ask('window', window)
    const parts = [...stored].sort(([a], [b]) => a - b).map(([, bytes]) => bytes)
    expect(parts.length).toBeGreaterThan(2)
    expect(Buffer.concat(parts).equals(Buffer.concat(pieces))).toBe(true)
    const { sums_bytes, index_bytes } = step.result
    expect(step.result).toMatchObject({ sha256, size_bytes, packet_count: 10_000, partial: false })
    expect(Buffer.concat(step.pieces).length).toBe(sums_bytes + index_bytes)
    expect(index_bytes).toBeGreaterThan(0)
  } finally {
    storage.closeAllConnections()
    storage.close()
  }
})

test('a window is handed over as files only into a folder shared with the hub', async () => {
  const from = Date.now() - 60_000
  recordBefore(3000, from)
  await start()
  const folder = `.hand-over-${randomUUID()}`
  const wish = { start: from, end: from + 2999, max_bytes: 1 << 30 }
  for (const nowhere of [folder, '../recording', '.hand-over-../../..'])
    await expect(hub.ask('hand_over', { ...wish, folder: nowhere })).rejects.toMatchObject({
      code: 'not_shared',
    })
  mkdirSync(join(data, 'snapshots', folder), { recursive: true })
  await expect(hub.ask('hand_over', { ...wish, folder, max_bytes: 1000 })).rejects.toMatchObject({
    status: 507,
  })
  rmSync(join(data, 'snapshots', folder), { recursive: true })
  mkdirSync(join(data, 'snapshots', folder))
  const { files, packet_count, partial } = await hub.ask('hand_over', { ...wish, folder })
  expect([packet_count, partial]).toEqual([3000, false])
  const [{ name, size_bytes }] = files
  expect(statSync(join(data, 'snapshots', folder, name))).toMatchObject({ size: size_bytes, nlink: 2 })
})

test('the switch works, queries are answered on and off, and errors are returned as problems', async () => {
  await start()
  expect(await hub.ask('summary', {})).toMatchObject({ calls: 0 })
  for (const enabled of [true, true, false, false, true]) {
    expect(await hub.ask('indexing', { enabled })).toMatchObject({ enabled })
    await expect.poll(() => hub.report?.indexing, { timeout: 30_000 }).toBe(enabled)
  }
  await expect(
    hub.ask('calls', { kfl: 'nosuch == 1', limit: 1, order: 'newest', format: 'full' }),
  ).rejects.toMatchObject({ status: 400, code: 'bad_filter', extensions: { position: 0, length: 6 } })
  await expect(hub.ask('inventory', { inventory: { pods: 1 } })).rejects.toMatchObject({ status: 400 })
  await expect(hub.ask('nosuch' as 'summary', {})).rejects.toMatchObject({ code: 'unknown_request' })
})

/** An HTTP server; the test is skipped if nothing is captured. */
async function traffic(context: TestContext) {
  if (!hub.report?.capture.active) {
    console.log(`skipped: ${hub.report?.capture.reason}`)
    context.skip()
  }
  const server = createServer((_, response) => response.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  const request = async (path: string) => {
    const [response] = await once(get({ port, path, host: '127.0.0.1', agent: false }), 'response')
    response.resume()
    await once(response, 'end')
  }
  return { server, port, request }
}

test('no packet counts as missed while live indexing starts', async (context) => {
  await start()
  const { server, port, request } = await traffic(context)
  let asked = 0
  let over = false
  const asking = (async () => {
    while (!over) await request(`/${asked++}`)
  })()
  expect(await hub.ask('indexing', { enabled: true })).toMatchObject({ enabled: true })
  await freshReport()
  over = true
  await asking
  const total = async () => (await hub.ask('count', { kfl: `dst.port == ${port}` })).count
  await expect.poll(total, { timeout: 30_000 }).toBe(asked)
  // Other traffic of this machine is captured too: its large bodies are cut, but no packet is missed.
  const { truncated_bodies: _, ...missed } = (await freshReport()).loss
  expect(missed).toEqual({})
  server.close()
})

test('live traffic becomes calls while indexing is on, and is always recorded', async (context) => {
  await start()
  const { server, port, request } = await traffic(context)
  const kfl = `dst.port == ${port}`
  const total = async () => (await hub.ask('count', { kfl })).count

  await request('/dormant')
  await hub.ask('subscribe', { subscription: 5, kfl })
  await hub.ask('indexing', { enabled: true })
  await request('/seen')
  await expect.poll(total, { timeout: 30_000 }).toBe(1)
  await expect.poll(() => hub.calls.length, { timeout: 30_000 }).toBe(1)
  expect(hub.calls[0]).toMatchObject({ subscription: 5, calls: [{ path: '/seen', status: 200 }], skipped: 0 })

  await hub.ask('indexing', { enabled: false })
  const { packets_dissected: dissected } = await freshReport()
  await request('/dormant-again')
  // The request may have been sent in the same millisecond in which the window ends.
  const { pieces } = await hub.ask('window', { start: Date.now() - 60_000, end: Date.now() + 1 })
  const text = Buffer.concat(pieces).toString('latin1')
  for (const path of ['/dormant ', '/seen ', '/dormant-again ']) expect(text).toContain(path)
  expect(await total()).toBe(1)
  const { packets_captured, packets_dissected } = await freshReport()
  expect(packets_dissected).toBe(dissected)
  expect(packets_captured).toBeGreaterThan(packets_dissected)
  server.close()
})

test('the worker reconnects to a restarted hub, ends cleanly on SIGTERM, and loses no recorded packet in a crash', async () => {
  recordBefore(100, Date.now() - 60_000)
  const worker = await start()
  hub.hangUp()
  await expect.poll(() => hub.hellos.length, { timeout: 30_000 }).toBe(2)

  worker.kill('SIGKILL')
  await once(worker, 'exit')
  const second = await start()
  expect((await hub.ask('boundaries', {})).packet_count).toBeGreaterThanOrEqual(100)
  second.kill('SIGTERM')
  const [code] = await once(second, 'exit')
  expect(code).toBe(0)
  expect(readdirSync(join(data, 'recording')).filter((file) => file.endsWith('.open'))).toEqual([])
})
