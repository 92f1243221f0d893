import { once } from 'node:events'
import type { StreamMessage } from '@tapdeck/api'
import type { CompactCall } from '@tapdeck/dissect'
import { afterEach, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

const READERS = 10
/** 5,000 calls a second, as batches of a worker. */
const BATCH = 500
const EVERY_MS = 100
const BATCHES = 40
/** A call is large, so that the buffers of the kernel are soon full. */
const PATH = `/${'x'.repeat(3000)}`

/** What one reader of the stream got, and what was reported to it as skipped. */
class Reader {
  received = 0
  skipped = 0
  readonly spans: { readonly from: number; readonly to: number }[] = []
  readonly socket: WebSocket

  constructor(port: number) {
    this.socket = new WebSocket(`ws://127.0.0.1:${port}/api/stream`)
    this.socket.on('message', (data) => this.#take(JSON.parse(String(data))))
  }

  #take(message: StreamMessage): void {
    if (message.kind !== 'calls') return
    this.received += message.calls.length
    this.skipped += message.skipped
    const { skipped, from, to } = message
    if (from !== undefined && to !== undefined) this.spans.push({ from, to })
    if (skipped > 0) expect([typeof from, typeof to]).toEqual(['number', 'number'])
  }
}

function call(at: number): CompactCall {
  const end = { ip: '10.0.0.1', port: 80 }
  return { id: `n1/1/${at}`, ts: 1_000_000 + at, src: end, dst: end, proto: 'http', path: PATH }
}

async function subscriptionOf(worker: FakeWorker): Promise<number> {
  const found = await until(
    () => worker.asked.find(({ request }) => request === 'subscribe'),
    (request) => request !== undefined,
  )
  return (found!.input as { subscription: number }).subscription
}

test('ten readers that do not read at 5,000 calls a second: each call was received or said to be skipped', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1')
  const readers = Array.from({ length: READERS }, () => new Reader(hub.port))
  await Promise.all(readers.map(({ socket }) => once(socket, 'open')))
  const subscription = await subscriptionOf(worker)
  await until(
    () => hub.services.switchboard.state.activity.dashboards,
    (count) => count === READERS,
  )
  for (const { socket } of readers) socket.pause()
  let sent = 0
  for (let at = 0; at < BATCHES; at++) {
    const calls = Array.from({ length: BATCH }, (_, row) => call(sent + row))
    sent += BATCH
    // A connection that was congested reports a part as skipped.
    const skipped =
      at === 20 ? { skipped: 700, from: 1_000_000 + sent, to: 1_000_699 + sent } : { skipped: 0 }
    sent += skipped.skipped
    worker.say({ kind: 'calls', subscription, calls, ...skipped })
    // Readers that are alive: the hub drops one that it has not heard of for ten seconds.
    for (const { socket } of readers) socket.pong()
    await new Promise((resolve) => setTimeout(resolve, EVERY_MS))
  }
  for (const { socket } of readers) socket.resume()
  await until(
    () => readers.map(({ received, skipped }) => received + skipped),
    (sums) => sums.every((sum) => sum === sent),
  )
  console.log(
    `sent ${sent}; received + skipped: ${readers.map(({ received, skipped }) => `${received} + ${skipped}`).join(', ')}`,
  )
  for (const { skipped, spans } of readers) {
    expect(skipped).toBeGreaterThan(700)
    // Of what is said to be skipped, the time is known; it is a time of the calls.
    expect(Math.min(...spans.map(({ from }) => from))).toBeGreaterThanOrEqual(1_000_000)
    expect(Math.max(...spans.map(({ to }) => to))).toBeLessThanOrEqual(1_000_000 + sent)
  }
})
