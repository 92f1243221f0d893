import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { selfSignedPem } from '@tapdeck/tls/testing'
import { afterEach, expect, it } from 'vitest'
import { OtlpReceiver, type ReceiverOptions, type Reply } from '../testing/otlp-receiver.ts'
import { callSpan } from './call-span.ts'
import { OtlpExporter, type OtlpExporterOptions } from './otlp-exporter.ts'
import { ServiceResources } from './service-resources.ts'
import { SpanQueue } from './span-queue.ts'

const stops: (() => void)[] = []
afterEach(() => {
  for (const stop of stops.splice(0).reverse()) stop()
})

async function openReceiver(options?: ReceiverOptions): Promise<OtlpReceiver> {
  const receiver = await OtlpReceiver.open(options)
  stops.push(() => receiver.close())
  return receiver
}

/** A queue of spans that are sent to the receiver, of which the first is in it. */
function openQueue({ url }: OtlpReceiver, options: Partial<OtlpExporterOptions> = {}): SpanQueue {
  const exporter = OtlpExporter.ofSpans({
    ...{ url: `${url}/v1/traces`, timeoutMillis: 10_000, headers: { authorization: 'Bearer key' } },
    ...{ userAgent: 'test', compression: 'none', caFile: '', ...options },
  })
  const queue = new SpanQueue({ exporter, maxQueued: 100, maxPerSecond: 10, now: () => 0, backOff: 10 })
  stops.push(() => queue.close())
  offer(queue, 1)
  return queue
}

function offer(queue: SpanQueue, id: number): void {
  const end = { ip: '10.0.0.2', port: 80 }
  const call = { id: `n1/1/${id}`, ts: 1000, src: end, dst: end, proto: 'http', method: 'GET', status: 200 }
  const trace = { trace_id: 'a'.repeat(32), span_id: 'b'.repeat(16), sampled: true }
  queue.offer(callSpan(call, trace, new ServiceResources().of(end)))
}

const counts = (queue: SpanQueue) => queue.state
const GOOD: Reply = { status: 200 }

/** After a fault, the next span arrives. */
async function deliversAgain(receiver: OtlpReceiver, queue: SpanQueue): Promise<void> {
  receiver.reply = () => GOOD
  const { sent } = counts(queue)
  offer(queue, 2)
  await expect.poll(() => counts(queue)).toMatchObject({ sent: sent + 1, waiting: 0 })
  expect(counts(queue).last_error).toBeUndefined()
  expect(receiver.refused).toEqual([])
}

it.each([
  [400, 'Bad Request'],
  [401, 'Unauthorized'],
  [413, 'Payload Too Large'],
  [500, 'Internal Server Error'],
])(
  'a request that is refused with %i is dropped at once, and counted with the reason',
  async (status, text) => {
    const receiver = await openReceiver()
    receiver.reply = () => ({ status })
    const queue = openQueue(receiver)
    await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0, waiting: 0 })
    expect(counts(queue).last_error).toBe(`${status} ${text}`)
    expect(receiver.requests).toHaveLength(1)
    await deliversAgain(receiver, queue)
  },
)

it('a Retry-After within the time is waited for, and one beyond it drops the batch at once', async () => {
  const receiver = await openReceiver()
  const after = ['0', '3600']
  receiver.reply = () => {
    const seconds = after.shift()
    return seconds === undefined ? GOOD : { status: 429, headers: { 'retry-after': seconds } }
  }
  const queue = openQueue(receiver)
  await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0 })
  expect(receiver.requests).toHaveLength(2)
  await deliversAgain(receiver, queue)
})

it.each([
  ['as text', { rejectedSpans: '1', errorMessage: 'too old' }, 1, 'rejected by the receiver: too old'],
  ['as a number', { rejectedSpans: 1 }, 1, 'rejected by the receiver: no reason given'],
  ['more than were sent', { rejectedSpans: '9', errorMessage: 'x' }, 1, 'rejected by the receiver: x'],
  ['none, with a warning', { rejectedSpans: 0, errorMessage: 'use gRPC' }, 0, undefined],
  ['no number', { rejectedSpans: {}, errorMessage: 7 }, 0, undefined],
  ['null', null, 0, undefined],
])(
  'spans that a receiver rejects in a partial success are counted: %s',
  async (_, partialSuccess, rejected, error) => {
    const receiver = await openReceiver()
    receiver.reply = () => ({ status: 200, body: JSON.stringify({ partialSuccess }) })
    const queue = openQueue(receiver)
    await expect.poll(() => counts(queue)).toMatchObject({ rejected, sent: 1 - rejected, failed: 0 })
    expect(counts(queue).last_error).toBe(error)
    await deliversAgain(receiver, queue)
  },
)

it('a receiver that closes the connection within our body is tried again, and nothing is lost', async () => {
  let closes = 2
  const receiver = await openReceiver({
    interrupt: (request) => {
      if (closes-- <= 0) return false
      request.socket.destroy()
      return true
    },
  })
  const queue = openQueue(receiver)
  await expect.poll(() => counts(queue)).toMatchObject({ sent: 1, failed: 0 })
  expect(receiver.requests).toHaveLength(3)
  expect(receiver.spans).toHaveLength(1)
})

it('a refusal that breaks off within its body is a failure, and is counted', async () => {
  const receiver = await openReceiver()
  receiver.reply = () => (response: ServerResponse) => {
    response.writeHead(400, { 'content-length': '100' }).write('half')
    setImmediate(() => response.destroy())
  }
  const queue = openQueue(receiver)
  await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0, waiting: 0 })
  await deliversAgain(receiver, queue)
})

it('a response of megabytes is broken off, and counted', async () => {
  const receiver = await openReceiver()
  let closed = false
  let written = 0
  const block = Buffer.alloc(256 * 1024, 32)
  receiver.reply = () => (response: ServerResponse) => {
    response.on('close', () => {
      closed = true
    })
    const more = () => {
      while (!closed && response.write(block)) written += block.length
      written += block.length
    }
    response.on('drain', more)
    more()
  }
  const queue = openQueue(receiver)
  await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0 })
  await expect.poll(() => closed).toBe(true)
  expect(written).toBeLessThan(64 * 1024 * 1024)
  await deliversAgain(receiver, queue)
})

it('a response that trickles in for ever is broken off, and counted', async () => {
  const receiver = await openReceiver()
  let timer: NodeJS.Timeout | undefined
  receiver.reply = () => (response: ServerResponse) => {
    response.writeHead(400)
    timer = setInterval(() => response.write(' '), 20)
    response.on('close', () => clearInterval(timer))
  }
  stops.push(() => clearInterval(timer))
  const queue = openQueue(receiver, { timeoutMillis: 200 })
  await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0 })
})

it('a response that is no JSON does not make a delivery fail', async () => {
  const receiver = await openReceiver()
  receiver.reply = () => ({ status: 200, body: '<html>' })
  const queue = openQueue(receiver)
  await expect.poll(() => counts(queue)).toMatchObject({ sent: 1, failed: 0 })
})

it.each([301, 302, 307, 308])(
  'a redirect (%i) is not followed: no other server gets the key',
  async (status) => {
    const [receiver, other] = [await openReceiver(), await openReceiver()]
    receiver.reply = () => ({ status, headers: { location: `${other.url}/v1/traces` } })
    const queue = openQueue(receiver)
    await expect.poll(() => counts(queue)).toMatchObject({ failed: 1, sent: 0 })
    expect(counts(queue).last_error).toContain(String(status))
    expect(receiver.requests[0]?.headers.authorization).toBe('Bearer key')
    expect(other.requests).toEqual([])
  },
)

it('sends over TLS to a receiver whose authority is given, and nothing to one that it does not know', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-otlp-'))
  stops.push(() => rmSync(folder, { recursive: true, force: true }))
  const tls = selfSignedPem('localhost')
  const caFile = join(folder, 'ca.pem')
  writeFileSync(caFile, tls.cert)
  const receiver = await openReceiver({ tls })
  const url = `${receiver.url.replace('127.0.0.1', 'localhost')}/v1/traces`
  const unknown = openQueue(receiver, { url })
  await expect.poll(() => counts(unknown)).toMatchObject({ failed: 1, sent: 0 })
  expect(counts(unknown).last_error).toContain('certificate')
  expect(receiver.requests).toEqual([])
  const known = openQueue(receiver, { url, caFile })
  await expect.poll(() => counts(known)).toMatchObject({ sent: 1, failed: 0 })
  expect(receiver.spans).toHaveLength(1)
})

it('packs requests with gzip', async () => {
  const receiver = await openReceiver()
  const queue = openQueue(receiver, { compression: 'gzip' })
  for (let id = 2; id <= 50; id++) offer(queue, id)
  await expect.poll(() => counts(queue)).toMatchObject({ sent: 50 })
  expect(receiver.requests[0]?.headers['content-encoding']).toBe('gzip')
  expect(receiver.requests[0]!.bytes).toBeLessThan(10_000)
  expect(receiver.spans).toHaveLength(50)
  expect(receiver.refused).toEqual([])
})
