import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { Connection } from './connection.ts'
import { InsertQueue } from './insert-queue.ts'
import type { Column } from './native-block.ts'

const columns: readonly Column[] = [
  { name: 'a', type: 'UInt16' },
  { name: 'inserted', type: "DateTime('UTC')" },
]

/** What a server got: the tokens, the rows and the times of arrival of each insert. It answers as long as it is up. */
let got: { readonly token: string | null; readonly rows: number[]; readonly arrivals: number[] }[]
let isUp: boolean
/** This row makes the server refuse an insert. */
let unreadable: number | undefined
/** The clock of the server. */
let date: string
let server: Server
let connection: Connection
let loss: Loss
const ready = async () => {}

beforeEach(async () => {
  got = []
  isUp = true
  unreadable = undefined
  date = 'Fri, 02 Jan 2026 23:59:59 GMT'
  loss = {}
  server = createServer((request, response) => {
    const { searchParams } = new URL(request.url ?? '', 'http://server')
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      const { rows, arrivals } = readBlock(Buffer.concat(chunks))
      got.push({
        token: searchParams.get('insert_deduplication_token'),
        rows,
        arrivals: [...new Set(arrivals)],
      })
      response.setHeader('date', date)
      if (!isUp) return request.socket.destroy()
      const isRefused = unreadable !== undefined && rows.includes(unreadable)
      if (isRefused) response.writeHead(400, { 'X-ClickHouse-Exception-Code': '27' })
      response.end(isRefused ? 'Code: 27. DB::Exception: Cannot parse input. (CANNOT_PARSE_INPUT)' : '')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  connection = new Connection({ url: `http://127.0.0.1:${port}`, database: 'd' }, 1e9)
})

/** The numbers and the times of arrival of a block with the two columns. */
function readBlock(block: Buffer) {
  const length = block[1] ?? 0
  const after = (type: string) => block.subarray(block.indexOf(type) + type.length)
  const each = <Value>(value: (i: number) => Value) => Array.from({ length }, (_, i) => value(i))
  if (!block.includes('UInt16')) return { rows: [], arrivals: [] }
  return {
    rows: each((i) => after('UInt16').readUInt16LE(i * 2)),
    arrivals: each((i) => after("DateTime('UTC')").readUInt32LE(i * 4)),
  }
}

afterEach(async () => {
  await connection.close()
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})

test('an insert whose answer was lost is sent again with the same token, before what came after it', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, {})
  isUp = false
  queue.add('calls', columns, [1])
  await expect(queue.send(ready)).rejects.toThrow(/ClickHouse at/)
  expect(queue.status).toMatchObject({ bytes: 8, failure: expect.stringContaining('ClickHouse at') })
  queue.add('calls', columns, [2])
  isUp = true
  await queue.send(ready)
  const [first, again, next] = got
  expect(got.map(({ rows }) => rows)).toEqual([[1], [1], [2]])
  expect(again?.token).toBe(first?.token)
  expect(next?.token).not.toBe(first?.token)
  expect(queue.status).toEqual({ bytes: 0, maxBytes: expect.any(Number) })
})

test('an insert has no more rows than it may have', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, { maxInsertRows: 2 })
  for (let row = 0; row < 5; row++) queue.add('calls', columns, [row])
  await queue.send(ready)
  expect(got.map(({ rows }) => rows.length)).toEqual([2, 2, 1])
})

test('what does not fit is refused and counted, and so is what is given up', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, { maxQueuedBytes: 20 })
  expect([1, 2, 3].map((row) => queue.add('calls', columns, [row]))).toEqual([true, true, false])
  expect(queue.add('flows', columns, [4])).toBe(false)
  expect(loss).toEqual({ unwritten_calls: 1, unwritten_flows: 1 })
  queue.giveUp()
  expect(loss).toEqual({ unwritten_calls: 3, unwritten_flows: 1 })
  expect(queue.status.bytes).toBe(0)
})

test('a retry after midnight has the time of arrival of the first attempt, by the clock of the server', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, {})
  queue.add('calls', columns, [1])
  await queue.send(ready)
  isUp = false
  queue.add('calls', columns, [2])
  await expect(queue.send(ready)).rejects.toThrow(/ClickHouse at/)
  isUp = true
  date = 'Sat, 03 Jan 2026 00:00:04 GMT'
  // An answer to something else tells the new time.
  await connection.run('SELECT 1')
  queue.add('calls', columns, [3])
  await queue.send(ready)
  const inserts = got.filter(({ rows }) => rows.length > 0)
  expect(inserts.map(({ rows }) => rows)).toEqual([[1], [2], [2], [3]])
  const [, first, again, next] = inserts.map(({ arrivals }) => arrivals[0] ?? 0)
  const day = (seconds = 0) => new Date(seconds * 1000).toISOString().slice(0, 10)
  expect(again).toBe(first)
  expect([day(first), day(next)]).toEqual(['2026-01-02', '2026-01-03'])
})

test('a row that the server cannot read is lost alone, and counted', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, {})
  for (let row = 0; row < 10; row++) queue.add('calls', columns, [row])
  unreadable = 3
  await queue.send(ready)
  const tokens = got.map(({ token }) => token)
  expect(new Set(tokens).size).toBe(tokens.length)
  const stored = got.flatMap(({ rows }) => (rows.includes(3) ? [] : rows))
  expect(stored).toEqual([0, 1, 2, 4, 5, 6, 7, 8, 9])
  expect(loss).toEqual({ unwritten_calls: 1 })
  expect(queue.status.bytes).toBe(0)
  queue.add('calls', columns, [10])
  await queue.send(ready)
  expect(got.at(-1)?.rows).toEqual([10])
})

test('a row that no column can hold is lost before it is sent', async () => {
  const queue = new InsertQueue(connection, 'calls', loss, {})
  for (const row of [1, 70_000, 2, Number.NaN, 'soon', null, 3]) queue.add('calls', columns, [row])
  await queue.send(ready)
  expect(got.flatMap(({ rows }) => rows)).toEqual([1, 2, 3])
  expect(loss).toEqual({ unwritten_calls: 4 })
})
