import assert from 'node:assert/strict'
import { toCallRecord } from '@tapdeck/dissect'
import type { CallIndex } from '../call-index.ts'
import { sampleCall, samplePeers } from '../testing/sample-call.ts'
import { DAWN, sampleFlow } from '../testing/sample-flow.ts'
import { type Check, everything, ids, inFolder, kfl, NODE, shape, withIndex } from './check.ts'

/** What goes in comes out, when it should and as it was. */
export const callChecks: readonly Check[] = [
  {
    name: 'gives back a call exactly as the live stream shows it',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow({
          handshake: 180,
          tcp: { retransmissions: 2, rtt_avg_us: 91.25, jitter_us: 3 },
        })
        const src = { pod: 'web-1', ns: 'shop', node: 'n1', process: 'curl', labels: { app: 'web' } }
        const peers = samplePeers(flow, src, { svc: 'orders', ns: 'shop' })
        const calls = [
          sampleCall({ flow, body: 'ünïcode 😀', headers: { 'x-id': "o'brien" } }),
          sampleCall({ flow, ordinal: 1, path: `/"quoted"/'\n\0end`, status: 503 }),
          sampleCall({ flow, ordinal: 2, answered: false }),
          { ...sampleCall({ flow, ordinal: 3 }), summary: { method: 'A', status: 'NXDOMAIN' } },
          { ...sampleCall({ flow, ordinal: 4 }), summary: { status: '23505' } },
          { ...sampleCall({ flow, ordinal: 5, start: DAWN + 0.25, latency: 12.5 }), summary: {} },
          sampleCall({ flow, ordinal: 6, path: `/${'long'.repeat(20_000)}` }),
          { ...sampleCall({ flow, ordinal: 7 }), tls: { version: 'TLS 1.3', sni: 'shöp.test' } },
        ]
        for (const call of calls) index.append(call, peers)
        const live = calls.map((call) => shape(toCallRecord(call, peers, NODE, 'af_packet')))
        await index.flush()
        for (const [i, expected] of live.entries()) {
          const found = await index.call(`${NODE}/4711/${i}`)
          assert.deepEqual(found && shape(found), expected)
        }
      }),
  },
  {
    name: 'finds decrypted calls by their TLS connection, and leaves their protocol out of the flow',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        const peers = samplePeers(flow)
        const tls = { sni: 'shop.test', certificate: { not_after: '2030-01-01T00:00:00Z' } }
        index.append({ ...sampleCall({ flow }), protocol: 'tls', summary: {} }, peers)
        index.append({ ...sampleCall({ flow, ordinal: 1 }), tls }, peers)
        index.append({ ...sampleCall({ flow, ordinal: 2 }), tls: { sni: 'other.test' } }, peers)
        await index.flush()
        const found = (text: string) => ids(index, kfl(text))
        const [handshake, first, second] = [0, 1, 2].map((ordinal) => `${NODE}/4711/${ordinal}`)
        assert.deepEqual(await found('decrypted'), [second, first])
        assert.deepEqual(await found('not decrypted'), [handshake])
        assert.deepEqual(await found('tls_sni == "shop.test"'), [first])
        assert.deepEqual(await found('http and tls_sni != "shop.test"'), [second])
        assert.deepEqual(await found('tls_not_after < "2031-01-01T00:00:00Z"'), [first])
        const call = await index.call(first)
        assert.deepEqual(call?.flow?.l7_detected, ['tls'])
        const { calls } = await index.calls({ filter: everything, limit: 9, order: 'newest', flows: true })
        assert.deepEqual(
          calls.map(({ flow: state }) => state?.l7_detected),
          [['tls'], ['tls'], ['tls']],
        )
      }),
  },
  {
    name: 'keeps the measurements that the connection had at the time of the call',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        index.append(sampleCall({ flow }), samplePeers(flow))
        if (flow.tcp) flow.tcp.retransmissions = 7
        index.append(sampleCall({ flow, ordinal: 1 }), samplePeers(flow))
        await index.flush()
        assert.equal((await index.call(`${NODE}/4711/0`))?.tcp?.retransmissions, 0)
        assert.equal((await index.call(`${NODE}/4711/1`))?.tcp?.retransmissions, 7)
        assert.deepEqual(await ids(index, kfl('tcp.retransmissions > 0')), [`${NODE}/4711/1`])
      }),
  },
  {
    name: 'adds to calls what becomes known of their connection after them, also when the flow is over or the index was opened again',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const index = await openIndex()
        const flow = sampleFlow()
        const peers = samplePeers(flow)
        const start = DAWN + 1_000_000
        index.append(sampleCall({ flow, latency: 5000 }), peers)
        index.append(sampleCall({ flow, ordinal: 1, start, latency: 5000 }), peers)
        await index.flush()
        const other = sampleFlow({ id: 4712 })
        index.append(sampleCall({ flow: other, start, latency: 5000 }), samplePeers(other))
        await index.flush()
        const last = `${NODE}/4711/1`
        const lost = kfl('delivery == "unacknowledged"')
        const check = async (reading: CallIndex) => {
          assert.deepEqual(await ids(reading, lost), [last])
          assert.equal(await reading.count(lost, {}), 1)
          assert.deepEqual(await ids(reading, kfl('tcp.retransmissions == 3')), [last])
          const { calls } = await reading.calls({ filter: everything, limit: 9, order: 'oldest' })
          assert.deepEqual(
            calls.map((call) => [call.id, call.compact().delivery]),
            [
              [`${NODE}/4711/0`, undefined],
              [last, 'unacknowledged'],
              [`${NODE}/4712/0`, undefined],
            ],
          )
          const one = await reading.call(last)
          assert.deepEqual([one?.delivery, one?.tcp?.retransmissions], ['unacknowledged', 3])
        }
        assert.deepEqual(await ids(index, lost), [])
        const sent = start + 5000
        flow.directions[1].packets += 3
        flow.unacked = [undefined, sent]
        flow.resent = [{ side: 1, sent, time: sent + 250_000, count: 3 }]
        await check(index)
        flow.closed = 'reset'
        index.appendFlow(flow, peers)
        for (let round = 0; round < 3; round++) await index.flush()
        await check(index)
        await index.close()
        await check(await openIndex({ readOnly: true }))
      }),
  },
  {
    name: 'shows nothing before a flush and all after it',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        for (let i = 0; i < 5000; i++) index.append(sampleCall({ flow, ordinal: i }), samplePeers(flow))
        assert.deepEqual(await ids(index), [])
        assert.equal((await index.summary()).calls, 0)
        await index.flush()
        assert.equal((await index.summary()).calls, 5000)
        assert.equal(await index.count(everything, {}), 5000)
      }),
  },
  {
    name: 'answers for the calls of a time window, both ends included',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        for (let i = 0; i < 5; i++)
          index.append(sampleCall({ flow, ordinal: i, start: DAWN + i * 1000 }), samplePeers(flow))
        await index.flush()
        const window = { start: DAWN / 1000 + 1, end: DAWN / 1000 + 3 }
        const page = await index.calls({ filter: everything, limit: 10, order: 'oldest', ...window })
        assert.deepEqual(
          page.calls.map(({ id }) => id.split('/')[2]),
          ['1', '2', '3'],
        )
        assert.equal(page.total, 3)
        assert.equal(await index.count(everything, window), 3)
        assert.equal(await index.count(kfl('response.body contains "ok"'), window), 3)
      }),
  },
  {
    name: 'finds no call under an id that is not one of its own',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        index.append(sampleCall({ flow }), samplePeers(flow))
        await index.flush()
        for (const id of [
          '',
          'x',
          'node-2/4711/0',
          `${NODE}/4711/1`,
          `${NODE}/1/0`,
          `${NODE}/4711/0/`,
          `${NODE}/1 OR 1/0`,
        ])
          assert.equal(await index.call(id), undefined, id)
      }),
  },
  {
    name: 'stays right when it is asked while it is written to',
    run: (open) =>
      withIndex(open, async (index) => {
        const flow = sampleFlow()
        let ordinal = 0
        const asking: Promise<unknown>[] = []
        for (let round = 1; round <= 10; round++) {
          for (let i = 0; i < 1000; i++, ordinal++)
            index.append(sampleCall({ flow, ordinal, start: DAWN + ordinal }), samplePeers(flow))
          const flushed = index.flush()
          asking.push(
            index.calls({ filter: kfl('status == 200'), limit: 5, order: 'newest' }).then((page) => {
              assert.equal(page.total % 1000, 0)
              assert.equal(Number(page.calls[0]?.id.split('/')[2] ?? -1) % 1000, page.total === 0 ? -1 : 999)
            }),
          )
          await flushed
        }
        await Promise.all(asking)
        assert.equal(await index.count(everything, {}), 10_000)
      }),
  },
  {
    name: 'refuses what comes after it was closed, and closes twice without complaint',
    run: (open) =>
      inFolder(open, async (openIndex) => {
        const index = await openIndex()
        const flow = sampleFlow()
        await index.close()
        await index.close()
        assert.throws(() => index.append(sampleCall({ flow }), samplePeers(flow)), /closed/)
        await assert.rejects(index.calls({ filter: everything, limit: 1, order: 'newest' }), /closed/)
      }),
  },
]
