import { copyFile, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { pathToFileURL } from 'node:url'
import { mixedTraffic } from '@tapdeck/parallel/testing'
import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { jobsOf } from '../testing/jobs-of.ts'
import { type StartOptions, startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const root = join(import.meta.dirname, '../../../..')
const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const { importFile, dissect, calls, asPipe } = jobsOf(() => hub)

async function start(options: StartOptions = {}): Promise<void> {
  hub = await startHub({ thread: thread(), ...options })
}

/** All calls, oldest first, page by page. */
async function pagesOf(db: string, limit: number, from = ''): Promise<{ readonly id: string }[]> {
  const all: { readonly id: string }[] = []
  for (let cursor = from; ; ) {
    const more = cursor === '' ? '' : `&cursor=${cursor}`
    const { json } = await calls(db, '', `&order=oldest&limit=${limit}${more}`)
    all.push(...json.calls)
    if (json.next_cursor === null) return all
    cursor = json.next_cursor
  }
}

it('a job by several threads is what it is by one', async () => {
  const packets = [1, 2].flatMap((seed) => mixedTraffic(seed, 90))
  const large = httpPackets({ requests: 30, bodySize: 600_000 })
  const file = captureFile([...packets, ...large].sort((a, b) => a.time - b.time))
  expect(file.length).toBeGreaterThan(16_000_000)
  const seen: unknown[] = []
  for (const threads of [1, 3]) {
    await start({
      set: [`tap.delayedDissection.threads=${threads}`],
      config: (config) => ({
        ...config,
        tap: { ...config.tap, redaction: { ...config.tap.redaction, headers: ['x-mark'] } },
      }),
    })
    await importFile('big', file)
    const { started_at, finished_at, created_at, size_bytes, ...done } = await dissect('big', 'all')
    expect(done).toMatchObject({ status: 'completed', errors: [] })
    const some = await dissect('big', 'some', { kfl: 'http and status == 500' })
    const list = (await calls('big/all', '', '&limit=1000')).json.calls
    const flows = (await hub.get('/mcp/flows?db=big/all&limit=1000')).json
    const marked = (await calls('big/all', 'path.startsWith("/shop/")', '&limit=1')).json.calls[0]
    const whole = (await hub.get(`/mcp/calls/${marked.id}?db=big/all`)).json
    expect(whole.request.headers['x-mark']).toEqual(expect.not.stringMatching('shop'))
    const first = await Promise.all(
      list.slice(0, 40).map(({ id }: { id: string }) => hub.get(`/mcp/calls/${id}?db=big/all`)),
    )
    seen.push({ done, some: some.call_count, list, flows, first: first.map(({ json }) => json) })
    await hub.stop()
  }
  expect(seen[1]).toEqual(seen[0])
})

it('a job by several threads answers for all of them while it runs, in the order and with the cursors of one', async () => {
  await start({ set: ['tap.delayedDissection.threads=3'] })
  const large = httpPackets({ requests: 30, bodySize: 600_000 })
  const bytes = captureFile([...mixedTraffic(3, 120), ...large].sort((a, b) => a.time - b.time))
  await importFile('slow', bytes)
  const pipe = await asPipe('slow')
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 'slow', dissection_name: 'one' })
  // What was found is shown once a second, when more comes: so the rest comes in small pieces, until enough is shown.
  let written = bytes.length - 1_000_000
  await pipe.writeFile(bytes.subarray(0, written))
  const writeMore = async () => {
    const end = Math.min(bytes.length, written + 2000)
    if (written < end) await pipe.writeFile(bytes.subarray(written, end))
    written = end
  }
  await until(
    async () => {
      await writeMore()
      return hub.get('/mcp/stats?db=slow/one&group_by=proto')
    },
    ({ status, json }) => {
      const groups = status === 200 ? json.groups.map(({ group }: { group: string }) => group) : []
      return groups.includes('http') && groups.includes('dns')
    },
  )
  const running = await until(
    async () => {
      await writeMore()
      return calls('slow/one', '', '&limit=7&order=oldest')
    },
    ({ status, json }) => status === 200 && json.total > 100,
  )
  const flows = (await hub.get('/mcp/flows?db=slow/one&limit=1000')).json
  expect(flows.total).toBe(flows.flows.length)
  const [first] = running.json.calls
  expect((await hub.get(`/mcp/calls/${first.id}?db=slow/one`)).json.id).toBe(first.id)
  // All calls of a destination have the same value, whichever thread found them.
  const { json: full } = await calls('slow/one', 'tcp_handshake_p50_us > 0', '&limit=1000&format=full')
  const percentiles = new Map<string, Set<number>>()
  for (const { dst, tcp_handshake_p50_us: p50 } of full.calls) {
    const destination = dst.svc ?? dst.pod ?? `${dst.ip} ${dst.port}`
    percentiles.set(destination, (percentiles.get(destination) ?? new Set()).add(p50))
  }
  expect(full.calls.length).toBeGreaterThan(10)
  expect([...percentiles].filter(([, values]) => values.size > 1)).toEqual([])
  expect((await calls('slow/one', 'http and status == 500')).json.total).toBeGreaterThan(0)
  expect((await calls('slow/one', '', '&cursor=abc')).status).toBe(400)
  const listed = await pagesOf('slow/one', 7)
  expect((await hub.get('/mcp/dissections/slow/one')).json).toMatchObject({ status: 'running' })
  await pipe.writeFile(bytes.subarray(written))
  await pipe.close()
  await until(
    () => hub.get('/mcp/dissections/slow/one'),
    ({ json }) => json.status === 'completed',
  )
  const whole = await pagesOf('slow/one', 100)
  expect(listed.length).toBeGreaterThan(100)
  const seen = new Set(listed.map(({ id }) => id))
  expect(seen.size).toBe(listed.length)
  expect(whole.filter(({ id }) => seen.has(id))).toEqual(listed)
  // A cursor that was given while it ran is good for what became of it.
  const rest = await pagesOf('slow/one', 100, running.json.next_cursor)
  expect(rest.map(({ id }) => id)).toEqual(whole.slice(-rest.length).map(({ id }) => id))
})

it('a job by several threads can be stopped at any moment, and the next one runs', async () => {
  await start({ set: ['tap.delayedDissection.threads=3'] })
  await importFile('big', captureFile(httpPackets({ requests: 60, bodySize: 600_000 })))
  for (const [at, ms] of [0, 30, 150, 300, 450, 600].entries()) {
    const job = `/mcp/dissections/big/job-${at}`
    await hub.send('POST', '/mcp/dissections', { snapshot_name: 'big', dissection_name: `job-${at}` })
    await setTimeout(ms)
    await hub.send('POST', `${job}/stop`)
    expect(['cancelled', 'completed']).toContain((await hub.get(job)).json.status)
  }
  expect(await dissect('big', 'last')).toMatchObject({ status: 'completed', call_count: 60 })
})

/** Starts a job by two threads that run this instead of dissecting; resolves with what removes it again. */
async function startWithShards(code: string): Promise<() => Promise<void>> {
  const folder = await mkdtemp(join(tmpdir(), 'tapdeck-shard-'))
  const other = join(folder, 'hub-dissection.mjs')
  await copyFile(thread(), other)
  await symlink(join(root, 'node_modules'), join(folder, 'node_modules'))
  await writeFile(join(folder, 'hub-shard.mjs'), code)
  await start({ thread: pathToFileURL(other), set: ['tap.delayedDissection.threads=2'] })
  await importFile('big', captureFile(httpPackets({ requests: 30, bodySize: 600_000 })))
  return () => rm(folder, { recursive: true })
}

it('a job in which one of several threads falls over fails with its reason', async () => {
  const remove = await startWithShards('throw new Error("a bad day")')
  expect(await dissect('big', 'all')).toMatchObject({ status: 'failed', errors: ['a bad day'] })
  await remove()
})

/** The first of two threads has read all and found five calls; the other has not begun and does not answer. */
const silent = `
import { parentPort, workerData } from 'node:worker_threads'
parentPort.on('message', ({ kind }) => kind === 'leave' && process.exit())
const result = { bytes: 17_000_000, packets: 9, calls: 5, flows: 1, protocols: {}, decrypted: {}, loss: {}, errors: [] }
if (workerData.index === 0) setInterval(() => parentPort.postMessage({ kind: 'result', result, bytes: 0 }), 50)
`

it('a job by several threads has got as far as the slowest, be it that it has not begun', async () => {
  const remove = await startWithShards(silent)
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 'big', dissection_name: 'one' })
  const { json } = await until(
    () => hub.get('/mcp/dissections/big/one'),
    (answer) => answer.json.call_count === 5,
  )
  expect(json).toMatchObject({ status: 'running', progress: 0, packet_count: 0 })
  await hub.send('POST', '/mcp/dissections/big/one/stop')
  await remove()
})

it('who asks a job by several threads while it is stopped hears that it ended', async () => {
  const remove = await startWithShards(silent)
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 'big', dissection_name: 'one' })
  await until(
    () => hub.get('/mcp/dissections/big/one'),
    (answer) => answer.json.call_count === 5,
  )
  const asked = calls('big/one')
  await hub.send('POST', '/mcp/dissections/big/one/stop')
  expect(await asked).toMatchObject({ status: 409, json: { code: 'dissection_not_completed' } })
  await remove()
})

/** Threads that have done their work as soon as they are asked something, whose answer takes them a while. */
const asked = `
import { mkdirSync } from 'node:fs'
import { parentPort, workerData } from 'node:worker_threads'
mkdirSync(workerData.data.folders[workerData.index], { recursive: true })
const last = { bytes: 17_000_000, packets: 9, calls: 5, flows: 1, protocols: {}, decrypted: {}, loss: {}, errors: [] }
const answers = {
  summary: { calls: 5, flows: 1, oldest_ts: 1, newest_ts: 2, size_bytes: 1, by_protocol: {} },
  stats: { groups: [{ group: 'shop', calls: 5, errors: 0, capture_errors: 0, rate: 1, bytes: 1 }] },
}
parentPort.postMessage({ kind: 'result', result: last, bytes: 0 })
parentPort.on('message', ({ kind, id, question }) => {
  if (kind === 'leave') process.exit()
  if (kind === 'dismiss') {
    parentPort.postMessage({ kind: 'ended', last })
    parentPort.close()
  }
  if (kind !== 'ask') return
  parentPort.postMessage({ kind: 'waits' })
  const answer = { kind: 'answer', id, answer: { result: answers[question.question] } }
  setTimeout(() => parentPort.postMessage(answer), 100)
})
`

it('what a job by several threads was asked before its end is answered, though it takes several questions', async () => {
  const remove = await startWithShards(asked)
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 'big', dissection_name: 'one' })
  await until(
    () => hub.get('/mcp/dissections/big/one'),
    (answer) => answer.json.call_count > 0,
  )
  const { status, json } = await hub.get('/mcp/stats?db=big/one')
  expect([status, json.groups]).toMatchObject([200, [{ group: 'shop', calls: 10 }]])
  await remove()
})
