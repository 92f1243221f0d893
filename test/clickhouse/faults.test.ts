import { createServer, request, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import { afterEach, beforeEach, expect, it } from 'vitest'
import type { CallIndex } from '../../packages/index/src/call-index.ts'
import { Connection } from '../../packages/index/src/clickhouse/connection.ts'
import { openClickhouseIndex } from '../../packages/index/src/clickhouse/open-clickhouse-index.ts'
import { tablesOf } from '../../packages/index/src/clickhouse/tables.ts'
import { everything, sampleOptions } from '../../packages/index/src/contract/check.ts'
import { sampleCall, samplePeers } from '../../packages/index/src/testing/sample-call.ts'
import { sampleFlow } from '../../packages/index/src/testing/sample-flow.ts'
import { address, tableSettings, uniqueName } from './address.ts'

const catalog = createCatalog(protocols)
const flow = sampleFlow()
let name: string
let connection: Connection
let proxy: Server
let index: CallIndex | undefined
/** What happens to an insert on its way: it arrives, it is refused, or its answer is lost. */
let inserts: 'pass' | 'refuse' | 'lose-answer'

beforeEach(async () => {
  name = uniqueName()
  inserts = 'pass'
  connection = new Connection(address(), 1e9)
  proxy = createServer((incoming, outgoing) => {
    const isInsert = /INSERT/.test(decodeURIComponent(incoming.url ?? ''))
    if (isInsert && inserts === 'refuse') return incoming.socket.destroy()
    const onward = request(new URL(incoming.url ?? '/', address().url), {
      method: incoming.method,
      headers: incoming.headers,
    })
    onward.on('response', (answer) => {
      if (isInsert && inserts === 'lose-answer') {
        answer.resume().on('end', () => incoming.socket.destroy())
        return
      }
      outgoing.writeHead(answer.statusCode ?? 500, answer.headers)
      answer.pipe(outgoing)
    })
    onward.on('error', () => incoming.socket.destroy())
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
})

afterEach(async () => {
  inserts = 'pass'
  await index?.close()
  index = undefined
  for (const table of Object.values(tablesOf(name)))
    await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  await connection.close()
  proxy.closeAllConnections()
  await new Promise((resolve) => proxy.close(resolve))
})

async function open(maxQueuedBytes?: number): Promise<CallIndex> {
  const { port } = proxy.address() as AddressInfo
  const through = { ...address(), url: `http://127.0.0.1:${port}` }
  const options = { ...sampleOptions, address: through, name, tableSettings }
  index = await openClickhouseIndex(
    { ...options, ...(maxQueuedBytes !== undefined && { maxQueuedBytes }) },
    catalog,
  )
  return index
}

function append(to: CallIndex, first: number, count: number): void {
  for (let ordinal = first; ordinal < first + count; ordinal++)
    to.append(sampleCall({ flow, ordinal }), samplePeers(flow))
}

it('keeps what ClickHouse does not take while it is away, and stores it once when it is back', async () => {
  const written = await open()
  append(written, 0, 10)
  await written.flush()
  inserts = 'refuse'
  append(written, 10, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  append(written, 20, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  expect(await written.count(everything, {})).toBe(10)
  inserts = 'pass'
  await written.flush()
  expect(await written.count(everything, {})).toBe(30)
  expect(written.loss).toEqual({})
})

it('stores an insert once though its answer was lost and it was sent again', async () => {
  const written = await open()
  inserts = 'lose-answer'
  append(written, 0, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  inserts = 'pass'
  append(written, 10, 5)
  await written.flush()
  expect(await written.count(everything, {})).toBe(15)
  expect((await written.summary()).flows).toBe(1)
  expect(written.loss).toEqual({})
})

it('counts the calls that no longer fit into the queue, and stores those that did', async () => {
  const written = await open(10_000)
  inserts = 'refuse'
  append(written, 0, 100)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  const refused = written.loss.unwritten_calls ?? 0
  expect(refused).toBeGreaterThan(0)
  expect(refused).toBeLessThan(100)
  inserts = 'pass'
  await written.flush()
  expect(await written.count(everything, {})).toBe(100 - refused)
})

it('refuses tables of another schema and says what to do', async () => {
  await (await open()).close()
  index = undefined
  const { calls } = tablesOf(name)
  await connection.run(`ALTER TABLE ${connection.table(calls)} MODIFY COMMENT 'Tapdeck index, schema 99'`)
  await expect(open()).rejects.toThrow(
    /schema 99; this version of Tapdeck reads schema 1.*Choose another database/s,
  )
  await connection.run(`ALTER TABLE ${connection.table(calls)} MODIFY COMMENT 'orders'`)
  await expect(open()).rejects.toThrow(/no table of Tapdeck/)
})

it('says where ClickHouse was looked for when there is none', async () => {
  const options = { ...sampleOptions, address: { ...address(), url: 'http://127.0.0.1:1' }, name }
  await expect(openClickhouseIndex(options, catalog)).rejects.toThrow(
    /ClickHouse at http:\/\/127\.0\.0\.1:1: .*REFUSED/,
  )
})

it('breaks off what runs when it is abandoned', async () => {
  const written = await open()
  append(written, 0, 10)
  await written.flush()
  await written.abandon()
  await expect(written.count(everything, {})).rejects.toThrow(/closed/)
})
