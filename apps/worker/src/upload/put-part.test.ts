import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { ownAgents } from '@tapdeck/own-ports'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { putPart } from './put-part.ts'

let server: Server
const agents = ownAgents(undefined)
let answers: { status: number; body?: string; headers?: Record<string, string> }[]
const seen: { readonly url: string; readonly headers: IncomingMessage['headers']; readonly body: string }[] =
  []

beforeEach(async () => {
  answers = []
  seen.length = 0
  server = createServer(async (request, response) => {
    const body: Buffer[] = []
    for await (const chunk of request) body.push(chunk)
    seen.push({ url: request.url ?? '', headers: request.headers, body: String(Buffer.concat(body)) })
    const next = answers.shift()
    if (next === undefined) return void request.socket.destroy()
    response.writeHead(next.status, next.headers)
    response.end(next.body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(async () => {
  server.closeAllConnections()
  server.close()
  await once(server, 'close')
})

const never = new AbortController().signal
const origin = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const send = (signal = never, url = `${origin()}/bucket/key?X-Amz-Signature=secret`) =>
  putPart({ url, bytes: new TextEncoder().encode('packets'), md5: 'sum==' }, agents, signal, 1)
const failure = (work: Promise<unknown>) =>
  work.then(
    () => undefined,
    (error) => error as { status: number; code: string; detail: string; message: string },
  )

test('sends the bytes with their length and checksum, and no credentials', async () => {
  answers = [{ status: 200 }]
  await send()
  expect(seen).toMatchObject([
    {
      url: '/bucket/key?X-Amz-Signature=secret',
      body: 'packets',
      headers: { 'content-length': '7', 'content-md5': 'sum==' },
    },
  ])
  expect(seen[0]!.headers).not.toHaveProperty('authorization')
})

test('a storage that answers and closes before it has read the part', async () => {
  const early = createTcpServer((socket) => {
    socket.on('error', () => {})
    socket.once('data', () => {
      socket.write('HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n')
      setImmediate(() => socket.destroy())
    })
  })
  early.listen(0, '127.0.0.1')
  await once(early, 'listening')
  const url = `http://127.0.0.1:${(early.address() as AddressInfo).port}/part`
  const part = { url, bytes: new Uint8Array(8 << 20), md5: 'sum==' }
  // An error that is not heard would end the run.
  for (let time = 0; time < 10; time++)
    expect(await failure(putPart(part, agents, never, 1))).toMatchObject({
      status: 502,
      message: expect.stringMatching(/answered 403|cannot reach/),
    })
  early.close()
  await once(early, 'close')
})

test('an answer that changes the protocol is a failure', async () => {
  answers = Array.from({ length: 4 }, () => ({
    status: 101,
    headers: { connection: 'upgrade', upgrade: 'other' },
  }))
  expect(await failure(send())).toMatchObject({ message: expect.stringContaining('it answered 101') })
})

test('what may pass is tried again, what does not is reported at once, without the signature', async () => {
  answers = [{ status: 503 }, { status: 500 }, { status: 429 }, { status: 200 }]
  await send()
  expect(seen).toHaveLength(4)
  answers = [{ status: 403, body: '<Error><Code>AccessDenied</Code></Error>' }]
  const denied = await failure(send())
  expect(denied).toMatchObject({ status: 502, code: 'upload_failed' })
  expect(denied?.message).toBe(`${origin()} answered 403 AccessDenied`)
  expect(seen).toHaveLength(5)
})

test('a storage that stays away, answers without end or sends elsewhere is given up', async () => {
  const away = await failure(send())
  expect(away?.message).toMatch(/^cannot reach http:\/\/127.0.0.1:\d+: /)
  expect(seen).toHaveLength(4)
  answers = [{ status: 307, headers: { location: `${origin()}/elsewhere` } }]
  expect((await failure(send()))?.message).toMatch(/answered 307$/)
  answers = [{ status: 400, body: 'x'.repeat(1_000_000) }]
  expect((await failure(send()))?.message).toMatch(/answered 400$/)
  expect(seen).toHaveLength(6)
  expect((await failure(send(never, 'file:///etc/passwd')))?.message).toMatch(/file: is no address/)
})

test('ends when its time is over', async () => {
  const abort = new AbortController()
  server.removeAllListeners('request')
  server.on('request', () => abort.abort())
  expect((await failure(send(abort.signal)))?.message).toMatch(/took too long/)
})
