import { afterEach, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const peer = { ip: '10.0.0.1', port: 80 }

/** A worker that has some calls and matches none of them where a filter is given. */
function holding(rows: { id: string; ts: number }[], counts: Record<string, number> = {}): Answers {
  const calls = rows.map(({ id, ts }) => ({ id, ts, src: peer, dst: peer, proto: 'http' }))
  return {
    calls: ({ kfl, limit }) => {
      const found = kfl === '' ? calls.slice(0, limit) : []
      return {
        calls: found,
        total: kfl === '' ? calls.length : 0,
        total_is: 'exact',
        cursors: found.map((_, at) => String(at + 1)),
      }
    },
    call: ({ id }) => ({ call: calls.find((call) => call.id === id) ?? null }),
    count: ({ kfl }) => ({ count: kfl === '' ? calls.length : (counts[kfl] ?? 0) }),
    summary: () => ({
      calls: calls.length,
      flows: 1,
      oldest_ts: calls.at(-1)?.ts ?? null,
      newest_ts: calls[0]?.ts ?? null,
      size_bytes: 1,
      by_protocol: {},
    }),
    stats: () => ({
      groups: [
        {
          group: 'shop',
          calls: 10,
          errors: 1,
          capture_errors: 1,
          rate: 2,
          bytes: 5,
          latency_p50_ms: 4,
          tcp_handshake_p50_us: 7,
        },
      ],
    }),
    flows: () => ({ flows: [], total: 0 }),
  }
}

const ask = (kfl: string, more = '') => hub.get(`/mcp/calls?kfl=${encodeURIComponent(kfl)}${more}`)

it('live calls come from all nodes, newest first, with what indexing does', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  await hub.worker(
    'n1',
    holding([
      { id: 'n1/1/0', ts: 30 },
      { id: 'n1/1/1', ts: 10 },
    ]),
  )
  await hub.worker('n2', holding([{ id: 'n2/1/0', ts: 20 }]))
  const { json } = await ask('')
  expect(json.calls.map(({ id }: { id: string }) => id)).toEqual(['n1/1/0', 'n2/1/0', 'n1/1/1'])
  expect(json).toMatchObject({ total: 3, total_is: 'exact', truncated: false, indexing: { enabled: true } })
  expect(Date.parse(json.indexing.pauses_at) - Date.parse(json.indexing.since)).toBe(300_000)
  expect((await ask('', '&limit=2')).json).toMatchObject({ truncated: true, next_cursor: expect.any(String) })
  expect((await hub.get('/mcp/calls/n2/1/0')).json).toMatchObject({ id: 'n2/1/0', ts: 20 })
  expect((await hub.get('/mcp/calls/n2%2F1%2F9')).json).toMatchObject({ status: 404, code: 'unknown_call' })
  expect((await hub.get('/mcp/calls/n9/1/0')).json).toMatchObject({ status: 404 })
  expect((await hub.get('/api/stats')).json.groups).toEqual([
    {
      kfl: '(dst.svc == "shop" or dst.svc == "" and dst.pod == "shop")',
      percentiles_are: 'estimate',
      group: 'shop',
      calls: 20,
      errors: 2,
      capture_errors: 2,
      rate: 4,
      bytes: 10,
      latency_p50_ms: 4,
      tcp_handshake_p50_us: 7,
    },
  ])
  expect((await hub.get('/mcp/databases')).json.databases).toMatchObject([
    { type: 'realtime', node: 'n1', entry_count: 2, first_ts: 10, last_ts: 30 },
    { type: 'realtime', node: 'n2', entry_count: 1 },
    { type: 'recording', node: 'n1', name: 'recording' },
    { type: 'recording', node: 'n2', name: 'recording' },
  ])
  expect((await hub.get('/mcp/data-boundaries')).json).toMatchObject({
    cluster: { oldest_ts: 1000, newest_ts: 61_000 },
    nodes: [
      { name: 'n1', oldest_at: '1970-01-01T00:00:01.000Z' },
      { name: 'n2', packet_count: 60 },
    ],
  })
})

it('a compact call says who talked to whom, and a page always says how to go on', async () => {
  hub = await startHub()
  const known = { ...peer, pod: 'cart-0', process: 'node', labels: { app: 'cart' }, dns: 'cart.shop' }
  const calls = [{ id: 'n1/1/0', ts: 10.25, src: known, dst: peer, proto: 'http' }]
  await hub.worker('n1', {
    ...holding([{ id: 'n1/1/0', ts: 10.25 }]),
    calls: () => ({ calls, total: 1, total_is: 'exact', cursors: ['1'] }),
  })
  const { json } = await ask('')
  expect(json.calls[0]).toEqual({
    id: 'n1/1/0',
    ts: 10.25,
    src: { ...peer, pod: 'cart-0' },
    dst: peer,
    proto: 'http',
  })
  expect(json.next_cursor).toBeNull()
  expect((await ask('', '&format=full')).json.calls[0].src).toEqual(known)
  // Whole milliseconds, with every call in between.
  expect((await hub.get('/mcp/databases')).json.databases[0]).toMatchObject({ first_ts: 10, last_ts: 11 })
})

it('a page of many nodes goes on by its cursor', async () => {
  hub = await startHub()
  const long = 'x'.repeat(200)
  for (let at = 0; at < 60; at++)
    await hub.worker(`node-with-a-name-${at}`, {
      calls: ({ cursor, limit }) => {
        if (cursor !== undefined && cursor !== `${at}${long}`) throw new Error('this is not mine')
        const calls = cursor
          ? []
          : [{ id: `node-with-a-name-${at}/1/0`, ts: at, src: peer, dst: peer, proto: 'http' }]
        return {
          calls: calls.slice(0, limit),
          total: 1,
          total_is: 'exact',
          cursors: calls.slice(0, limit).map(() => `${at}${long}`),
        }
      },
    })
  const first = await ask('', '&limit=59')
  expect(first.json).toMatchObject({ truncated: true, next_cursor: expect.any(String) })
  const { status, json } = await ask('', `&cursor=${first.json.next_cursor}`)
  expect([status, json.calls.length, json.next_cursor]).toEqual([200, 1, null])
})

it('time buckets of several nodes are cut alike, and come in order of time', async () => {
  hub = await startHub()
  const start = Date.UTC(2026, 0, 1)
  const nodes = await Promise.all(['n1', 'n2'].map((node) => IndexWorker.open(node)))
  // One has seen ten seconds, the other an hour.
  for (const [at, every] of [1000, 360_000].entries()) {
    await nodes[at]!.add(
      Array.from({ length: 10 }, (_, i) => ({ at: start + i * every, service: `shop-${i}` })),
    )
    await hub.worker(`n${at + 1}`, nodes[at]!.answers)
  }
  const { groups } = (await hub.get('/mcp/stats?group_by=time&limit=20')).json
  const times = groups.map(({ group }: { readonly group: string }) => Date.parse(group))
  expect(times).toEqual(Array.from({ length: 10 }, (_, i) => start + Math.floor((i * 360) / 300) * 300_000))
  expect(groups.map(({ calls }: { readonly calls: number }) => calls)).toEqual([11, ...Array(9).fill(1)])
  for (const node of nodes) await node.close()
})

it('data boundaries are null and empty before any data, also of nodes that hold none yet', async () => {
  hub = await startHub()
  expect((await hub.get('/mcp/data-boundaries')).json).toEqual({
    cluster: { oldest_ts: null, newest_ts: null },
    nodes: [],
  })
  await hub.worker(
    'n1',
    {},
    {
      recording: { oldest_ts: null, newest_ts: null, size_bytes: 0, packet_count: 0, dropped_packets: 0 },
    },
  )
  expect((await hub.get('/mcp/data-boundaries')).json).toEqual({
    cluster: { oldest_ts: null, newest_ts: null },
    nodes: [],
  })
})

it('an empty live answer says why', async () => {
  const filter = 'response.status == 500 and path contains "x"'
  const counts = { 'response.status == 500': 2, 'path contains "x"': 5 }
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  await hub.worker('n1', holding([{ id: 'n1/1/0', ts: 1_700_000_000_000 }], counts))
  expect((await ask(filter)).json).toMatchObject({
    calls: [],
    total: 0,
    why_empty: {
      reason: 'no_match',
      parts: [
        { kfl: 'response.status == 500', matches: 2 },
        { kfl: 'path contains "x"', matches: 5 },
      ],
    },
  })
  expect((await ask(filter, '&end=2020-01-01T00:00:00Z')).json.why_empty).toMatchObject({
    reason: 'window_outside_data',
    available_from: '2023-11-14T22:13:20.000Z',
  })
  await hub.send('POST', '/api/dissection/disable')
  const { json: paused } = await ask(filter)
  expect(paused.indexing).toMatchObject({ enabled: false, pauses_at: null })
  expect(paused.why_empty).toMatchObject({ reason: 'indexing_paused', since: paused.indexing.since })
  expect(paused.why_empty.parts).toHaveLength(2)
  expect((await ask(filter, '&end=2023-11-15T00:00:00Z')).json.why_empty.reason).toBe('no_match')
})

it('an empty live answer distinguishes no capture from no data', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  const worker = await hub.worker('n1', holding([]), {
    capture: { active: false, reason: 'CAP_NET_RAW is missing', interfaces: [] },
  })
  expect((await ask('')).json.why_empty).toMatchObject({
    reason: 'not_captured',
    detail: expect.stringContaining('CAP_NET_RAW'),
  })
  worker.sendReport({ capture: { active: true, interfaces: ['lo'] } })
  await expect.poll(async () => (await ask('')).json.why_empty).toMatchObject({ reason: 'no_data' })
})

it('a node that fails is reported as missing from the answer', async () => {
  hub = await startHub()
  await hub.worker('n1', holding([{ id: 'n1/1/0', ts: 30 }]))
  await hub.worker('n2', {
    calls: () => {
      throw { status: 500, code: 'internal', detail: 'the index is broken' }
    },
  })
  expect((await ask('')).json).toMatchObject({
    total: 1,
    missing_nodes: [{ name: 'n2', reason: 'the index is broken' }],
  })
})

it('filters are checked, completed and listed', async () => {
  hub = await startHub()
  expect((await hub.get('/mcp/kfl/check?kfl=path%20contains%20%27x%27')).json).toEqual({
    valid: true,
    formatted: 'path contains "x"',
  })
  expect((await hub.get('/mcp/kfl/check?kfl=pat%20%3D%3D%20%22x%22')).json).toMatchObject({
    valid: false,
    position: 0,
    length: 3,
    suggestion: expect.any(String),
  })
  const { json } = await hub.get('/api/kfl/complete?kfl=request.pa&cursor=10')
  expect(json.items.map(({ label }: { label: string }) => label)).toContain('request.path')
  const { json: fields } = await hub.get('/mcp/kfl/fields')
  expect(fields.fields.map(({ name }: { name: string }) => name)).toEqual(
    expect.arrayContaining(['src.pod', 'dst.svc', 'request.path', 'response.status']),
  )
})

it('names are taken, listed and looked up', async () => {
  hub = await startHub()
  const put = (body: object) => hub.send('PUT', '/api/inventory', body)
  const pods = [{ name: 'cart-1', namespace: 'shop', ips: ['10.0.0.1'], labels: { app: 'cart' } }]
  const services = [{ name: 'cart', namespace: 'shop', ips: ['10.1.0.1'] }]
  expect((await put({ source: 'demo', pods, services })).json).toEqual({
    success: true,
    pods: 1,
    services: 1,
  })
  expect((await put({ source: 'other', pods: [], services })).json).toMatchObject({ success: true })
  expect((await hub.get('/api/inventory')).json.services).toHaveLength(2)
  expect((await hub.get('/mcp/resolve/workloads?type=pod')).json).toEqual({
    workloads: [
      {
        name: 'cart-1',
        namespace: 'shop',
        kind: 'pod',
        labels: { app: 'cart' },
        ips: [{ ip: '10.0.0.1', timestamp: null }],
      },
    ],
    total: 1,
  })
  expect((await hub.get('/mcp/resolve/ips?ip=10.0.0.1')).json).toMatchObject({
    ips: [{ ip: '10.0.0.1', records: [{ name: 'cart-1', namespace: 'shop' }] }],
    total: 1,
  })
  for (let at = 0; at < 100; at++) await put({ source: `s${at}`, pods: [], services })
  expect((await put({ source: 'one-more', pods: [], services })).json).toMatchObject({ status: 409 })
})

it('says that the traffic is encrypted, where that is why nothing was found', async () => {
  const worker = await IndexWorker.open('n1')
  try {
    await worker.add([{ at: Date.UTC(2026, 0, 1), service: 'plain' }])
    const counts = { tls: 3, content: 0 }
    const answers: Answers = {
      ...worker.answers,
      count: (input) => {
        if (input.kfl.includes('not (proto in')) return { count: counts.content }
        if (input.kfl.includes('"tls"')) return { count: counts.tls }
        return worker.answers.count!(input, undefined as never, 0)
      },
    }
    hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
    await hub.worker('n1', answers)
    const why = async (kfl: string) => (await ask(kfl)).json.why_empty
    expect(await why('dst.svc == "bank" and request.path contains "/pay"')).toMatchObject({
      reason: 'encrypted',
      detail: expect.stringContaining('3 encrypted connections'),
    })
    expect((await why('dst.svc == "bank" and tlsx_sni == "x"')).reason).toBe('no_match')
    counts.content = 1
    expect((await why('dst.svc == "bank" and request.path contains "/pay"')).reason).toBe('no_match')
  } finally {
    await worker.close()
  }
})

it('answers say of which times the live index misses something; how much, only to who may see all', async () => {
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.team.capabilities={dissection:live}',
      'tap.auth.roles.team.namespaces={shop}',
    ],
  })
  const admin = giveToken(hub.folder, 'svc-admin').headers
  const team = giveToken(hub.folder, 'team').headers
  const worker = await hub.worker('n1', holding([{ id: 'n1/1/0', ts: 30 }]))
  const { json: whole } = await hub.get('/mcp/calls', admin)
  expect(whole).toMatchObject({ total: 1 })
  expect(whole.incomplete).toBeUndefined()
  worker.sendReport({ indexing: true, loss: { skipped_packets: 3 } })
  const answer = await until(
    () => hub.get('/mcp/calls', admin),
    ({ json }) => json.incomplete !== undefined,
  )
  const [span] = answer.json.incomplete
  expect(span).toEqual({
    node: 'n1',
    skipped_packets: 3,
    start: expect.any(String),
    end: expect.any(String),
    kind: 'not_indexed',
    reason: 'fell_behind',
  })
  expect(Date.parse(span.start)).toBeLessThan(Date.parse(span.end))
  for (const path of ['/mcp/stats', '/mcp/flows', '/mcp/flows/summary'])
    expect((await hub.get(path, admin)).json.incomplete).toEqual([span])
  const { json: narrow } = await hub.get('/api/calls', team)
  expect(narrow.incomplete).toEqual([
    { start: span.start, end: span.end, kind: 'not_indexed', reason: 'fell_behind' },
  ])
  const before = await hub.get('/mcp/calls?end=2020-01-01T00:00:00Z', admin)
  expect(before.json.incomplete).toBeUndefined()
  const query = 'a_end=2020-01-01T00:00:00Z&b_start=2020-01-01T00:00:00Z'
  const { json: compared } = await hub.get(`/mcp/diff?${query}`, admin)
  expect(compared.notes.filter((note: string) => note.startsWith('Live indexing lost packets'))).toEqual([
    'Live indexing lost packets in B: calls that seem gone or fewer may have been lost.',
  ])
})

it('time buckets follow from the window that was asked for, not from where its calls are', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  const spans: unknown[] = []
  const answers = holding([{ id: 'n1/1/0', ts: 30 }])
  await hub.worker('n1', {
    ...answers,
    stats: ({ span }) => {
      spans.push(span)
      return { groups: [] }
    },
  })
  await hub.get('/api/stats?group_by=time&start=1000&end=61000')
  await hub.get('/api/stats?group_by=time&start=1000')
  await hub.get('/api/stats?group_by=service&start=1000&end=61000')
  expect(spans).toEqual([{ from: 1000, to: 61_000 }, undefined, undefined])
})
