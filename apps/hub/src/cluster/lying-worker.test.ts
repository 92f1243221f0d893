import { once } from 'node:events'
import type { WorkerRequests } from '@tapdeck/api'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Answers, FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

/**
 * Two nodes: `honest` answers as it should, `liar` answers with what a broken or hostile worker could send, as raw JSON text.
 * Whatever the liar says, callers get the part of the honest node, and the liar is in `missing_nodes`.
 */
let hub: TestHub
let honest: FakeWorker
let liar: FakeWorker

type Request = keyof WorkerRequests
/** The raw JSON of the next answers of the liar, by request. */
const lies = new Map<Request, (input: Record<string, unknown>) => string>()

const peer = { ip: '10.0.0.1', port: 80 }
const call = (id: string, ts: number) => ({ id, ts, src: peer, dst: peer, proto: 'http' })
const group = { group: 'shop', calls: 3, errors: 0, capture_errors: 0, rate: 1, bytes: 9 }
const stats = { tx_pkts: 1, rx_pkts: 1, tx_bytes: 1, rx_bytes: 1 }
const flow = {
  proto: 'tcp',
  client: { ip: '10.0.0.1' },
  server: { ip: '10.0.0.2' },
  client_stats: stats,
  server_stats: stats,
  totals: { pkts: 2, bytes: 2, pps: 1, bps: 1 },
  flows: 1,
  start_ts: 1,
  last_ts: 2,
}
const cost = {
  read_bytes: 1,
  window_bytes: 1,
  packets: 1,
  elapsed_ms: 1,
  searched_from: 1,
  searched_to: 2,
  calls: 1,
  by_protocol: { http: 1 },
  restricted: false,
}
const page = (node: string, times: readonly number[]) => ({
  calls: times.map((ts, at) => call(`${node}/1/${at}`, ts)),
  total: times.length,
  total_is: 'exact' as const,
  cursors: times.map((_, at) => `c${at}`),
})
const summary = { calls: 3, flows: 1, oldest_ts: 10, newest_ts: 30, size_bytes: 1, by_protocol: { http: 3 } }
const event = { ts: 20, kind: 'os', type: 'process_start', node: 'honest', pid: 1, comm: 'sh' }

const truths: Answers = {
  calls: ({ limit }) => page('honest', [30, 20, 10].slice(0, limit)),
  rewind: ({ limit }) => ({ ...page('honest', [30, 20, 10].slice(0, limit)), spent: false, rewind: cost }),
  stats: () => ({ groups: [group] }),
  flows: () => ({ flows: [flow], total: 1 }),
  summary: () => summary,
  values: () => ({ values: [{ value: '/a', calls: 3 }] }),
  count: () => ({ count: 3 }),
  events: () => ({ events: [event], total: 1, more: false }),
}

const lying: Answers = Object.fromEntries(
  ['calls', 'call', 'rewind', 'stats', 'flows', 'summary', 'values', 'count', 'events'].map((name) => [
    name,
    (input: Record<string, unknown>, worker: FakeWorker, id: number) => {
      const lie = lies.get(name as Request)
      if (lie === undefined) return truths[name as keyof Answers]?.(input as never, worker, id)
      worker.socket.send(`{"kind":"answer","id":${id},"result":${lie(input)}}`)
      return new Promise(() => {})
    },
  ]),
)

beforeAll(async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  honest = await hub.worker('honest', truths)
  liar = await hub.worker('liar', lying)
})
afterAll(() => hub.stop())

const raw = JSON.stringify
const deep = `${'['.repeat(5000)}${']'.repeat(5000)}`
const nonsense = [
  '{}',
  'null',
  '[]',
  '"no"',
  '7',
  '{"calls":{},"groups":{},"flows":{},"values":{},"events":{}}',
]
const own = page('liar', [25])
const withRow = (more: object) => raw({ ...own, calls: [{ ...own.calls[0], ...more }] })
const badPages = [
  ...nonsense,
  withRow({ ts: '25' }),
  raw(own).replace('"ts":25', '"ts":1e999'),
  raw(own).replace('"ts":25', '"ts":9e15'),
  withRow({ id: 7 }),
  withRow({ id: 'honest/1/0' }),
  withRow({ id: 'liarr/1/0' }),
  withRow({ src: null }),
  withRow({ dst: { ip: ['10.0.0.1'], port: 80 } }),
  withRow({ latency_ms: 'long' }),
  raw(own).replace('"proto":"http"', `"proto":"http","request":${deep}`),
  raw(own).replace('"proto":"http"', '"proto":"http","size":1e999'),
  raw({ ...own, calls: [null] }),
  raw({ ...own, calls: [[]] }),
  raw({ ...own, total: -1 }),
  raw(own).replace('"total":1', '"total":1e308'),
  raw({ ...own, total_is: 'certainly' }),
  raw({ ...own, cursors: [] }),
  raw({ ...own, cursors: [7] }),
  raw({ ...own, next_cursor: {} }),
  raw(page('liar', Array(500).fill(25))),
]
const rewound = (text: string) =>
  text.startsWith('{"calls":[') ? `${text.slice(0, -1)},"spent":false,"rewind":${raw(cost)}}` : text

const cases: readonly (readonly [Request, string, readonly string[]])[] = [
  ['calls', '/api/calls?limit=100', badPages],
  ['rewind', '/api/calls?db=recording&limit=100&start=1&end=60', badPages.map(rewound)],
  [
    'rewind',
    '/api/calls?db=recording&limit=100&start=1&end=60',
    [{}, { ...cost, searched_to: 9e15 }, { ...cost, by_protocol: 'http' }].map((one) =>
      raw({ ...own, spent: false, rewind: one }),
    ),
  ],
  [
    'stats',
    '/api/stats',
    [
      ...nonsense,
      raw({ groups: [{ ...group, calls: '3' }] }),
      raw({ groups: [{ ...group, group: 7 }] }),
      raw({ groups: [{ ...group, rate: null }] }),
      raw({ groups: [group] }).replace('"calls":3', '"calls":1e308'),
      raw({ groups: [group], counted_from_ts: 9e15 }),
      raw({ groups: Array(2000).fill(group) }),
    ],
  ],
  [
    'flows',
    '/api/flows',
    [
      ...nonsense,
      raw({ flows: [{ ...flow, totals: {} }], total: 1 }),
      raw({ flows: [{ ...flow, client: 'me' }], total: 1 }),
      raw({ flows: [{ ...flow, last_ts: 9e15 }], total: 1 }),
      raw({ flows: [flow], total: -5 }),
      raw({ flows: [flow], total: 1 }).replace('"bytes":2', '"bytes":1e999'),
    ],
  ],
  ['flows', '/api/flows/summary', [...nonsense, raw({ flows: [{ ...flow, proto: 6 }], total: 1 })]],
  ['stats', '/api/diff?a_end=2026-01-01T00:00:00Z&b_start=2026-01-01T00:00:00Z', nonsense],
]

describe.each(cases)('%s that are not valid: %s', (request, path, texts) => {
  it.each(texts.map((text) => [text.slice(0, 100), text]))('%s', async (_, text) => {
    lies.set(request, () => text)
    try {
      const { status, json } = await hub.get(path)
      expect([status, json.detail]).toEqual([200, undefined])
      expect(json.missing_nodes?.[0]).toEqual({
        name: 'liar',
        reason: expect.stringContaining('Invalid response'),
      })
      expect(raw(json)).not.toContain('liar/')
      if (json.calls) expect(json.calls.map(({ ts }: { ts: number }) => ts)).toEqual([30, 20, 10])
      if (json.flows) expect(json).toMatchObject({ total: 1, flows: [{ proto: 'tcp' }] })
      if (path === '/api/stats') expect(json.groups).toMatchObject([{ group: 'shop', calls: 3 }])
    } finally {
      lies.clear()
    }
  })
})

describe('answers about one node, or of which a part is enough', () => {
  it.each([
    ...nonsense,
    raw({ ...summary, newest_ts: 9e15 }),
    raw({ ...summary, by_protocol: { http: -1 } }),
  ])('a summary of %s', async (text) => {
    lies.set('summary', () => text)
    const { status, json } = await hub.get('/api/databases')
    const time = await hub.get('/api/stats?group_by=time')
    lies.clear()
    expect(status).toBe(200)
    expect(json.databases).toContainEqual(
      expect.objectContaining({ node: 'liar', type: 'realtime', status: 'unreachable' }),
    )
    expect(json.databases).toContainEqual(
      expect.objectContaining({ node: 'honest', type: 'realtime', entry_count: 3 }),
    )
    expect(time.status).toBe(200)
  })

  it.each([...nonsense, raw({ events: [{ ...event, ts: 'now' }], total: 1, more: false })])(
    'events of %s',
    async (text) => {
      lies.set('events', () => text)
      const { status, json } = await hub.get('/api/events?kind=os')
      lies.clear()
      expect([status, json.total]).toEqual([200, 1])
      expect(json.unavailable).toEqual([
        { node: 'liar', reason: expect.stringContaining('Invalid response') },
      ])
    },
  )

  it('events of another node are shown as of the node that sent them', async () => {
    lies.set('events', () => raw({ events: [{ ...event, ts: 25 }], total: 1, more: false }))
    const { json } = await hub.get('/api/events?kind=os')
    lies.clear()
    expect(json.events.map(({ node }: { node: string }) => node)).toEqual(['liar', 'honest'])
  })

  it.each([...nonsense, raw({ call: {} }), raw({ call: call('honest/1/0', 1) })])(
    'a call of %s',
    async (text) => {
      lies.set('call', () => text)
      const { status, json } = await hub.get('/api/calls/liar/1/0')
      lies.clear()
      expect([503, 404]).toContain(status)
      if (status === 503) expect(json.code).toBe('bad_answer')
    },
  )

  it.each(nonsense)('values and counts of %s', async (text) => {
    lies.set('values', () => text)
    lies.set('count', () => text)
    const complete = await hub.get('/api/kfl/complete?kfl=path%20%3D%3D%20%22&cursor=9')
    const empty = await hub.get(`/api/calls?kfl=${encodeURIComponent('path == "/none"')}`)
    lies.clear()
    expect([complete.status, complete.json.values, empty.status]).toEqual([200, 'observed', 200])
  })
})

it.each([400, 401, 403, 404, 409, 413, 500, 503])(
  'a node that fails with %i is missing, and no more',
  async (status) => {
    const { calls } = liar.answers
    const fails = () => {
      throw {
        status,
        code: 'bad_filter',
        detail: 'no',
        extensions: { status: 200, code: 'x', a: { b: [1] } },
      }
    }
    Object.assign(liar.answers, { calls: fails })
    const answer = await hub.get('/api/calls')
    Object.assign(liar.answers, { calls })
    expect([answer.status, answer.json.calls.length]).toEqual([200, 3])
    expect(answer.json.missing_nodes).toMatchObject([{ name: 'liar' }])
  },
)

it('pages without an end and without calls do not keep those of others back', async () => {
  let number = 0
  lies.set('calls', () =>
    raw({ calls: [], total: 0, total_is: 'at_least', cursors: [], next_cursor: `more ${number++}` }),
  )
  const { status, json } = await hub.get('/api/calls')
  lies.set('calls', ({ cursor }) => raw({ ...own, next_cursor: cursor ?? 'again' }))
  const again = await hub.get('/api/calls')
  lies.clear()
  expect([status, json.calls.length, json.truncated]).toEqual([200, 3, false])
  expect(json.missing_nodes).toEqual([{ name: 'liar', reason: expect.stringContaining('without a call') }])
  expect(again.json.missing_nodes).toEqual([{ name: 'liar', reason: expect.stringContaining('same page') }])
})

it('answers that are larger than their request allows are not read, and the link goes on', async () => {
  const body = 'x'.repeat(2_000_000)
  lies.set('summary', () => raw({ ...summary, more: body }))
  const { json } = await hub.get('/api/databases')
  expect(json.databases).toContainEqual(
    expect.objectContaining({ node: 'liar', type: 'realtime', status: 'unreachable' }),
  )
  // A page of calls has bodies.
  const large = page('liar', [25])
  lies.set('calls', () => raw({ ...large, calls: [{ ...large.calls[0], path: `/${body}` }] }))
  const calls = await hub.get('/api/calls?fields=id')
  lies.clear()
  expect(calls.json.missing_nodes).toBeUndefined()
  expect(calls.json.calls).toHaveLength(4)
  // No request waits for it.
  liar.socket.send(`{"kind":"answer","id":4000000000,"result":"${body}"}`)
  expect((await hub.get('/api/databases')).json.databases).toContainEqual(
    expect.objectContaining({ node: 'liar', type: 'realtime', entry_count: 3 }),
  )
})

it('counts answers that were refused', async () => {
  const { text } = await hub.get('/metrics')
  const counted = /tapdeck_invalid_answers_total\{node="liar"\} (\d+)/.exec(text)?.[1]
  expect(Number(counted)).toBeGreaterThan(50)
  expect(text).toContain('tapdeck_invalid_answers_total{node="honest"} 0')
})

it('live calls in the name of another node end the link, and those of the others go on', async () => {
  const closed = once(liar.socket, 'close')
  liar.say({ kind: 'calls', subscription: 1, calls: [call('honest/1/0', 1)], skipped: 0 })
  const [code] = await closed
  expect(code).toBe(1002)
  expect(honest.socket.readyState).toBe(honest.socket.OPEN)
})
