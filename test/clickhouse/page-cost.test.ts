import { compile } from '@tapdeck/kfl'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { Connection, type Value } from '../../packages/index/src/clickhouse/connection.ts'
import { DAWN } from '../../packages/index/src/testing/sample-flow.ts'
import { address, tableSettings, uniqueName } from './address.ts'
import { catalog, ManyFlows } from './many-flows.ts'

const FEW = 25_000
const MANY = 200_000
/** Calls are a millisecond apart, the newest at this time. */
const NEWEST = DAWN / 1000
/** Rows are read in blocks of up to this size. */
const BLOCK = 70_000

/** Adds up the rows that the server reads for the queries that pass. */
class CountedConnection extends Connection {
  read = 0

  override async rows(sql: string): Promise<readonly (readonly Value[])[]> {
    const answer = await fetch(this.address.url, { method: 'POST', body: `${sql}\nFORMAT JSONCompact` })
    if (!answer.ok) throw new Error(await answer.text())
    const { data, statistics } = (await answer.json()) as {
      readonly data: readonly (readonly Value[])[]
      readonly statistics: { readonly rows_read: number }
    }
    this.read += statistics.rows_read
    return data
  }
}

const filled = [FEW, MANY].map((flows) => ({ flows, index: new ManyFlows(address(), uniqueName()) }))
beforeAll(async () => {
  for (const { index, flows } of filled) await index.fill(flows, flows, tableSettings)
})
afterAll(async () => {
  for (const { index } of filled) await index.drop()
})

const page = { limit: 100, order: 'newest', flows: true } as const

it.each([
  ['of everything', '', {}],
  ['of a service in a window', 'dst.svc == "svc-7"', { start: NEWEST - 10_000 }],
])('a page of calls %s reads as many rows where there are more flows', async (_name, kfl, window) => {
  const read: number[] = []
  for (const { index } of filled) {
    const connection = new CountedConnection(address(), 1e9)
    const { calls } = await index
      .reader(connection)
      .calls({ ...page, ...window, filter: compile(kfl, catalog) })
    expect(calls).toHaveLength(100)
    for (const call of calls) expect(call.tcp_handshake_p50_us).toBeGreaterThan(0)
    read.push(connection.read)
    await connection.close()
  }
  const [few = 0, many = 0] = read
  expect(few).toBeGreaterThan(100)
  expect(many - few).toBeLessThan(BLOCK)
})
