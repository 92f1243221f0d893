import { afterAll, beforeAll, expect, it } from 'vitest'
import { type Exchange, IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

/** An hour ago, so that all windows are past. */
const DAWN = Date.UTC(2026, 0, 1)
const MINUTE = 60_000
const windows = `a_start=${DAWN}&a_end=${DAWN + MINUTE}&b_start=${DAWN + MINUTE}&b_end=${DAWN + 2 * MINUTE}`

let hub: TestHub
let worker: IndexWorker

/** So many calls to a service, spread over a minute; `make` says what the one of a number is like. */
function minute(
  of: number,
  service: string,
  count: number,
  make: (at: number) => Partial<Exchange> = () => ({}),
) {
  return Array.from({ length: count }, (_, at): Exchange => {
    const time = DAWN + of * MINUTE + Math.floor((at * (MINUTE - 1000)) / count) + 1
    return { at: time, service, ...make(at) }
  })
}

beforeAll(async () => {
  worker = await IndexWorker.open('n1')
  await worker.add([
    ...minute(0, 'steady', 60, (at) => ({ latency: 5 + (at % 10), status: at % 20 === 0 ? 500 : 200 })),
    ...minute(1, 'steady', 60, (at) => ({ latency: 5 + (at % 10), status: at % 15 === 0 ? 500 : 200 })),
    ...minute(0, 'slow', 60, (at) => ({ latency: 5 + (at % 10) })),
    ...minute(1, 'slow', 60, (at) => ({ latency: 50 + (at % 10) })),
    ...minute(0, 'broken', 60),
    ...minute(1, 'broken', 60, (at) => ({ status: at % 2 === 0 ? 503 : 200 })),
    ...minute(0, 'vanished', 30),
    ...minute(1, 'arrived', 30),
    ...minute(1, 'rare', 3),
    ...minute(0, 'busier', 20),
    ...minute(1, 'busier', 80),
    ...minute(0, 'larger', 40),
    ...minute(1, 'larger', 40, () => ({ headers: { 'x-much': 'x'.repeat(3000) } })),
    ...minute(0, 'small', 4),
    ...minute(1, 'small', 4, () => ({ latency: 500, status: 500 })),
  ])
  hub = await startHub()
  await hub.worker('n1', worker.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

it('reports what is new, gone, slower and failing more between two windows, with calls that show it', async () => {
  const { status, json } = await hub.get(`/mcp/diff?${windows}`)
  expect(status).toBe(200)
  const kinds = Object.fromEntries(
    json.groups.map(({ group, changes }: { group: string; changes: { kind: string }[] }) => [
      group,
      changes.map(({ kind }) => kind),
    ]),
  )
  expect(kinds).toEqual({
    broken: ['failing_more'],
    slow: ['slower'],
    vanished: ['gone'],
    arrived: ['new'],
    busier: ['more_calls'],
    larger: ['bigger'],
  })
  expect(json.counts).toEqual({
    new: 1,
    gone: 1,
    more_calls: 1,
    bigger: 1,
    slower: 1,
    failing_more: 1,
    unchanged: 3,
    too_few_calls: 2,
  })
  expect(json.left_out).toEqual([
    { group: 'small', ns: 'shop', why: 'too_few_calls', a_calls: 4, b_calls: 4 },
    { group: 'rare', ns: 'shop', why: 'too_few_calls', a_calls: 0, b_calls: 3 },
  ])
  const [broken] = json.groups
  expect(broken).toMatchObject({
    group: 'broken',
    a: { calls: 60, error_rate: 0 },
    b: { calls: 60, errors: 30, error_rate: 0.5 },
  })
  expect(broken.changes[0]).toMatchObject({ significance: 'strong', evidence: expect.any(Array) })
  for (const { changes } of json.groups)
    for (const { kind, evidence } of changes) {
      expect(evidence.length).toBeGreaterThan(0)
      const { json: call } = await hub.get(`/mcp/calls/${evidence[0]}`)
      if (kind === 'failing_more') expect(call.status).toBe(503)
      if (kind === 'slower') expect(call.latency_ms).toBeGreaterThan(40)
      expect(call.ts < DAWN + MINUTE).toBe(kind === 'gone')
    }
})

it('selects the calls of a group with the filter that it gives', async () => {
  const { json } = await hub.get(
    `/api/diff?${windows}&group_by=status&kfl=${encodeURIComponent('dst.svc == "broken"')}`,
  )
  const [group] = json.groups
  expect(group).toMatchObject({ group: '503', changes: [{ kind: 'new' }] })
  const found = await hub.get(`/api/calls?kfl=${encodeURIComponent(group.kfl)}`)
  expect(found.json.total).toBe(30)
})

it('normalises by the length of the windows: half the calls in half the time is no change', async () => {
  const half = `a_start=${DAWN}&a_end=${DAWN + MINUTE}&b_start=${DAWN}&b_end=${DAWN + MINUTE / 2}`
  const { json } = await hub.get(`/api/diff?${half}`)
  expect(json.groups).toEqual([])
  expect(json.a.rate / json.b.rate).toBeCloseTo(1, 0)
})

it('claims nothing of what it has not seen', async () => {
  const { json } = await hub.get(`/api/diff?a_start=0&a_end=1000&b_start=${DAWN}&b_end=${DAWN + MINUTE}`)
  expect(json.groups).toEqual([])
  expect(json.notes).toContain('A has no matching calls, so there is nothing to compare.')
})

it('does not say that nothing can be compared where all of A is gone', async () => {
  const { json } = await hub.get(`/api/diff?${windows}&kfl=${encodeURIComponent('dst.svc == "vanished"')}`)
  expect(json.counts).toMatchObject({ gone: 1 })
  expect(json.notes).toEqual(['B has no matching calls.'])
})

it.each([
  ['', 'A and B are the same'],
  [`a_start=${DAWN + 5}&a_end=${DAWN}`, 'a_start is not before a_end'],
  [`${windows}&group_by=time`, 'group_by'],
  [`${windows}&min_calls=0`, 'min_calls'],
  [`${windows}&kfl=nope`, 'Unknown field'],
])('refuses %s', async (query, message) => {
  const { status, json } = await hub.get(`/api/diff?${query}`)
  expect(status).toBe(400)
  expect(json.detail).toContain(message)
})

it('answers 404 for a database that is not there', async () => {
  const { status, json } = await hub.get('/api/diff?a_db=x/y&b_db=x/z')
  expect([status, json.code]).toEqual([404, 'unknown_dissection'])
})

const complete = async (marked: string, more = '') => {
  const cursor = marked.indexOf('|')
  const kfl = encodeURIComponent(marked.replace('|', ''))
  return (await hub.get(`/api/kfl/complete?kfl=${kfl}&cursor=${cursor}${more}`)).json
}
const labels = (answer: { items: { label: string; kind: string }[] }) =>
  answer.items.filter(({ kind }) => kind === 'value').map(({ label }) => label)

it('completes with values that were seen, the most frequent first', async () => {
  const answer = await complete('dst.svc == "|')
  expect(answer.values).toBe('observed')
  expect(labels(answer).slice(0, 3).sort()).toEqual(['"broken"', '"slow"', '"steady"'])
  expect(answer.items[0]).toMatchObject({ kind: 'value', calls: 120 })
  expect(labels(await complete('dst.svc == "ANI|'))).toEqual(['"vanished"'])
  expect(labels(await complete('http and response.status == |'))).toContain('"503"')
  expect(labels(await complete('request.headers["Host"] == "ra|'))).toEqual(['"rare"'])
  expect(labels(await complete('dst.port == |'))).toEqual(['80'])
})

it('completes with values of the window only', async () => {
  const first = `&start=${DAWN}&end=${DAWN + MINUTE}`
  expect(labels(await complete('dst.svc == "|', first))).not.toContain('"arrived"')
  expect((await complete('dst.svc == "nothing|')).values).toBe('none')
})

it('explains what SQL decides of a filter', async () => {
  const kfl = 'dst.svc == "slow" and response.body contains "x"'
  const { json } = await hub.get(`/api/kfl/explain?kfl=${encodeURIComponent(kfl)}`)
  expect(json).toMatchObject({ exact: false, reads: ['dst.svc', 'response.body'] })
  expect(json.parts).toMatchObject([{ pushed: 'all' }, { pushed: 'none', where: 'true' }])
  expect(json.where).toContain("'slow'")
})
