import { afterEach, expect, it } from 'vitest'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const thread = threadForTests()
let hub: TestHub
afterEach(() => hub?.stop())

const START = 1_700_000_000_000
const packets = captureFile(httpPackets({ requests: 20, start: START }))
const owned = { ts: START - 5, kind: 'os', node: 'n1', transport: 'tcp' }
const lines = [
  { ...owned, type: 'connection_open', pid: 7, comm: 'curl', local: '10.0.0.1:20000', remote: '10.0.0.2:80' },
  { ...owned, type: 'listen_open', pid: 8, comm: 'nginx', local: '0.0.0.0:80', ips: ['10.0.0.2'] },
]

it('a dissection of a snapshot names the processes of its events, and filters by them', async () => {
  hub = await startHub({ thread: thread() })
  await hub.worker('n1', {
    boundaries: () => ({
      oldest_ts: START,
      newest_ts: START + 60_000,
      size_bytes: packets.length,
      packet_count: 60,
      dropped_packets: 0,
    }),
    async window(_input, worker, id) {
      await worker.piece(id, packets)
      return {
        packet_count: 60,
        size_bytes: packets.length,
        dropped_packets: 0,
        start_ts: START,
        end_ts: START + 60_000,
        partial: false,
      }
    },
    async event_window(_input, worker, id) {
      await worker.piece(id, Buffer.from(lines.map((line) => `${JSON.stringify(line)}\n`).join('')))
      return { count: lines.length }
    },
  })
  await hub.send('POST', '/mcp/snapshots', { name: 's1', start: START, end: START + 60_000 })
  await until(
    () => hub.get('/mcp/snapshots/s1'),
    ({ json }) => json.status === 'completed',
  )
  for (const [name, kfl] of [
    ['all', ''],
    ['some', 'src.process == "curl"'],
  ]) {
    await hub.send('POST', '/mcp/dissections', { snapshot_name: 's1', dissection_name: name, kfl })
    await until(
      () => hub.get(`/mcp/dissections/s1/${name}`),
      ({ json }) => json.status === 'completed',
    )
  }
  const processes = async (db: string, kfl = '') => {
    const { json } = await hub.get(
      `/mcp/calls?db=${db}&format=full&order=oldest&limit=100&kfl=${encodeURIComponent(kfl)}`,
    )
    return json.calls.map(
      ({ src, dst }: Record<'src' | 'dst', { process?: string }>) => `${src.process} ${dst.process}`,
    )
  }
  const first = Array(10).fill('curl nginx')
  expect(await processes('s1/all')).toEqual([...first, ...Array(10).fill('undefined nginx')])
  expect(await processes('s1/all', 'src.process == "curl"')).toEqual(first)
  expect(await processes('s1/some')).toEqual(first)
  const { json: page } = await hub.get('/mcp/calls?db=s1/all&order=oldest&limit=1')
  const { json: call } = await hub.get(`/mcp/calls/${page.calls[0].id}?db=s1/all`)
  expect(call.events.map(({ type, comm }: { type: string; comm: string }) => `${type} ${comm}`)).toEqual([
    'connection_open curl',
    'listen_open nginx',
  ])
})
