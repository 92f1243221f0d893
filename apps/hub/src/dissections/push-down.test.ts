import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const START = 1_700_000_000_000
/** Many calls of one host, then a few of another, then many again: 6 MB. */
const packets = [
  ...httpPackets({ requests: 300, bodySize: 8000, start: START }),
  ...httpPackets({ requests: 10, client: '10.9.9.9', mark: 'rare', start: START + 60_000 }),
  ...httpPackets({ requests: 300, bodySize: 8000, start: START + 120_000 }),
]

async function dissect(name: string, kfl = '') {
  const more = { snapshot_name: 's1', dissection_name: name, kfl }
  const { status, text } = await hub.send('POST', '/mcp/dissections', more)
  expect(status, text).toBe(200)
  const { json } = await until(
    () => hub.get(`/mcp/dissections/s1/${name}`),
    ({ json: seen }) => ['completed', 'failed'].includes(seen.status),
  )
  expect(json.status).toBe('completed')
  return json
}

async function found(name: string, kfl = '') {
  const { json } = await hub.get(
    `/mcp/calls?db=s1/${name}&format=full&limit=1000&kfl=${encodeURIComponent(kfl)}`,
  )
  // What a destination's handshakes were is counted over the calls that a dissection has.
  return json.calls.map((call: object) =>
    Object.fromEntries(Object.entries(call).filter(([field]) => !field.startsWith('tcp_handshake'))),
  )
}

it('a job about one host reads little once there is an index, and finds the same calls', async () => {
  hub = await startHub({ thread: thread() })
  hub.services.directory.set('test', {
    pods: [{ name: 'rare-1', namespace: 'odd', ips: ['10.9.9.9'] }],
    services: [],
  })
  expect((await hub.send('POST', '/api/snapshots/s1/import', captureFile(packets))).status).toBe(201)
  const all = await dissect('all')
  const first = await dissect('first', 'src.pod == "rare-1"')
  const second = await dissect('second', 'src.ip == 10.9.9.9 and http')
  const none = await dissect('none', 'src.pod == "unknown"')
  expect(await readdir(join(hub.folder, 'snapshots/s1'))).toContain('import.pcapng.idx')
  expect(all).toMatchObject({ call_count: 610 })
  expect(first).toMatchObject({ call_count: 10, flow_count: 1, packet_count: second.packet_count })
  expect(second.bytes).toBeLessThan(all.bytes / 4)
  expect(none).toMatchObject({ call_count: 0, bytes: 0 })
  const expected = await found('all', 'src.ip == 10.9.9.9')
  expect(await found('first')).toEqual(expected)
  expect(await found('second')).toEqual(expected)
  expect(expected.length).toBe(10)
})

it('a filter that says nothing of hosts reads all, and so does one about names from DNS', async () => {
  hub = await startHub({ thread: thread() })
  expect((await hub.send('POST', '/api/snapshots/s1/import', captureFile(packets))).status).toBe(201)
  const all = await dissect('all')
  expect((await dissect('fails', 'status == 500')).bytes).toBe(all.bytes)
  expect((await dissect('named', 'src.ip == 10.9.9.9 and dst.dns == "x"')).bytes).toBe(all.bytes)
})

it('a job that runs longer than it may fails, and says so', async () => {
  hub = await startHub({ thread: thread(), set: ['tap.delayedDissection.maxTime=1ms'] })
  expect((await hub.send('POST', '/api/snapshots/s1/import', captureFile(packets))).status).toBe(201)
  await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: 'all' })
  const { json } = await until(
    () => hub.get('/mcp/dissections/s1/all'),
    ({ json: seen }) => seen.status !== 'running' && seen.status !== 'pending',
  )
  expect(json).toMatchObject({ status: 'failed', errors: [expect.stringContaining('maxTime')] })
})
