import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toCallRecord } from '@tapdeck/dissect'
import { compile, createCatalog } from '@tapdeck/kfl'
import { arbitraryCall, arbitraryFilter, sampleProtocols, seededRandom } from '@tapdeck/kfl/testing'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { CallIndex } from '../../packages/index/src/call-index.ts'
import { callColumns } from '../../packages/index/src/clickhouse/call-columns.ts'
import { filterSql } from '../../packages/index/src/clickhouse/call-pages.ts'
import { Connection, type Value } from '../../packages/index/src/clickhouse/connection.ts'
import { openClickhouseIndex } from '../../packages/index/src/clickhouse/open-clickhouse-index.ts'
import { tablesOf } from '../../packages/index/src/clickhouse/tables.ts'
import { sampleOptions } from '../../packages/index/src/contract/check.ts'
import { openIndex } from '../../packages/index/src/duckdb/open-index.ts'
import { callOfShape } from '../../packages/index/src/testing/call-of-shape.ts'
import { address, tableSettings, uniqueName } from './address.ts'

const CALLS = 300
/** Each is tried on every call; `TAPDECK_AGREEMENT_FILTERS` asks for more of them, for a long run now and then. */
const FILTERS = Number(process.env.TAPDECK_AGREEMENT_FILTERS ?? 600)
/** Filters that are tried through the whole interface of both indexes. */
const PAGES = Number(process.env.TAPDECK_AGREEMENT_PAGES ?? 20)
/** Of those, pages that are compared field by field. */
const PAGES_COMPARED = 20
/** Conditions in one query: each query takes the engine long, whatever it asks. */
const AT_ONCE = 50

const catalog = createCatalog(sampleProtocols)
const random = seededRandom(Number(process.env.TAPDECK_AGREEMENT_SEED ?? 20_260_102))
const calls = Array.from({ length: CALLS }, (_, i) => {
  const call = arbitraryCall(random) as { readonly ts: number }
  const proto = ['http', 'redis', 'mongodb', 'tcp'][i % 4]
  // Microseconds of its own: of several names of one address the newest counts, and of two at the same time either.
  return callOfShape({ ...call, ts: call.ts + i / 1000, proto, flow_id: i + 1 }, i)
})
const { node, captureSource } = sampleOptions
const live = calls.map(({ call, peers }) => toCallRecord(call, peers, node, captureSource))
const name = uniqueName()
const folder = mkdtempSync(join(tmpdir(), 'tapdeck-agreement-'))
let connection: Connection
let clickhouse: CallIndex
let duckdb: CallIndex

beforeAll(async () => {
  connection = new Connection(address(), 1e9)
  clickhouse = await openClickhouseIndex(
    { ...sampleOptions, address: address(), name, tableSettings },
    catalog,
  )
  duckdb = await openIndex(folder, sampleOptions, catalog)
  for (const { call, peers } of calls) {
    clickhouse.append(call, peers)
    duckdb.append(call, peers)
  }
  await clickhouse.flush()
  await duckdb.flush()
})

afterAll(async () => {
  await clickhouse?.close()
  await duckdb?.close()
  for (const table of Object.values(tablesOf(name)))
    await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
})

function arbitraryText(place: number): string {
  const { words, cel } = arbitraryFilter(random)
  return place % 2 === 0 ? words : cel
}

it('selects the same calls in the SQL of ClickHouse as the filter does on the live stream', async () => {
  const columns = callColumns(catalog)
  const table = connection.table(tablesOf(name).calls)
  let exact = 0
  let some = 0
  for (let first = 0; first < FILTERS; first += AT_ONCE) {
    const filters = Array.from({ length: Math.min(AT_ONCE, FILTERS - first) }, (_, i) =>
      compile(arbitraryText(i), catalog),
    )
    const conditions = filters.map((filter) => filterSql(filter, columns))
    const [selected] = await connection.rows(
      `SELECT ${conditions.map(({ where }) => `groupArrayIf(c.ordinal, ${where})`).join(', ')} FROM ${table} AS c`,
    )
    for (const [i, filter] of filters.entries()) {
      const expected = live.flatMap((call, ordinal) => (filter.matches(call) ? [ordinal] : []))
      const found = listOf(selected[i])
      if (conditions[i].exact) expect(found, filter.text).toEqual(expected)
      // The columns let through more; what they leave out must not match.
      else expect(found, filter.text).toEqual(expect.arrayContaining(expected))
      if (conditions[i].exact) exact++
      if (expected.length > 0 && expected.length < CALLS) some++
    }
  }
  // The test would say little if most filters let through all or nothing, or if SQL decided none of them.
  expect(exact).toBeGreaterThan(FILTERS / 3)
  expect(some).toBeGreaterThan(FILTERS / 3)
})

it(
  'selects the same calls as DuckDB and as the filter does on the live stream',
  async () => {
    for (let i = 0; i < PAGES; i++) {
      const filter = compile(arbitraryText(i), catalog)
      const expected = live.filter((call) => filter.matches(call)).map(({ id }) => id)
      const query = { filter, limit: CALLS, order: 'oldest' as const }
      const [one, other] = await Promise.all([clickhouse.calls(query), duckdb.calls(query)])
      for (const { calls, total } of [one, other]) {
        expect(calls.map(({ id }) => id).sort(), filter.text).toEqual(expected.toSorted())
        expect(total, filter.text).toBe(expected.length)
      }
    }
  },
  600_000 + PAGES * 1000,
)

it('gives the same pages as DuckDB', async () => {
  for (let i = 0; i < PAGES_COMPARED; i++) {
    const filter = compile(arbitraryText(i), catalog)
    const order = i % 3 === 0 ? ('oldest' as const) : ('newest' as const)
    const query = { filter, limit: 40, order, flows: true }
    const [one, other] = await Promise.all([clickhouse.calls(query), duckdb.calls(query)])
    expect(JSON.parse(JSON.stringify(one)), filter.text).toEqual(JSON.parse(JSON.stringify(other)))
  }
})

it('names flows that are counted over several indexes by the same numbers as DuckDB', async () => {
  const query = { limit: 1000, order: 'bytes' as const, hashes: true, distributions: true }
  const [one, other] = await Promise.all([clickhouse.flows(query), duckdb.flows(query)])
  expect(one.hashes?.toSorted()).toEqual(other.hashes?.toSorted())
  expect(one.flows).toEqual(other.flows)
})

it('gives the same groups as DuckDB', async () => {
  for (const group_by of ['service', 'path', 'time', 'src_workload,status'] as const)
    for (const text of ['', 'latency > 1ms']) {
      const query = { filter: compile(text, catalog), group_by, limit: 1000, distributions: true }
      const [one, other] = await Promise.all([clickhouse.stats(query), duckdb.stats(query)])
      expect(one, `${group_by} ${text}`).toEqual(other)
    }
})

function listOf(value: Value): readonly number[] {
  return Array.isArray(value) ? value.map(Number).sort((a, b) => a - b) : []
}
