import { afterEach, beforeAll, expect, test } from 'vitest'
import { bundleThread } from '../testing/bundle-thread.ts'
import type { Answers, FakeWorker } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

/** What each answer says of a time at which the worker did not run. */

let thread: URL
let hub: TestHub
beforeAll(async () => {
  thread = await bundleThread()
})
afterEach(() => hub?.stop())

const T = Date.now() - 60_000
const kill = { from: T + 10_000, to: T + 14_000, reason: 'killed' }
const pause = { from: T + 20_000, to: T + 30_000, reason: 'switch_off' }
const coverage = {
  recorded: { until: Date.now(), gaps: [{ from: 0, to: T - 1000, reason: 'not_started' }, kill] },
  indexed: { until: Date.now(), gaps: [{ from: 0, to: T - 1000, reason: 'not_started' }, kill, pause] },
}
const instant = (time: number) => new Date(time).toISOString()
const killed = {
  node: 'n1',
  start: instant(kill.from),
  end: instant(kill.to),
  kind: 'not_recorded',
  reason: 'killed',
  detail: 'the worker was killed or crashed',
}
const paused = { node: 'n1', start: instant(pause.from), end: instant(pause.to), kind: 'not_indexed' }
const stored = {
  node: 'n1',
  from_ts: kill.from,
  to_ts: kill.to,
  reason: 'killed',
  detail: 'the worker was killed or crashed',
}

const empty = { total: 0, total_is: 'exact' as const, cursors: [], calls: [] }
const packets = httpPackets({ requests: 20, start: T + 1000 })
const answers: Answers = {
  calls: () => empty,
  count: () => ({ count: 0 }),
  stats: () => ({ groups: [] }),
  flows: () => ({ flows: [], total: 0 }),
  values: () => ({ values: [] }),
  summary: () => ({
    calls: 5,
    flows: 0,
    oldest_ts: T,
    newest_ts: T + 50_000,
    size_bytes: 1,
    by_protocol: {},
  }),
  rewind: () => ({
    ...empty,
    spent: false,
    rewind: {
      read_bytes: 0,
      window_bytes: 0,
      packets: 0,
      elapsed_ms: 0,
      searched_from: T,
      searched_to: T + 60_000,
      calls: 0,
      by_protocol: {},
      restricted: false,
    },
  }),
  boundaries: () => recording,
  window: async (_input, worker, id) => {
    const bytes = captureFile(packets)
    await worker.piece(id, bytes)
    const times = { start_ts: T, end_ts: T + 50_000, partial: false, dropped_packets: 0 }
    return { packet_count: packets.length, size_bytes: bytes.length, ...times }
  },
}
const recording = {
  oldest_ts: T - 500,
  newest_ts: T + 59_000,
  size_bytes: 1000,
  packet_count: packets.length,
  dropped_packets: 0,
}

async function joined(): Promise<FakeWorker> {
  hub = await startHub({ thread })
  return hub.worker('n1', answers, { coverage, recording, indexing: true })
}
const window = `start=${T}&end=${T + 50_000}`

test('live answers say what was not recorded and what was not indexed, each with its reason', async () => {
  await joined()
  for (const path of ['calls', 'stats', 'flows', 'flows/summary'])
    expect((await hub.get(`/mcp/${path}?${window}`)).json.incomplete, path).toMatchObject([killed, paused])
  const { json: compared } = await hub.get(`/mcp/diff?a_end=${T + 18_000}&b_start=${T + 18_000}`)
  expect(compared.incomplete).toMatchObject([killed, paused])
  expect(
    compared.notes.filter((note: string) => note.includes('nothing was recorded or indexed')),
  ).toHaveLength(2)
  const { json: whole } = await hub.get(`/mcp/calls?start=${T + 31_000}&end=${T + 40_000}`)
  expect(whole.incomplete).toBeUndefined()
})

test('an empty answer about a gap names the gap', async () => {
  await joined()
  const why = async (query: string) => (await hub.get(`/mcp/calls?${query}`)).json.why_empty
  const inKill = `start=${kill.from + 100}&end=${kill.to - 100}`
  const inPause = `start=${pause.from + 100}&end=${pause.to - 100}`
  await hub.send('POST', '/mcp/dissection/enable', {})
  expect(await why(inKill)).toMatchObject({
    reason: 'not_recorded',
    detail: expect.stringContaining('n1: the worker was killed or crashed'),
  })
  expect(await why(inPause)).toMatchObject({
    reason: 'not_indexed',
    detail: expect.stringContaining('db=recording'),
  })
  expect(await why(`${inKill}&db=recording`)).toMatchObject({ reason: 'not_recorded' })
})

test('answers out of the recording, and boundaries, say what was not recorded', async () => {
  await joined()
  expect((await hub.get(`/mcp/calls?db=recording&${window}`)).json.incomplete).toEqual([killed])
  expect((await hub.get('/mcp/data-boundaries')).json.nodes[0].gaps).toEqual([stored])
})

test('a snapshot over a gap is partial and lists it, and so do its dissection, its answers and its export', async () => {
  await joined()
  await hub.send('POST', '/mcp/snapshots', { name: 's', start: T, end: T + 50_000 })
  const { json: snapshot } = await until(
    () => hub.get('/mcp/snapshots/s'),
    ({ json }) => json.status === 'completed',
  )
  expect(snapshot).toMatchObject({ partial: true, gaps: [stored] })
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's', dissection_name: 'd' })
  const { json: dissection } = await until(
    () => hub.get('/mcp/dissections/s/d'),
    ({ json }) => json.status === 'completed',
  )
  expect(dissection.gaps).toEqual([stored])
  expect((await hub.get('/mcp/calls?db=s/d')).json.incomplete).toEqual([killed])
  const pcap = await hub.fetch(new Request('http://127.0.0.1/mcp/snapshots/s/pcap'))
  expect(Buffer.from(await pcap.arrayBuffer()).toString('latin1')).toContain(
    `n1: nothing was recorded from ${instant(kill.from)} to ${instant(kill.to)}: the worker was killed`,
  )
})

test('dropped packets are a time in answers out of the recording, and in a snapshot and its dissection', async () => {
  const worker = await joined()
  worker.sendReport({ loss: { kernel_drops: 7, disk_drops: 2 } })
  const dropped = { node: 'n1', kernel_drops: 7, disk_drops: 2 }
  const { json } = await until(
    () => hub.get(`/mcp/calls?db=recording&start=${T + 15_000}`),
    (answer) => answer.json.incomplete?.length > 0,
  )
  expect(json.incomplete).toMatchObject([dropped])
  await hub.send('POST', '/mcp/snapshots', { name: 's', start: T + 15_000 })
  const { json: snapshot } = await until(
    () => hub.get('/mcp/snapshots/s'),
    (answer) => answer.json.status === 'completed',
  )
  expect(snapshot).toMatchObject({ partial: false, losses: [dropped] })
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's', dissection_name: 'd' })
  await until(
    () => hub.get('/mcp/dissections/s/d'),
    (answer) => answer.json.status === 'completed',
  )
  expect((await hub.get('/mcp/calls?db=s/d')).json.incomplete).toMatchObject([dropped])
})

test('a node of a snapshot that dropped packets at an unknown time may miss them at any', async () => {
  hub = await startHub({ thread })
  const part = { packet_count: packets.length, start_ts: T, end_ts: T + 50_000, partial: false }
  const window: Answers['window'] = async (_input, worker, id) => {
    const bytes = captureFile(packets)
    await worker.piece(id, bytes)
    return { ...part, size_bytes: bytes.length, dropped_packets: 4, drops: { kernel: 3, queue: 0, disk: 1 } }
  }
  await hub.worker('n1', { ...answers, window }, { recording, indexing: true })
  await hub.send('POST', '/mcp/snapshots', { name: 's', start: T, end: T + 50_000 })
  await until(
    () => hub.get('/mcp/snapshots/s'),
    (answer) => answer.json.status === 'completed',
  )
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's', dissection_name: 'd' })
  await until(
    () => hub.get('/mcp/dissections/s/d'),
    (answer) => answer.json.status === 'completed',
  )
  const times = { node: 'n1', start: instant(T), end: instant(T + 50_000) }
  expect((await hub.get('/mcp/calls?db=s/d')).json.incomplete).toEqual([
    { ...times, kernel_drops: 3, disk_drops: 1 },
  ])
})

test('a time in which a congested connection dropped live calls is in answers, which have these calls', async () => {
  const worker = await joined()
  worker.sendReport({ loss: { undelivered_calls: 40 } })
  for (const path of ['/mcp/calls', '/mcp/stats', '/mcp/flows']) {
    const { json } = await until(
      () => hub.get(`${path}?start=${T + 31_000}`),
      (answer) => answer.json.not_streamed?.length > 0,
    )
    expect(json.not_streamed).toMatchObject([{ node: 'n1', undelivered_calls: 40 }])
    expect(json.incomplete).toBeUndefined()
  }
  const { json: before } = await hub.get(`/mcp/calls?start=${T + 31_000}&end=${T + 40_000}`)
  expect(before.not_streamed).toBeUndefined()
})

test('a snapshot that no gap touches is whole', async () => {
  await joined()
  await hub.send('POST', '/mcp/snapshots', { name: 's', start: T + 15_000, end: T + 50_000 })
  const { json } = await until(
    () => hub.get('/mcp/snapshots/s'),
    (answer) => answer.json.status === 'completed',
  )
  expect(json.partial).toBe(false)
  expect(json.gaps).toBeUndefined()
})

test('a node that is not connected is missing from answers, and that is said', async () => {
  const worker = await joined()
  await hub.worker('n2', answers, { recording, indexing: true })
  worker.socket.close()
  const { json } = await until(
    () => hub.get(`/mcp/calls?${window}`),
    (answer) => answer.json.incomplete?.[0]?.reason === 'worker_away',
  )
  expect(json.incomplete).toMatchObject([{ node: 'n1', start: instant(T), end: instant(T + 50_000) }])
  expect((await hub.get('/mcp/data-boundaries')).json.missing_nodes).toMatchObject([{ name: 'n1' }])
})
