import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { compile } from '@tapdeck/kfl'
import { catalog, ManyFlows } from '../test/clickhouse/many-flows.ts'
import { startClickhouse } from './start-clickhouse.ts'

/*
 * The newest 100 calls on ClickHouse with few and with many flows, asked for in turns; the ratio of the medians.
 * TAPDECK_BENCH_FEW (10,000), TAPDECK_BENCH_MANY (5,000,000): flows, each with a call.
 * TAPDECK_BENCH_CALLS: at most so many calls. TAPDECK_CLICKHOUSE_URL names a server;
 * without it, a native ClickHouse comes from npm.
 */
const sizes = [
  Number(process.env.TAPDECK_BENCH_FEW ?? 10_000),
  Number(process.env.TAPDECK_BENCH_MANY ?? 5_000_000),
]
const CALLS = Number(process.env.TAPDECK_BENCH_CALLS ?? Number.POSITIVE_INFINITY)
const ROUNDS = 15
const folder = mkdtempSync(join(process.env.TAPDECK_BENCH_FOLDER ?? tmpdir(), 'tapdeck-page-'))
const server = await startClickhouse(folder)
const address = { url: server.url, database: 'bench', timeoutMs: 600_000 }
const indexes = sizes.map((flows) => ({
  flows,
  index: new ManyFlows(address, `page_${process.pid}_${flows}`),
}))

try {
  for (const { flows, index } of indexes) {
    const began = performance.now()
    await index.fill(flows, Math.min(flows, CALLS))
    console.log(
      `${flows.toLocaleString('en')} flows written in ${((performance.now() - began) / 1000).toFixed(0)} s`,
    )
  }
  const filter = compile('', catalog)
  const page = { filter, limit: 100, order: 'newest' } as const
  const readers = indexes.map(({ index }) => index.reader())
  await compare(
    'first page after a start, compact',
    indexes.map(
      ({ index }) =>
        () =>
          index.reader().calls(page),
    ),
  )
  await compare(
    'page, compact',
    readers.map((reader) => () => reader.calls(page)),
  )
  await compare(
    'page with flows and handshakes',
    readers.map((reader) => () => reader.calls({ ...page, flows: true })),
  )
  await compare(
    'summary',
    readers.map((reader) => () => reader.summary()),
  )
} finally {
  for (const { index } of indexes) await index.drop()
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}

/** In turns, so that a busy machine is as unkind to each. */
async function compare(name: string, questions: readonly (() => Promise<unknown>)[]): Promise<void> {
  const times = questions.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, ask] of questions.entries()) {
      const began = performance.now()
      await ask()
      times[i]!.push(performance.now() - began)
    }
  const [few = 0, many = 0] = times.map((all) => all.toSorted((a, b) => a - b)[ROUNDS >> 1]!)
  console.log(
    `${name.padEnd(36)} ${few.toFixed(1).padStart(8)} ms ${many.toFixed(1).padStart(8)} ms  ${(many / few).toFixed(2)}×`,
  )
}
