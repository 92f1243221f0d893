import { once } from 'node:events'
import { linkPath } from '@tapdeck/api'
import { workerCredential } from '@tapdeck/api/credentials'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { FakeWorker, idleReport } from '../testing/fake-worker.ts'
import { credential, startHub, type TestHub, until } from '../testing/start-hub.ts'

let hub: TestHub
afterEach(() => hub?.stop())

it('rejects a worker without the credential, and the credential opens nothing else', async () => {
  hub = await startHub({ set: ['tap.auth.enabled=true'] })
  await hub.open()
  const own = workerCredential(credential, 'n1')
  for (const authorization of [
    undefined,
    'Bearer wrong',
    `Basic ${own}`,
    // What credentials are made of is no credential: it never leaves the hub's machine.
    `Bearer ${credential}`,
    `Bearer ${workerCredential('a guess', 'n1')}`,
    `Bearer ${own.replace(/\..*/, '.AAAA')}`,
  ]) {
    const headers = authorization === undefined ? {} : { authorization }
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, { headers })
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(401)
    expect(response.headers['content-type']).toBe('application/problem+json')
  }
  for (const secret of [credential, own]) {
    const headers = { authorization: `Bearer ${secret}` }
    expect((await hub.get('/api/status', headers)).status).toBe(401)
    expect((await hub.get('/mcp', headers)).status).toBe(401)
    const stream = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers })
    const [, response] = await once(stream, 'unexpected-response')
    expect(response.statusCode).toBe(401)
  }
})

it('rejects a worker that claims another node than its credential', async () => {
  hub = await startHub()
  await hub.worker('n2')
  const rogue = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
    headers: { authorization: `Bearer ${workerCredential(credential, 'n1')}` },
  })
  const heard: unknown[] = []
  rogue.on('message', (data) => heard.push(String(data)))
  await once(rogue, 'open')
  rogue.send(JSON.stringify({ kind: 'hello', node: 'n2', version: '1', report: idleReport }))
  const [code] = await once(rogue, 'close')
  expect(code).toBe(1008)
  expect(hub.services.workers.connected.map(({ node }) => node)).toEqual(['n2'])
  // It got no request and no data, not even the names of pods.
  expect(heard).toEqual([])
})

it('closes the link after an invalid message, and after a message before hello', async () => {
  hub = await startHub()
  await hub.open()
  for (const text of [
    'nonsense',
    '{"kind":"report"}',
    '{"kind":"hello","node":"a/b"}',
    '{"kind":"toString"}',
  ]) {
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
      headers: { authorization: `Bearer ${workerCredential(credential, 'n1')}` },
    })
    await once(socket, 'open')
    socket.send(text)
    const [code] = await once(socket, 'close')
    expect(code).toBe(1002)
  }
  expect(hub.services.workers.connected).toHaveLength(0)
})

it('ends a connection that sends too much before hello, without reading it', async () => {
  hub = await startHub()
  await hub.open()
  const hello = { kind: 'hello', node: 'n1', version: '1', report: idleReport }
  for (const sent of [JSON.stringify({ ...hello, more: 'x'.repeat(2_000_000) }), Buffer.alloc(2_000_000)]) {
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
      headers: { authorization: `Bearer ${workerCredential(credential, 'n1')}` },
    })
    socket.on('error', () => {})
    await once(socket, 'open')
    socket.send(sent)
    await once(socket, 'close')
  }
  expect(hub.logged.filter((line) => line.includes('first message is too large'))).toHaveLength(2)
  expect(hub.services.workers.connected).toHaveLength(0)
})

it('ends a connection with a message that is too large for its kind', async () => {
  hub = await startHub()
  const call = { ts: 1, src: { ip: '10.0.0.1', port: 1 }, dst: { ip: '10.0.0.1', port: 80 }, proto: 'http' }
  for (const text of [
    JSON.stringify({ kind: 'report', report: idleReport, more: 'x'.repeat(2_000_000) }),
    JSON.stringify({ kind: 'failure', id: 1, status: 500, code: 'x', detail: '', more: 'x'.repeat(500_000) }),
    // No kind is known of it before it is read.
    JSON.stringify({ report: idleReport, more: 'x'.repeat(100_000), kind: 'report' }),
    // What it says first is not what counts.
    `{"kind":"calls","subscription":1,"calls":[],"skipped":0,"more":"${'x'.repeat(100_000)}","kind":"report","report":${JSON.stringify(idleReport)}}`,
  ]) {
    const worker = await hub.worker('n1')
    const closed = once(worker.socket, 'close')
    worker.socket.send(text)
    expect((await closed)[0]).toBe(1002)
  }
  const worker = await hub.worker('n1')
  const calls = Array.from({ length: 1000 }, (_, at) => ({
    ...call,
    id: `n1/1/${at}`,
    path: `/${'x'.repeat(200)}`,
  }))
  worker.say({ kind: 'calls', subscription: 1, calls, skipped: 0 })
  worker.sendReport({ calls: 7 })
  await until(
    () => hub.services.workers.connected[0]?.report.calls,
    (count) => count === 7,
  )
})

it('sends a worker that joins the switch and all names, and then only what changed, gathered', async () => {
  hub = await startHub({ set: ['tap.capture.dissection.enabled=true'] })
  hub.services.directory.set('test', {
    pods: [{ name: 'cart', namespace: 'shop', ips: ['10.0.0.1'] }],
    services: [],
  })
  const worker = await hub.worker('n1')
  await until(
    () => worker.asked.map(({ request }) => request),
    (asked) => asked.includes('indexing') && asked.includes('names'),
  )
  expect(worker.asked.find(({ request }) => request === 'indexing')?.input).toEqual({ enabled: true })
  const pod = { name: 'cart', namespace: 'shop', ips: ['10.0.0.1'] }
  const key = 'pod/shop/cart//10.0.0.1'
  const told = () => worker.asked.filter(({ request }) => request === 'names').map(({ input }) => input)
  expect(told()).toEqual([{ delta: { reset: true, put: [[key, { kind: 'pod', pod }]], drop: [] } }])
  const other = { ...pod, name: 'other', ips: ['10.0.0.2'] }
  hub.services.directory.set('test', { pods: [pod, other], services: [] })
  hub.services.directory.set('more', { pods: [], services: [] })
  hub.services.directory.set('test', { pods: [other], services: [] })
  await until(told, (all) => all.length === 2)
  expect(told()[1]).toEqual({
    delta: { put: [['pod/shop/other//10.0.0.2', { kind: 'pod', pod: other }]], drop: [key] },
  })
})

it('lets a node that comes again take its own place', async () => {
  hub = await startHub()
  const older = await hub.worker('n1')
  const newer = await hub.worker('n1', {}, { packets_captured: 7 })
  await once(older.socket, 'close')
  expect(hub.services.workers.connected.map(({ report }) => report.packets_captured)).toEqual([7])
  newer.close()
  await until(
    () => hub.services.workers.connected.length,
    (count) => count === 0,
  )
  const { json } = await hub.get('/api/status')
  expect(json.nodes).toMatchObject([{ name: 'n1', connected: false, packets_captured: 7 }])
})

it('fails what is pending when a worker goes, and passes its failures on', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', {
    summary: () => new Promise(() => {}),
    count: () => {
      throw { status: 400, code: 'bad_filter', detail: 'no', extensions: { position: 3 } }
    },
  })
  const [known] = hub.services.workers.connected
  await expect(known!.ask('count', { kfl: 'x' })).rejects.toMatchObject({
    status: 400,
    code: 'bad_filter',
    extensions: { position: 3 },
  })
  const pending = known!.ask('summary', {})
  worker.close()
  await expect(pending).rejects.toMatchObject({ status: 503, code: 'worker_lost' })
  await expect(known!.ask('summary', {})).rejects.toMatchObject({ status: 503, code: 'worker_lost' })
  expect(known!.pending).toBe(0)
})

it('gives up on an answer that does not come, and cancels it on the worker', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', { summary: () => new Promise(() => {}) })
  const [known] = hub.services.workers.connected
  await expect(known!.ask('summary', {}, { patience: 20 })).rejects.toMatchObject({ code: 'worker_timeout' })
  await until(
    () => worker.cancelled.size,
    (count) => count === 1,
  )
})

it('streams with credit: a worker is never further ahead than it may', async () => {
  hub = await startHub()
  const piece = new Uint8Array(1024 * 1024).fill(7)
  let sent = 0
  const worker = await hub.worker('n1', {
    async window(_input, self, id) {
      for (let i = 0; i < 20; i++) {
        await self.piece(id, piece)
        sent += piece.length
      }
      return {
        packet_count: 20,
        size_bytes: sent,
        dropped_packets: 0,
        start_ts: 1,
        end_ts: 2,
        partial: false,
      }
    },
  })
  const [known] = hub.services.workers.connected
  let used = 0
  let furthest = 0
  const answer = await known!.stream('window', { start: 0, end: 1 }, async (bytes) => {
    await new Promise((resolve) => setTimeout(resolve, 2))
    used += bytes.length
    furthest = Math.max(furthest, sent - used)
  })
  expect(answer.size_bytes).toBe(used)
  expect(used).toBe(20 * piece.length)
  expect(furthest).toBeLessThanOrEqual(4 * 1024 * 1024)
  worker.close()
})

it('drops a worker that sends more than its credit', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', {
    async window(_input, self, id) {
      for (let i = 0; i < 10; i++) {
        const message = new Uint8Array(1024 * 1024 + 4)
        new DataView(message.buffer).setUint32(0, id)
        self.socket.send(message)
      }
      return new Promise(() => {})
    },
  })
  const [known] = hub.services.workers.connected
  const never = () => new Promise<void>(() => {})
  await expect(known!.stream('window', { start: 0, end: 1 }, never)).rejects.toMatchObject({
    code: 'worker_lost',
  })
  await once(worker.socket, 'close')
})

it('cancels a stream whose user fails, with the reason as its cause', async () => {
  hub = await startHub()
  const worker = await hub.worker('n1', {
    async window(_input, self, id) {
      for (let i = 0; i < 50 && !self.cancelled.has(id); i++) await self.piece(id, new Uint8Array(500_000))
      return new Promise(() => {})
    },
  })
  const [known] = hub.services.workers.connected
  const failing = known!.stream('window', { start: 0, end: 1 }, async () => {
    throw new RangeError('the disk is full')
  })
  await expect(failing).rejects.toMatchObject({ cause: new RangeError('the disk is full') })
  await until(
    () => worker.cancelled.size,
    (count) => count === 1,
  )
})

it('refuses a worker whose report makes no sense', async () => {
  hub = await startHub()
  await hub.open()
  const worker = new FakeWorker(
    hub.port,
    credential,
    'n1',
    {},
    {
      ...idleReport,
      packets_captured: -1,
    },
  )
  const [code] = await once(worker.socket, 'close')
  expect(code).toBe(1002)
})
