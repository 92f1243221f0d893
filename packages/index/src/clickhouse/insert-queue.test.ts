import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Connection } from './connection.ts'
import { InsertQueue } from './insert-queue.ts'

/** What a server got: the tokens, and the rows of each insert. It answers as long as it is up. */
let got: { readonly token: string | null; readonly rows: string[] }[]
let isUp: boolean
let server: Server
let connection: Connection
let loss: Loss
const ready = async () => {}

beforeEach(async () => {
  got = []
  isUp = true
  loss = {}
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://server')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const rows = Buffer.concat(chunks).toString().split('\n').filter(Boolean)
      got.push({ token: searchParams.get('insert_deduplication_token'), rows })
      if (isUp) response.end()
      else request.socket.destroy()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  connection = new Connection({ url: `http://127.0.0.1:${port}`, database: 'd' }, 1e9)
})

afterEach(async () => {
  await connection.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('an insert whose answer was lost is sent again with the same token, before what came after it', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, {})
  isUp = false
  queue.add('calls', 'a', '[1]')
  await expect(queue.send(ready)).rejects.toThrow(/ClickHouse at/)
  expect(queue.status).toMatchObject({ bytes: 3, failure: expect.stringContaining('ClickHouse at') })
  queue.add('calls', 'a', '[2]')
  isUp = true
  await queue.send(ready)
  const [first, again, next] = got
  expect(got.map(({ rows }) => rows)).toEqual([['[1]'], ['[1]'], ['[2]']])
  expect(again?.token).toBe(first?.token)
  expect(next?.token).not.toBe(first?.token)
  expect(queue.status).toEqual({ bytes: 0, maxBytes: expect.any(Number) })
})

test('an insert has no more rows than it may have', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, { maxInsertRows: 2 })
  for (let row = 0; row < 5; row++) queue.add('calls', 'a', `[${row}]`)
  await queue.send(ready)
  expect(got.map(({ rows }) => rows.length)).toEqual([2, 2, 1])
})

test('what does not fit is refused and counted, and so is what is given up', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, { maxQueuedBytes: 7 })
  expect(['[1]', '[2]', '[3]'].map((row) => queue.add('calls', 'a', row))).toEqual([true, true, false])
  expect(queue.add('flows', 'a', '[4]')).toBe(false)
  expect(loss).toEqual({ unwritten_calls: 1, unwritten_flows: 1 })
  queue.giveUp()
  expect(loss).toEqual({ unwritten_calls: 3, unwritten_flows: 1 })
  expect(queue.status.bytes).toBe(0)
})
