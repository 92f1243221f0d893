import { deflateRawSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { IndexWorker } from '../testing/index-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'

let hub: TestHub
let worker: IndexWorker

beforeAll(async () => {
  worker = await IndexWorker.open('n1')
  const path = `/${'a'.repeat(4000)}!`
  await worker.add(
    Array.from({ length: 20 }, (_, at) => ({ at: 1_700_000_000_000 + at, service: 's', path })),
  )
  hub = await startHub()
  await hub.worker('n1', worker.answers)
}, 60_000)
afterAll(async () => {
  await hub?.stop()
  await worker?.close()
})

const packed = (value: unknown) => deflateRawSync(JSON.stringify(value)).toString('base64url')
const calls = (parameters: Record<string, string>) => hub.get(`/mcp/calls?${new URLSearchParams(parameters)}`)

describe('a bad query is refused at once, and says what is wrong', () => {
  it.each([
    ['deep nesting', '('.repeat(3000), 'filter_too_large'],
    ['many brackets', '('.repeat(30_000), 'filter_too_large'],
    ['deep negation', `${'not '.repeat(1500)}http`, 'filter_too_large'],
    ['deep members', `a${'.b'.repeat(2000)} == 1`, 'filter_too_large'],
    ['a long list of wrong things', Array.from({ length: 1000 }, () => 'nope').join(' or '), 'bad_filter'],
    ['a filter of a megabyte', `path == "${'x'.repeat(1024 * 1024)}"`, 'filter_too_large'],
    ['a pattern that is too large', 'path matches "(a{1000}){1000}"', 'filter_too_large'],
    ['a pattern that is none', 'path matches "(a"', 'bad_filter'],
    ['a pattern with a back reference', 'path matches "(a)\\\\1"', 'bad_filter'],
    ['a name that no call has', 'udp_checksum == 1', 'bad_filter'],
    ['bytes that are no text', '\u0000\u0001\u{10ffff}', 'bad_filter'],
  ])('%s', async (_, kfl, code) => {
    for (const path of ['/mcp/calls', '/mcp/stats', '/api/diff', '/api/kfl/explain']) {
      const more = path === '/api/diff' ? { a_end: '5', b_start: '5' } : {}
      const { status, json } = await hub.get(`${path}?${new URLSearchParams({ kfl, ...more })}`)
      expect([path, status, json.code]).toEqual([path, 400, code])
      expect(json.detail.length).toBeLessThan(2100)
      expect(json).not.toHaveProperty('stack')
    }
  })

  it.each([
    [{ limit: '0' }, 400, 'invalid_input'],
    [{ limit: '-1' }, 400, 'invalid_input'],
    [{ limit: '1001' }, 400, 'invalid_input'],
    [{ limit: '1e9' }, 400, 'invalid_input'],
    [{ limit: '1.5' }, 400, 'invalid_input'],
    [{ limit: 'NaN' }, 400, 'invalid_input'],
    [{ format: 'xml' }, 400, 'invalid_input'],
    [{ order: 'sideways' }, 400, 'invalid_input'],
    [{ start: 'yesterday' }, 400, 'invalid_input'],
    [{ start: '2', end: '1' }, 400, 'invalid_input'],
    [{ db: 'nope' }, 400, 'invalid_input'],
    [{ db: 'nope/nope' }, 404, 'unknown_dissection'],
    [{ db: '../../etc/passwd' }, 400, 'invalid_input'],
    [{ cursor: 'x' }, 400, 'bad_cursor'],
    [{ cursor: Buffer.from('[]').toString('base64url') }, 400, 'bad_cursor'],
    [{ cursor: Buffer.from('{"n1":"garbage"}').toString('base64url') }, 400, 'bad_cursor'],
    [{ cursor: Buffer.from('{"n1":7}').toString('base64url') }, 400, 'bad_cursor'],
    [{ cursor: packed({ n1: 'x' }) }, 400, 'bad_cursor'],
    [{ cursor: packed({ db: '', progress: {} }) }, 400, 'bad_cursor'],
    [{ cursor: packed({ db: '', progress: { n1: 7 } }) }, 400, 'bad_cursor'],
    [{ cursor: packed({ db: '', progress: { n1: 'garbage' } }) }, 400, 'bad_cursor'],
    [{ cursor: packed({ db: 's1/all', progress: { n1: '' } }) }, 400, 'bad_cursor'],
    [{ cursor: packed('x'.repeat(4 * 1024 * 1024)) }, 400, 'bad_cursor'],
    [{ cursor: 'A'.repeat(70_000) }, 400, 'invalid_input'],
  ])('%j', async (parameters, status, code) => {
    const answer = await calls(parameters as Record<string, string>)
    expect([answer.status, answer.json.code]).toEqual([status, code])
  })

  it('a cursor of another query', async () => {
    const { json } = await calls({ limit: '5' })
    expect((await calls({ limit: '5', cursor: json.next_cursor })).json.calls).toHaveLength(5)
    for (const other of [{ kfl: 'http' }, { order: 'oldest' }, { start: '1' }] as Record<string, string>[])
      expect((await calls({ limit: '5', cursor: json.next_cursor, ...other })).json.code).toBe('bad_cursor')
  })
})

it.each(['/mcp/calls', '/mcp/stats', '/mcp/flows', '/mcp/flows/summary', '/mcp/events'])(
  '%s refuses a window that ends before it begins',
  async (path) => {
    const { status, json } = await hub.get(`${path}?start=5&end=3`)
    expect([status, json.detail]).toEqual([400, 'start is after end'])
  },
)

it.each([
  '/mcp/flows?ip=nope',
  '/mcp/flows?ip=10.0.0.0/8',
  '/mcp/flows?l4proto=tpc',
  '/mcp/resolve/ips?ip=1.2.3',
])('%s is refused: it would find nothing, whatever there is', async (path) => {
  expect((await hub.get(path)).json).toMatchObject({ status: 400, code: 'invalid_input' })
})

it.each(['ip=10.0.0.1', 'ip=fd00::1', 'l4proto=TCP', 'l4proto=icmp'])(
  '/mcp/flows?%s is asked',
  async (query) => {
    expect((await hub.get(`/mcp/flows?${query}`)).status).toBe(200)
  },
)

it('a pattern that would never end elsewhere is answered', async () => {
  const found = await calls({ kfl: 'path matches "(a|a|aa)*$" and path matches "^/(a+)+!$"' })
  expect([found.status, found.json.total]).toEqual([200, 20])
  expect((await calls({ kfl: 'path matches "^(([a/])+)+$"' })).json.total).toBe(0)
})
