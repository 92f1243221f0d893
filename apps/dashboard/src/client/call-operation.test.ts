import { afterEach, expect, test, vi } from 'vitest'
import { addressOf, callOperation } from './call-operation.ts'

afterEach(() => vi.unstubAllGlobals())

/** The requests that reach the network, each answered with an empty object. */
function recordRequests() {
  const requests: { url: string; method: string | undefined; body: unknown }[] = []
  vi.stubGlobal('fetch', async (url: string, { method, body }: RequestInit) => {
    requests.push({ url, method, body: typeof body === 'string' ? JSON.parse(body) : body })
    return Response.json({})
  })
  return requests
}

test('path parameters are encoded, and the rest is the query of a GET or DELETE', async () => {
  const requests = recordRequests()
  await callOperation('get_api_call', { id: 'n1/2/3', db: undefined })
  await callOperation('list_api_calls', { kfl: 'path == "/a b"', limit: 10, db: '' })
  await callOperation('delete_snapshot', { name: 'a?b', force: 'true' })
  expect(requests).toEqual([
    { url: '/api/calls/n1%2F2%2F3', method: 'GET', body: undefined },
    { url: '/api/calls?kfl=path+%3D%3D+%22%2Fa+b%22&limit=10', method: 'GET', body: undefined },
    { url: '/api/snapshots/a%3Fb?force=true', method: 'DELETE', body: undefined },
  ])
})

test('the rest is the JSON body of a POST or PATCH', async () => {
  const requests = recordRequests()
  await callOperation('create_snapshot', { name: 'one', duration: '5m' })
  await callOperation('update_snapshot', { name: 'one', notes: 'x', tags: [] })
  expect(requests).toEqual([
    { url: '/api/snapshots', method: 'POST', body: { name: 'one', duration: '5m' } },
    { url: '/api/snapshots/one', method: 'PATCH', body: { notes: 'x', tags: [] } },
  ])
})

test('a download has an address', () => {
  expect(addressOf('export_snapshot_pcap', { name: 'a b' })).toBe('/api/snapshots/a%20b/pcap')
  expect(addressOf('export_snapshot_pcap', { name: 'a', call: 'n/1/0', dissection: 'd' })).toBe(
    '/api/snapshots/a/pcap?call=n%2F1%2F0&dissection=d',
  )
})
