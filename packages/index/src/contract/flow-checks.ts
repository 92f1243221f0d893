import assert from 'node:assert/strict'
import type { FlowQuery } from '@tapdeck/questions'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, inFolder, withIndex } from './check.ts'

const ask = (index: CallIndex, query: Partial<FlowQuery> = {}) =>
  index.flows({ limit: 100, order: 'bytes', ...query })

const web = { pod: 'web-1', ns: 'front', node: 'n1' }
const api = { pod: 'api-1', svc: 'api', ns: 'shop', node: 'n2' }

/** Two connections to the same server, one question by UDP. */
async function traffic(index: CallIndex): Promise<void> {
  for (const id of [1, 2]) {
    const flow = sampleFlow({ id, clientPort: 40_000 + id, handshake: id * 100 })
    flow.closed = 'fin'
    index.appendFlow(flow, samplePeers(flow, web, api))
  }
  const dns = sampleFlow({
    id: 3,
    transport: 'udp',
    server: '10.0.0.53',
    serverPort: 53,
    start: DAWN + 60_000_000,
  })
  dns.closed = 'idle'
  index.appendFlow(dns, samplePeers(dns, web))
  await index.flush()
}

export const flowPageChecks: readonly Check[] = [
  {
    name: 'adds up who talked to whom, by address and port',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const { flows, total } = await ask(index)
        assert.equal(total, 2)
        const handshake = { tcp_handshake_p50_us: 100, tcp_handshake_p90_us: 200, tcp_handshake_p99_us: 200 }
        assert.deepEqual(flows[0], {
          proto: 'tcp',
          client: { ip: '10.0.0.1', ...web },
          server: { ip: '10.0.0.2', port: 80, ...api },
          client_stats: { tx_pkts: 8, rx_pkts: 6, tx_bytes: 800, rx_bytes: 1800, ...handshake },
          server_stats: { tx_pkts: 6, rx_pkts: 8, tx_bytes: 1800, rx_bytes: 800, ...handshake },
          totals: { pkts: 14, bytes: 2600, pps: 14, bps: 2600 },
          flows: 2,
          start_ts: DAWN / 1000,
          last_ts: flows[0].last_ts,
        })
        assert.ok(flows[0].last_ts >= DAWN / 1000)
        assert.deepEqual(flows[1].server, { ip: '10.0.0.53', port: 53 })
        assert.equal(flows[1].client_stats.tcp_handshake_p50_us, undefined)
      }),
  },
  {
    name: 'adds up by pod, service, namespace and node',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const servers = async (aggregate: NonNullable<FlowQuery['aggregate']>) =>
          (await ask(index, { aggregate })).flows.map(({ server }) => server)
        assert.deepEqual(await servers('pod'), [api, { ip: '10.0.0.53' }])
        assert.deepEqual(await servers('service'), [{ svc: 'api', ns: 'shop' }, { ip: '10.0.0.53' }])
        const [byService] = (await ask(index, { aggregate: 'service' })).flows
        assert.deepEqual(byService?.client, { ip: '10.0.0.1', pod: 'web-1', ns: 'front' })
        assert.deepEqual(await servers('namespace'), [{ ns: 'shop' }, {}])
        assert.deepEqual(await servers('node'), [{ node: 'n2' }, {}])
      }),
  },
  {
    name: 'lets through what was asked for, in the order asked for',
    run: (open) =>
      withIndex(open, async (index) => {
        await traffic(index)
        const protos = async (query: Partial<FlowQuery>) =>
          (await ask(index, query)).flows.map(({ proto }) => proto)
        assert.deepEqual(await protos({ order: 'newest' }), ['udp', 'tcp'])
        assert.deepEqual(await protos({ order: 'packets' }), ['tcp', 'udp'])
        assert.deepEqual(await protos({ l4proto: 'UDP' }), ['udp'])
        assert.deepEqual(await protos({ ip: '10.0.0.53' }), ['udp'])
        assert.deepEqual(await protos({ ns: 'shop' }), ['tcp'])
        assert.deepEqual(await protos({ pod: 'web-1' }), ['tcp', 'udp'])
        assert.deepEqual(await protos({ svc: "api' OR true --" }), [])
        assert.deepEqual(await protos({ start: DAWN / 1000 + 30_000 }), ['udp'])
        assert.deepEqual(await protos({ end: DAWN / 1000 + 30_000 }), ['tcp'])
        const first = await ask(index, { limit: 1 })
        assert.equal(first.flows.length, 1)
        assert.equal(first.total, 2)
      }),
  },
]

export const flowStateChecks: readonly Check[] = [
  {
    name: 'knows the flow of a call that is still open, and its latest state',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow({ handshake: 90 })
        index.append(sampleCall({ flow }), samplePeers(flow, web, api))
        await index.flush()
        assert.equal((await ask(index)).flows[0].totals.bytes, 1300)
        assert.equal((await index.call('node-1/4711/0'))?.tcp_handshake_p50_us, 90)
        flow.directions[0].packets += 1
        flow.directions[0].bytes += 100
        assert.equal((await ask(index)).flows[0].totals.bytes, 1400)
        flow.directions[0].packets += 1000
        flow.directions[0].bytes += 100_000
        flow.closed = 'fin'
        index.appendFlow(flow, samplePeers(flow, web, api))
        index.append(sampleCall({ flow, ordinal: 1 }), samplePeers(flow, web, api))
        await index.flush()
        await index.flush()
        const { flows, total } = await ask(index)
        assert.equal(total, 1)
        assert.equal(flows[0].totals.bytes, 101_400)
        assert.equal((await index.summary()).flows, 1)
      }),
  },
  {
    name: 'remembers flows that were open when it was closed',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const index = await openIndex()
        const flow = sampleFlow()
        index.append(sampleCall({ flow }), samplePeers(flow, web, api))
        await index.flush()
        flow.directions[1].bytes += 50
        flow.directions[1].packets += 1
        await index.close()
        const again = await openIndex({ readOnly: true })
        assert.equal((await ask(again)).flows[0].totals.bytes, 1350)
      }),
  },
]
