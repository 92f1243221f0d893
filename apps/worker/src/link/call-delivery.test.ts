import { afterEach, beforeEach, expect, test } from 'vitest'
import { createLog } from '../log.ts'
import { TestHub } from '../testing/test-hub.ts'
import { CallDelivery } from './call-delivery.ts'
import { HubLink } from './hub-link.ts'
import { linkAddress } from './link-address.ts'

let hub: TestHub
let link: HubLink
let delivery: CallDelivery

beforeEach(async () => {
  hub = new TestHub()
  link = new HubLink({
    address: linkAddress({ url: await hub.url(), host: '', port: 0 }),
    credential: () => 'secret',
    log: createLog('silent'),
    hello: async () => ({ kind: 'hello', node: 'n1', version: '1', report }),
    message: () => {},
    lost: () => delivery.drop(),
  })
  delivery = new CallDelivery(link)
  link.connect()
  await expect.poll(() => link.ready).toBe(true)
})
afterEach(() => {
  link.close()
  hub.close()
})

const report = {
  indexing: false,
  capture: { active: false, interfaces: [] },
  recording: { oldest_ts: null, newest_ts: null, size_bytes: 0, packet_count: 0, dropped_packets: 0 },
  packets_captured: 0,
  packets_dissected: 0,
  calls: 0,
  loss: {},
}

const PATH = 'x'.repeat(2000)

/** One batch of calls, of which the worker itself skipped `skipped` in the same time. */
function batch(subscription: number, count: number, from: number, skipped = 0) {
  const calls = Array.from({ length: count }, (_, at) => ({
    id: `n1/1/${from + at}`,
    ts: from + at,
    path: PATH,
  }))
  const to = from + count - 1
  return {
    kind: 'calls' as const,
    subscription,
    text: JSON.stringify({ kind: 'calls', subscription, calls, skipped, ...(skipped > 0 && { from, to }) }),
    unsent: { skipped: count + skipped, from, to },
  }
}

function heard(subscription: number) {
  const all = hub.calls.filter((message) => message.subscription === subscription)
  return {
    calls: all.reduce((sum, { calls }) => sum + calls.length, 0),
    skipped: all.reduce((sum, { skipped }) => sum + skipped, 0),
    spans: all.flatMap(({ from, to }) => (from === undefined ? [] : [{ from, to }])),
  }
}

test('calls that a congested connection does not take are reported with their time when it takes messages again', async () => {
  hub.pause()
  let sent = 0
  while (!link.congested) {
    delivery.send(batch(1, 100, sent))
    sent += 100
  }
  const first = sent
  for (let more = 0; more < 20; more++) {
    delivery.send(batch(1, 100, sent, 50))
    sent += 150
  }
  delivery.send(batch(2, 10, 7_000_000))
  expect(delivery.undelivered).toBe(3010)
  delivery.flush()
  expect(link.congested).toBe(true)
  hub.resume()
  await expect.poll(() => link.congested).toBe(false)
  delivery.flush()
  await expect.poll(() => heard(1).calls + heard(1).skipped).toBe(sent)
  expect(heard(1)).toEqual({
    calls: first,
    skipped: 3000,
    spans: [{ from: first, to: first + 19 * 150 + 99 }],
  })
  await expect
    .poll(() => heard(2))
    .toEqual({ calls: 0, skipped: 10, spans: [{ from: 7_000_000, to: 7_000_009 }] })
  // Each is reported once.
  delivery.flush()
  delivery.send(batch(1, 1, sent))
  await expect.poll(() => heard(1).calls + heard(1).skipped).toBe(sent + 1)
})

test('what a lost connection did not take is not reported on the next one, whose subscriptions are others', async () => {
  hub.pause()
  while (!link.congested) delivery.send(batch(1, 100, 0))
  delivery.send(batch(1, 100, 0))
  hub.hangUp()
  await expect.poll(() => hub.hellos.length).toBe(2)
  await expect.poll(() => link.ready).toBe(true)
  delivery.flush()
  delivery.send(batch(2, 1, 0))
  await expect.poll(() => heard(2).calls).toBe(1)
  expect(heard(1).skipped).toBe(0)
  expect(delivery.undelivered).toBe(100)
})
