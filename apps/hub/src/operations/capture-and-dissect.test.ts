import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { afterEach, expect, test } from 'vitest'
import type { Answers } from '../testing/fake-worker.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { threadForTests } from '../testing/thread-for-tests.ts'

const T0 = 1_700_000_000_000
const packets = captureFile(httpPackets({ requests: 30, start: T0 }))
const figures = { packet_count: 100, size_bytes: packets.length, dropped_packets: 0 }
const thread = threadForTests()
let hub: TestHub
afterEach(() => hub.stop())

/** `ready`: when the node gives its window. */
async function recordedHub(ready: Promise<unknown> = Promise.resolve()): Promise<void> {
  hub = await startHub({ thread: thread() })
  const answers: Answers = {
    boundaries: () => ({ oldest_ts: T0, newest_ts: T0 + 60_000, ...figures }),
    async window(_input, worker, id) {
      await ready
      await worker.piece(id, packets)
      return { ...figures, start_ts: T0, end_ts: T0 + 60_000, partial: false }
    },
  }
  await hub.worker('n1', answers)
}

const window = { start: T0, end: T0 + 60_000 }

test('one call takes the window, dissects it and says what is in it, with progress', async () => {
  await recordedHub()
  const client = new Client({ name: 'a-test', version: '1' })
  const fetchHub = async (url: string | URL, init?: RequestInit) => {
    const request = new Request(url, init)
    request.headers.set('host', '127.0.0.1')
    return hub.fetch(request)
  }
  await client.connect(
    new StreamableHTTPClientTransport(new URL('http://127.0.0.1/mcp'), { fetch: fetchHub }),
  )
  const steps: number[] = []
  const { content, isError } = await client.callTool(
    { name: 'capture_and_dissect', arguments: { ...window, name: 'mine' } },
    undefined,
    { onprogress: ({ progress }) => void steps.push(progress), timeout: 600_000 },
  )
  await client.close()
  const [{ text } = { text: '' }] = content as { text: string }[]
  expect([isError, text]).toEqual([undefined, expect.stringContaining('"db":"mine/calls"')])
  expect(JSON.parse(text)).toMatchObject({
    snapshot: { name: 'mine', status: 'completed', start_at: '2023-11-14T22:13:20.000Z' },
    dissection: { status: 'completed', call_count: 30, protocol_counts: { http: 30 } },
    suspects: { summary: expect.any(String) },
  })
  expect(steps.length).toBeGreaterThan(1)
  expect(steps).toEqual(steps.toSorted((a, b) => a - b))
  expect((await hub.get('/mcp/calls?db=mine/calls&limit=1')).json.total).toBe(30)
})

test('a cancelled capture leaves no snapshot that was not completed', async () => {
  await recordedHub(new Promise(() => {}))
  const cancelled = new AbortController()
  const body = JSON.stringify({ ...window, name: 'mine' })
  const headers = { host: '127.0.0.1', 'content-type': 'application/json' }
  const request = new Request('http://127.0.0.1/mcp/capture-and-dissect', {
    method: 'POST',
    headers,
    body,
    signal: cancelled.signal,
  })
  const answer = hub.fetch(request)
  await until(
    () => hub.services.snapshots.find('mine')?.status,
    (status) => status === 'in_progress',
  )
  cancelled.abort()
  expect(await (await answer).json()).toMatchObject({ code: 'cancelled' })
  expect(hub.services.snapshots.list()).toEqual([])
})

test('what is wrong with the second step is said before the first', async () => {
  await recordedHub()
  for (const wrong of [{ kfl: 'src.pd == 1' }, { protocols: ['nothing'] }, { duration: '5m' }]) {
    const { status } = await hub.send('POST', '/mcp/capture-and-dissect', { ...window, ...wrong })
    expect(status).toBe(400)
  }
  expect(hub.services.snapshots.list()).toEqual([])
})

test('a name that is taken stays as it is', async () => {
  await recordedHub()
  await hub.send('POST', '/api/snapshots/mine/import?node=n1', packets)
  const { status } = await hub.send('POST', '/mcp/capture-and-dissect', { ...window, name: 'mine' })
  expect([status, hub.services.snapshots.list().length]).toEqual([409, 1])
})
