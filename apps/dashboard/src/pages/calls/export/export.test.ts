import { expect, test } from 'vitest'
import type { CompactCall } from '../../../client/call-details.ts'
import type { CallPage } from '../../../client/hub.ts'
import { asCsv } from './as-csv.ts'
import { asHar } from './as-har.ts'
import { collectCalls } from './collect-calls.ts'

const call = {
  id: 'a/1/0',
  ts: 1_794_977_212_740.5,
  src: { ip: '10.0.0.1', port: 40_000, pod: 'front-0' },
  dst: { ip: '10.0.0.2', port: 80, svc: 'cart' },
  proto: 'http',
  method: 'GET',
  path: '/a,"b"',
  status: 200,
  latency_ms: 12.5,
}

test('a call is a line of CSV, quoted where it must be', () => {
  const [head, line, end] = asCsv([call]).split('\r\n')
  expect(head?.split(',').slice(0, 5)).toEqual(['time', 'id', 'protocol', 'method', 'path'])
  expect(line).toBe(
    '2026-11-18T04:46:52.740Z,a/1/0,http,GET,"/a,""b""",200,,12.5,10.0.0.1,40000,front-0,,,10.0.0.2,80,,,cart',
  )
  expect(end).toBe('')
  expect(asCsv([{ ...call, path: '=1+1' }])).toContain(",'=1+1,")
})

test('fields that were added to the list are columns of the CSV', () => {
  const full = { ...call, request: { headers: { Host: 'cart' }, query: { a: 1 } } }
  const [head, line] = asCsv(
    [full],
    [
      { name: 'request.headers["host"]', path: 'request.headers.host' },
      { name: 'request.query', path: 'request.query' },
      { name: 'response.reason', path: 'response.reason' },
    ],
  ).split('\r\n')
  expect(head).toMatch(/,dst_svc,"request\.headers\[""host""\]",request\.query,response\.reason$/)
  expect(line).toMatch(/,cart,cart,"\{""a"":1\}",$/)
})

test('HTTP calls become entries of an HTTP archive, oldest first; others are left out', () => {
  const full = {
    ...call,
    ttfb_ms: 10,
    request: {
      method: 'POST',
      url: 'http://cart/a',
      http_version: '1.1',
      headers: { 'x-a': ['1', '2'] },
      body: 'hi',
    },
    response: {
      status: 200,
      reason: 'OK',
      headers: { 'content-type': 'image/png' },
      body: 'iVBO',
      body_encoding: 'base64',
    },
  }
  const har = JSON.parse(
    asHar([full, { ...full, id: 'a/0/0', ts: call.ts - 1 }, { ...call, proto: 'dns', request: {} }], '1.0') ??
      '',
  )
  expect(har.log.version).toBe('1.2')
  expect(har.log.entries).toHaveLength(2)
  const [, entry] = har.log.entries
  expect(entry).toMatchObject({
    startedDateTime: '2026-11-18T04:46:52.740Z',
    time: 12.5,
    request: { method: 'POST', url: 'http://cart/a', postData: { text: 'hi' }, bodySize: -1 },
    response: { status: 200, content: { encoding: 'base64', mimeType: 'image/png', text: 'iVBO' } },
    timings: { send: 0, wait: 10, receive: 2.5 },
  })
  expect(entry.request.headers).toEqual([
    { name: 'x-a', value: '1' },
    { name: 'x-a', value: '2' },
  ])
  expect(asHar([{ ...call, proto: 'dns' }], '1.0')).toBeUndefined()
})

test('calls are collected page by page, until all, enough, or too many bytes', async () => {
  const all = Array.from({ length: 1200 }, (_, index): CompactCall => ({ ...call, id: `a/${index}/0` }))
  const asked: (string | undefined)[] = []
  const fetchPage = async ({ limit, cursor }: { limit: number; cursor?: string | undefined }) => {
    asked.push(cursor)
    const from = Number(cursor ?? 0)
    const next = from + limit
    return {
      calls: all.slice(from, next) as CallPage['calls'],
      next_cursor: next < all.length ? String(next) : null,
    }
  }
  const limits = { maxCalls: 5000, maxChars: 1e9, fetchPage }
  expect(await collectCalls({ kfl: '' }, limits)).toEqual({ calls: all, isCut: false })
  expect(asked).toEqual([undefined, '500', '1000'])
  const some = await collectCalls({ kfl: '' }, { ...limits, maxCalls: 700 })
  expect([some.calls.length, some.isCut]).toEqual([700, true])
  const few = await collectCalls({ kfl: '' }, { ...limits, maxChars: 10 * JSON.stringify(all[0]).length + 5 })
  expect([few.calls.length, few.isCut]).toEqual([10, true])
})
