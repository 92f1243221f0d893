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
import { InsertProxy } from './insert-proxy.ts'

const catalog = createCatalog(protocols)
const flow = sampleFlow()
let name: string
let connection: Connection
let proxy: InsertProxy
let index: CallIndex | undefined

beforeEach(async () => {
  name = uniqueName()
  connection = new Connection(address(), 1e9)
  proxy = await InsertProxy.start()
})

afterEach(async () => {
  proxy.inserts = 'pass'
  await index?.close()
  index = undefined
  for (const table of Object.values(tablesOf(name)))
    await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  await connection.close()
  await proxy.stop()
})

async function open(maxQueuedBytes?: number): Promise<CallIndex> {
  const through = { ...address(), url: proxy.url }
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
  proxy.inserts = 'refuse'
  append(written, 10, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  append(written, 20, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  expect(await written.count(everything, {})).toBe(10)
  proxy.inserts = 'pass'
  await written.flush()
  expect(await written.count(everything, {})).toBe(30)
  expect(written.loss).toEqual({})
})

it('stores an insert once though its answer was lost and it was sent again', async () => {
  const written = await open()
  proxy.inserts = 'lose-answer'
  append(written, 0, 10)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  proxy.inserts = 'pass'
  append(written, 10, 5)
  await written.flush()
  expect(await written.count(everything, {})).toBe(15)
  expect((await written.summary()).flows).toBe(1)
  expect(written.loss).toEqual({})
})

it('counts the calls that no longer fit into the queue, and stores those that did', async () => {
  const written = await open(10_000)
  proxy.inserts = 'refuse'
  append(written, 0, 100)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  const refused = written.loss.unwritten_calls ?? 0
  expect(refused).toBeGreaterThan(0)
  expect(refused).toBeLessThan(100)
  proxy.inserts = 'pass'
  await written.flush()
  expect(await written.count(everything, {})).toBe(100 - refused)
})

it('makes tables again that were dropped while it ran, and stores what waited', async () => {
  const written = await open()
  append(written, 0, 10)
  await written.flush()
  for (const table of Object.values(tablesOf(name)))
    await connection.run(`DROP TABLE ${connection.table(table)}`)
  append(written, 10, 5)
  await expect(written.flush()).rejects.toThrow(/ClickHouse at http/)
  await written.flush()
  expect(await written.count(everything, {})).toBe(5)
  expect(written.loss).toEqual({})
})

it('loses only the row that ClickHouse cannot read', async () => {
  const written = await open()
  append(written, 0, 10)
  written.append(
    { ...sampleCall({ flow, ordinal: 10 }), start: 'soon' as unknown as number },
    samplePeers(flow),
  )
  append(written, 11, 10)
  await written.flush()
  expect(await written.count(everything, {})).toBe(20)
  expect(written.loss).toEqual({ unwritten_calls: 1 })
})

it('finds each call of a flow by its id, whether the flow is open, closed or not known any more', async () => {
  const written = await open()
  append(written, 0, 3)
  await written.flush()
  const { calls } = await written.calls({ filter: everything, limit: 10, order: 'oldest' })
  const found = async () => Promise.all(calls.map(async ({ id }) => (await written.call(id))?.id))
  const ids = calls.map(({ id }) => id)
  expect(await found()).toEqual(ids)
  await written.close()
  index = undefined
  const again = await open()
  expect(await Promise.all(ids.map(async (id) => (await again.call(id))?.id))).toEqual(ids)
  await connection.run(`TRUNCATE TABLE ${connection.table(tablesOf(name).flows)}`)
  expect(await Promise.all(ids.map(async (id) => (await again.call(id))?.id))).toEqual(ids)
})

it('refuses tables of another schema and says what to do', async () => {
  await (await open()).close()
  index = undefined
  const { calls } = tablesOf(name)
  await connection.run(`ALTER TABLE ${connection.table(calls)} MODIFY COMMENT 'Tapdeck index, schema 99'`)
  await expect(open()).rejects.toThrow(
    /schema 99; this version of Tapdeck reads schema 4.*Choose another database/s,
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
