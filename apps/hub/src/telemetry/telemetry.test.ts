import type { LiveCall } from '@tapdeck/api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { FakeWorker } from '../testing/fake-worker.ts'
import { OtlpReceiver } from '../testing/otlp-receiver.ts'
import { plain } from '../testing/otlp-shapes.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
let receiver: OtlpReceiver
beforeEach(async () => {
  receiver = await OtlpReceiver.open()
})
afterEach(async () => {
  await hub?.stop()
  receiver.close()
  // By the definitions of OpenTelemetry.
  expect(receiver.refused).toEqual([])
})

const trace = { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736', span_id: '00f067aa0ba902b7', sampled: true }
const call = (id: string, more: Partial<LiveCall> = {}): LiveCall => ({
  id: `n1/1/${id}`,
  ts: 1_767_355_200_000.25,
  src: { ip: '10.0.0.1', port: 4000, pod: 'front-0', ns: 'shop' },
  dst: { ip: '10.0.0.2', port: 8080, svc: 'cart', ns: 'shop' },
  proto: 'http',
  method: 'GET',
  path: '/items',
  status: 200,
  latency_ms: 12.5,
  ...more,
})

async function start(...set: string[]): Promise<FakeWorker> {
  const otlp = 'tap.telemetry.otlp'
  hub = await startHub({ set: [`${otlp}.enabled=true`, `${otlp}.endpoint=${receiver.url}`, ...set] })
  return hub.worker('n1')
}

async function give(worker: FakeWorker, calls: LiveCall[], skipped = 0): Promise<{ kfl: string }> {
  const asked = await until(
    () => worker.asked.findLast(({ request }) => request === 'subscribe')?.input as Subscribed | undefined,
    (found) => found?.traces === true,
  )
  worker.say({ kind: 'calls', subscription: asked!.subscription, calls, skipped })
  return asked!
}
interface Subscribed {
  readonly subscription: number
  readonly kfl: string
  readonly traces?: boolean
}

const sample = async (name: string) =>
  Number((await hub.get('/metrics')).text.match(new RegExp(`^${name} (.*)$`, 'm'))?.[1])

it('sends a call as a span of the trace that its headers name, below the span of the caller', async () => {
  const worker = await start('tap.telemetry.otlp.kfl=http', 'tap.telemetry.otlp.headers.x-key=secret')
  const asked = await give(worker, [call('1', { trace }), call('2', { trace, status: 503, error: '503' })])
  expect(asked.kfl).toBe('not decrypted and (http)')
  const [span, failed] = await until(
    () => receiver.spans,
    ({ length }) => length === 2,
  )
  expect(span).toMatchObject({
    traceId: trace.trace_id,
    parentSpanId: trace.span_id,
    name: 'GET',
    kind: 2,
    startTimeUnixNano: '1767355200000250000',
    endTimeUnixNano: '1767355200012750000',
    status: { code: 0 },
    resource: { 'service.name': 'cart', 'service.namespace': 'shop', 'k8s.namespace.name': 'shop' },
  })
  expect(plain(span!.attributes)).toEqual({
    'server.address': 'cart',
    'server.port': 8080,
    'client.address': 'front-0',
    'network.peer.address': '10.0.0.1',
    'network.peer.port': 4000,
    'network.protocol.name': 'http',
    'tapdeck.call.id': 'n1/1/1',
    'http.request.method': 'GET',
    'url.path': '/items',
    'url.scheme': 'http',
    'http.response.status_code': 200,
  })
  expect(span!.spanId).toMatch(/^[0-9a-f]{16}$/)
  expect(failed!.spanId).not.toBe(span!.spanId)
  expect(failed).toMatchObject({ traceId: trace.trace_id, status: { code: 2 } })
  expect(plain(failed!.attributes)['error.type']).toBe('503')
  expect(receiver.requests[0]).toMatchObject({ path: '/v1/traces', headers: { 'x-key': 'secret' } })
})

it('invents no trace: calls without one, and those of traces that are not recorded, are only counted', async () => {
  const worker = await start()
  const unsampled = { ...trace, sampled: false }
  await give(worker, [call('1'), call('2', { trace: unsampled }), call('3', { trace })], 4)
  await until(
    () => receiver.spans,
    ({ length }) => length === 1,
  )
  expect(plain(receiver.spans[0]!.attributes)['tapdeck.call.id']).toBe('n1/1/3')
  // The receiver has a span before the exporter has its answer.
  const { telemetry } = await until(
    async () => (await hub.get('/api/status')).json,
    ({ telemetry: { spans } }) => spans.sent === 1,
  )
  expect(telemetry).toMatchObject({
    endpoint: receiver.url,
    ...{ calls: 3, skipped: 4, untraced: 1, unsampled: 1 },
    spans: { sent: 1, failed: 0, waiting: 0 },
  })
  expect(await sample('tapdeck_otlp_spans_sent_total')).toBe(1)
  expect(await sample('tapdeck_otlp_calls_skipped_total')).toBe(4)
})

it('sends rate, errors and durations of all calls, by service and protocol', async () => {
  const worker = await start()
  const dns = { proto: 'dns', method: 'A', path: 'cart', status: 'NXDOMAIN', error: 'NXDOMAIN' }
  await give(worker, [call('1'), call('2', { trace }), call('3', { status: 500 }), call('4', dns)], 2)
  await until(
    () => hub.services.telemetry.state?.calls,
    (calls) => calls === 4,
  )
  await hub.services.telemetry.flush()
  const points = (name: string) =>
    receiver.metrics.get(name)!.map(({ attributes, ...point }) => ({ ...plain(attributes), ...point }))
  const cart = { 'tapdeck.service': 'cart', 'tapdeck.namespace': 'shop' }
  expect(points('tapdeck.calls')).toMatchObject([
    { ...cart, 'tapdeck.proto': 'http', 'tapdeck.status': 200, asDouble: 2 },
    { ...cart, 'tapdeck.proto': 'http', 'tapdeck.status': 500, 'error.type': '500', asDouble: 1 },
    { ...cart, 'tapdeck.proto': 'dns', 'error.type': 'NXDOMAIN', asDouble: 1 },
  ])
  expect(points('tapdeck.call.duration')[0]).toMatchObject({ ...cart, count: '2', sum: 0.025 })
  expect(points('tapdeck.calls.skipped')).toMatchObject([{ asDouble: 2 }])
  await expect.poll(() => sample('tapdeck_otlp_metrics_sent_total')).toBeGreaterThan(0)
})

it('drops spans above its budget, and counts them', async () => {
  const worker = await start('tap.telemetry.otlp.maxSpansPerSecond=0')
  await give(worker, [call('1', { trace }), call('2', { trace })])
  await expect.poll(() => sample('tapdeck_otlp_spans_dropped_total\\{reason="over_budget"\\}')).toBe(2)
  expect(hub.services.telemetry.state).toMatchObject({ calls: 2, spans: { sent: 0, waiting: 0 } })
})

it('does not report its own deliveries', async () => {
  const worker = await start()
  const dst = { ip: '127.0.0.1', port: Number(new URL(receiver.url).port) }
  const own = call('1', { dst, method: 'POST', path: '/v1/traces' })
  await give(worker, [own, { ...own, path: '/v1/metrics' }, { ...own, path: '/v1/other' }])
  await until(
    () => hub.services.telemetry.state?.calls,
    (calls) => calls === 1,
  )
})

it('counts as activity while it is on, and needs no restart to be turned off', async () => {
  await start()
  expect((await hub.get('/api/dissection')).json.activity.agents).toBe(1)
  const { telemetry } = hub.services
  await telemetry.configure({ ...telemetry.applied!, enabled: false })
  expect((await hub.get('/api/dissection')).json.activity.agents).toBe(0)
  expect((await hub.get('/api/status')).json.telemetry).toBeUndefined()
  expect(await sample('tapdeck_otlp_enabled')).toBe(0)
})

it('refuses a wrong filter, and goes on as before', async () => {
  await start()
  const { telemetry } = hub.services
  const before = telemetry.applied!
  await expect(telemetry.configure({ ...before, kfl: 'nonsense ==' })).rejects.toThrow()
  expect(telemetry.isOn).toBe(true)
  expect(telemetry.applied).toBe(before)
})
