import { afterEach, expect, it } from 'vitest'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

it('a node that is away when a snapshot begins, and back before it ends, is a gap of all that it had recorded', async () => {
  hub = await startHub()
  const now = Date.now()
  const began = now - 600_000
  const side = { until: now, gaps: [{ from: 0, to: began, reason: 'not_started' }] }
  const coverage = { recorded: side, indexed: side }
  const packets = { oldest_ts: began, newest_ts: now, size_bytes: 1, packet_count: 1, dropped_packets: 0 }
  const boundaries = () => packets
  let release = () => {}
  const held = new Promise<void>((resolve) => {
    release = resolve
  })
  await hub.worker(
    'n1',
    {
      boundaries,
      async window() {
        await held
        return {
          packet_count: 0,
          size_bytes: 0,
          dropped_packets: 0,
          start_ts: null,
          end_ts: null,
          partial: false,
        }
      },
    },
    { coverage },
  )
  const left = await hub.worker('n2', { boundaries }, { coverage })
  left.close()
  await until(
    () => hub.services.workers.connected.length,
    (count) => count === 1,
  )
  await hub.send('POST', '/mcp/snapshots', { name: 's1', duration: '5m' })
  await hub.worker('n2', { boundaries }, { coverage })
  release()
  const { json } = await until(
    () => hub.get('/mcp/snapshots/s1'),
    ({ json }) => json.status === 'completed',
  )
  expect(json).toMatchObject({ partial: true, node_count: 1 })
  const gap = json.gaps.find(({ node }: { readonly node: string }) => node === 'n2')
  expect(gap).toMatchObject({ from_ts: json.start_ts, reason: 'worker_away' })
})
