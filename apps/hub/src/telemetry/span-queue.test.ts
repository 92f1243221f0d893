import type { ReadableSpan } from '@opentelemetry/sdk-trace'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { OtlpReceiver } from '../testing/otlp-receiver.ts'
import { callSpan } from './call-span.ts'
import { OtlpExporter } from './otlp-exporter.ts'
import { ServiceResources } from './service-resources.ts'
import { SpanQueue } from './span-queue.ts'

let receiver: OtlpReceiver
let queue: SpanQueue
beforeEach(async () => {
  receiver = await OtlpReceiver.open()
})
afterEach(() => {
  queue.close()
  receiver.close()
  // By the definitions of OpenTelemetry.
  expect(receiver.refused).toEqual([])
})

const end = { ip: '10.0.0.2', port: 80 }
const span = (id: number): ReadableSpan =>
  callSpan(
    { id: `n1/1/${id}`, ts: 1, src: end, dst: end, proto: 'redis' },
    { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), sampled: true },
    new ServiceResources().of(end),
  )

function open(url: string, timeoutMillis: number, maxQueued = 100): SpanQueue {
  const exporter = OtlpExporter.ofSpans({
    ...{ url: `${url}/v1/traces`, timeoutMillis },
    ...{ headers: {}, userAgent: 'test', compression: 'none', caFile: '' },
  })
  queue = new SpanQueue({ exporter, maxQueued, maxPerSecond: 10, now: () => 0, backOff: 10 })
  return queue
}

it('drops what a receiver refuses, says why, and delivers again once it accepts', async () => {
  open(receiver.url, 10_000)
  receiver.reply = () => ({ status: 400 })
  queue.offer(span(1))
  queue.offer(span(2))
  await expect.poll(() => queue.state, { timeout: 20_000 }).toMatchObject({ failed: 2, waiting: 0 })
  expect(queue.state.last_error).toBeTruthy()
  // A refusal is not repeated.
  expect(receiver.requests).toHaveLength(1)
  receiver.reply = () => ({ status: 200 })
  queue.offer(span(3))
  await expect.poll(() => queue.state, { timeout: 20_000 }).toMatchObject({ sent: 1, failed: 2 })
  expect(queue.state.last_error).toBeUndefined()
})

it('repeats what a busy receiver puts off (429), and loses nothing', async () => {
  open(receiver.url, 60_000)
  let busy = 1
  receiver.reply = () => (busy-- > 0 ? { status: 429, headers: { 'retry-after': '0' } } : { status: 200 })
  queue.offer(span(1))
  await expect.poll(() => queue.state, { timeout: 30_000 }).toMatchObject({ sent: 1, failed: 0 })
  expect(receiver.requests).toHaveLength(2)
  expect(receiver.spans).toHaveLength(1)
})

it('drops and counts while nothing listens, without blocking, and keeps its bound', async () => {
  const { url } = receiver
  receiver.close()
  open(url, 100, 3)
  for (let id = 0; id < 5; id++) queue.offer(span(id))
  expect(queue.state).toMatchObject({ waiting: 3, queue_full: 2 })
  await expect.poll(() => queue.state, { timeout: 20_000 }).toMatchObject({ waiting: 0, failed: 3, sent: 0 })
  expect(queue.state.last_error).toBeTruthy()
})

it('gives up a receiver that never answers, and goes on', async () => {
  open(receiver.url, 100)
  receiver.reply = () => undefined
  queue.offer(span(1))
  await expect.poll(() => queue.state, { timeout: 20_000 }).toMatchObject({ failed: 1 })
  receiver.reply = () => ({ status: 200 })
  queue.offer(span(2))
  // A slow machine may need more than one attempt within the short limit above.
  await expect
    .poll(
      () => {
        if (queue.state.waiting === 0 && queue.state.sent === 0) queue.offer(span(3))
        return queue.state.sent
      },
      { timeout: 30_000 },
    )
    .toBeGreaterThan(0)
})

it('allows so many spans a second', () => {
  open(receiver.url, 100)
  const taken = Array.from({ length: 12 }, () => queue.take())
  expect(taken.filter(Boolean)).toHaveLength(10)
  expect(queue.state.over_budget).toBe(2)
})
