import type { WorkerRequests } from '@tapdeck/api'
import { afterEach, expect, it } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

type RequestContext = WorkerRequests['rewind']['input']

let hub: TestHub
afterEach(() => hub?.stop())

const peer = { ip: '10.0.0.1', port: 80 }
const row = (id: string, ts: number, ns?: string) => ({
  id,
  ts,
  src: { ...peer, ...(ns && { ns }) },
  dst: peer,
  proto: 'http',
})
const cost = {
  read_bytes: 10,
  window_bytes: 1000,
  packets: 5,
  elapsed_ms: 7,
  searched_from: 1000,
  searched_to: 61_000,
  calls: 3,
  by_protocol: { http: 3 },
  restricted: false,
}

/** A recording that is searched a call at a time; after `most` of them its budget is spent. */
function recording(
  times: readonly number[],
  node: string,
  asked: RequestContext[] = [],
  most = 100,
): Answers {
  return {
    rewind(input) {
      asked.push(input)
      const at = Number(input.cursor ?? 0)
      const end = Math.min(times.length, at + Math.min(input.limit, most))
      const calls = times.slice(at, end).map((ts, place) => row(`${node}/1/${at + place}`, ts))
      return {
        calls,
        cursors: calls.map((_, place) => String(at + place + 1)),
        total: calls.length,
        total_is: end < times.length ? 'at_least' : 'exact',
        ...(end < times.length && { next_cursor: String(end) }),
        spent: end < times.length && calls.length < input.limit,
        rewind: cost,
      }
    },
    rewind_call: ({ id }) => ({ call: id.endsWith('/0') ? row(id, 5) : null, complete: !id.endsWith('/9') }),
  }
}

const ask = (more = '') => hub.get(`/mcp/calls?db=recording${more}`)

it('calls come out of the recordings of all nodes while indexing is off, and it stays off', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=false'] })
  await hub.worker('n1', recording([60_000, 40_000], 'n1'))
  await hub.worker('n2', recording([50_000], 'n2'))
  const { status, json: body } = await ask()
  expect(status).toBe(200)
  expect(body.calls.map(({ ts }: { ts: number }) => ts)).toEqual([60_000, 50_000, 40_000])
  expect(body).toMatchObject({
    total: 3,
    total_is: 'exact',
    truncated: false,
    rewind: { read_bytes: 20, window_bytes: 2000, packets: 10, searched_to: '1970-01-01T00:01:01.000Z' },
  })
  expect((await hub.get('/mcp/dissection')).json).toEqual({ enabled: false })
})

it('the last five minutes are searched unless a window is given', async () => {
  hub = await startHub()
  const asked: RequestContext[] = []
  await hub.worker('n1', recording([], 'n1', asked))
  await ask()
  await ask('&start=1000&end=2000')
  expect(asked[0]!.end - asked[0]!.start).toBe(300_000)
  expect(Math.abs(asked[0]!.end - Date.now())).toBeLessThan(60_000)
  expect(asked[1]).toMatchObject({ start: 1000, end: 2000 })
})

it('where the budget of one node is spent, nothing older of others is shown, and the cursor goes on', async () => {
  hub = await startHub()
  await hub.worker('n1', recording([60, 50, 40, 30], 'n1', [], 1))
  await hub.worker('n2', recording([55, 20], 'n2'))
  const times: number[] = []
  let cursor = ''
  for (let pages = 0; pages < 10; pages++) {
    const { json: body } = await ask(cursor && `&cursor=${cursor}`)
    times.push(...body.calls.map(({ ts }: { ts: number }) => ts))
    if (pages === 0) expect(times).toEqual([60])
    expect(body.truncated).toBe(body.next_cursor !== null)
    if (!body.truncated) break
    cursor = body.next_cursor
  }
  expect(times).toEqual([60, 55, 50, 40, 30, 20])
})

it('an answer that is empty says why', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', {
    ...recording([], 'n1'),
    rewind: (input) => ({
      calls: [],
      cursors: [],
      total: 0,
      total_is: 'exact',
      spent: false,
      rewind: {
        ...cost,
        restricted: input.kfl.includes('src'),
        calls: input.kfl.includes('absent') ? 0 : 3,
        by_protocol: input.kfl.includes('secret') ? { tls: 2, dns: 1 } : { http: 3 },
      },
    }),
  })
  const why = async (kfl: string, window = '&start=1000&end=60000') =>
    (await ask(`&kfl=${encodeURIComponent(kfl)}${window}`)).json.why_empty
  expect(await why('status == 500')).toMatchObject({
    reason: 'no_match',
    detail: expect.stringContaining('3 calls'),
  })
  expect(await why('src.ip == 10.9.9.9')).toMatchObject({
    detail: expect.stringContaining('peers in the filter'),
  })
  expect(await why('src.pod == "absent"')).toMatchObject({
    detail: expect.stringContaining('other peers were not searched'),
  })
  expect(await why('path == "/secret"')).toMatchObject({ reason: 'encrypted' })
  expect(await why('http', '&start=70000&end=80000')).toMatchObject({
    reason: 'window_outside_data',
    available_from: '1970-01-01T00:00:01.000Z',
  })
  worker.socket.close()
})

it('one call is found by its id, or the error says why not', async () => {
  hub = await startHub()
  await hub.worker('n1', recording([5], 'n1'))
  const one = (id: string) => hub.get(`/mcp/calls/${encodeURIComponent(id)}?db=recording`)
  expect((await one('n1/1/0')).json).toMatchObject({ id: 'n1/1/0' })
  expect(await one('n1/1/7')).toMatchObject({
    status: 404,
    json: { hint: expect.stringContaining('no longer in the recording') },
  })
  expect(await one('n1/1/9')).toMatchObject({
    status: 404,
    json: { hint: expect.stringContaining('start and end') },
  })
  expect((await one('n9/1/0')).status).toBe(404)
})

it('a busy worker gives 503, a wrong window or filter as 400', async () => {
  hub = await startHub()
  await hub.worker('n1', {
    rewind() {
      throw { status: 503, code: 'rewind_busy', detail: '4 questions wait already' }
    },
  })
  expect(await ask()).toMatchObject({
    status: 503,
    json: { code: 'rewind_busy', detail: expect.stringContaining('wait already') },
  })
  expect((await ask('&start=5&end=4')).status).toBe(400)
  expect((await ask('&kfl=nonsense%20==')).status).toBe(400)
  expect((await hub.get('/mcp/stats?db=recording')).status).toBe(400)
})

it('it is listed among the databases', async () => {
  hub = await startHub()
  await hub.worker('n1', recording([], 'n1'))
  const { json: body } = await hub.get('/mcp/databases')
  expect(body.databases).toContainEqual({
    type: 'recording',
    node: 'n1',
    name: 'recording',
    entry_count: 60,
    first_ts: 1000,
    last_ts: 61_000,
  })
})

it('a role that is narrowed to namespaces queries those alone, and gets no counts', async () => {
  hub = await startHub({
    set: [
      'tap.auth.enabled=true',
      'tap.auth.roles.shop.namespaces={shop}',
      'tap.auth.roles.shop.capabilities={snapshot:read}',
    ],
  })
  const asked: RequestContext[] = []
  const answers = recording([50], 'n1', asked)
  await hub.worker('n1', {
    ...answers,
    rewind_call: ({ id }) => ({ call: row(id, 5, 'bank'), complete: true }),
  })
  const { headers } = giveToken(hub.folder, 'shop')
  const { json: body } = await hub.get('/api/calls?db=recording&kfl=http', headers)
  expect(asked[0]!.kfl).toBe('not decrypted and ((src.ns in ["shop"] or dst.ns in ["shop"]) and (http))')
  expect(body.calls.length).toBe(1)
  expect(body.rewind).toBeUndefined()
  const { json: listed } = await hub.get('/api/databases', headers)
  expect(listed.databases[1]).toMatchObject({ type: 'recording', entry_count: 0, first_ts: null })
  expect((await hub.get('/api/calls/n1%2F1%2F0?db=recording', headers)).status).toBe(404)
})
