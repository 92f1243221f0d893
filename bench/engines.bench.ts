import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { openClickhouseIndex } from '@tapdeck/index/clickhouse'
import { compile, createCatalog } from '@tapdeck/kfl'
import { below, makeCall } from './made-calls.ts'
import { folderSize } from './soak/sample.ts'
import { startClickhouse } from './start-clickhouse.ts'

/*
 * The two engines of the index beside each other: the same calls are written into DuckDB and into ClickHouse, and the same
 * questions are asked in turns. TAPDECK_BENCH_ROWS: calls (1,000,000). TAPDECK_BENCH_BODY: bytes of a body (256).
 * TAPDECK_CLICKHOUSE_URL names a server; without it, a native ClickHouse comes from npm.
 */
const ROWS = Number(process.env.TAPDECK_BENCH_ROWS ?? 1_000_000)
const BODY = Number(process.env.TAPDECK_BENCH_BODY ?? 256)
const ROUNDS = 9
const AT_ONCE = 500
const FLUSH_EVERY = 10_000
const catalog = createCatalog(protocols)
const folder = mkdtempSync(join(process.env.TAPDECK_BENCH_FOLDER ?? tmpdir(), 'tapdeck-engines-'))
const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 1024 ** 3 }
const files = join(folder, 'duckdb')

interface Engine {
  readonly name: string
  readonly index: CallIndex
  /** Seconds of processor time that it has used so far: of this process, and of a server. */
  readonly cpu: () => readonly [number, number]
  /** Bytes on disk. */
  readonly size: () => number
}

const own = () => {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1e6
}
const sum = ([client, server]: readonly [number, number]) => client + server

const server = await startClickhouse(folder)
const address = { url: server.url, database: 'bench', timeoutMs: 600_000 }
const duckdb: Engine = {
  name: 'DuckDB',
  index: await openIndex(files, options, catalog),
  cpu: () => [own(), 0],
  size: () => folderSize(files),
}
const clickhouse: Engine = {
  name: 'ClickHouse',
  index: await openClickhouseIndex({ ...options, address, name: `bench_${process.pid}` }, catalog),
  cpu: () => [own(), server.cpu()],
  size: () => folderSize(server.data),
}

try {
  console.log(`${ROWS.toLocaleString('en')} calls with bodies of ${BODY} bytes`)
  for (const engine of [duckdb, clickhouse]) await write(engine)
  const filter = (text: string) => compile(text, catalog)
  const newest = { limit: 100, order: 'newest' as const }
  const everything = filter('')
  const { calls } = await duckdb.index.calls({ ...newest, limit: 1000, filter: filter('dst.svc == "svc-7"') })
  const middle = (calls[0]!.ts + calls[0]!.ts - (ROWS * 7) / 1000) / 2
  const questions: Record<string, (index: CallIndex) => Promise<unknown>> = {
    'newest 100': (index) => index.calls({ ...newest, filter: everything }),
    '100 in the middle of the history': (index) =>
      index.calls({ ...newest, filter: everything, start: middle - 1000, end: middle }),
    'errors of a service, newest 100 and total': (index) =>
      index.calls({ ...newest, filter: filter(`dst.svc == "svc-${below(37)}" and response.status >= 500`) }),
    'path contains, newest 100 and total': (index) =>
      index.calls({ ...newest, filter: filter(`path contains "/orders/${below(90) + 10}"`) }),
    'path contains, no match': (index) => index.count(filter(`path contains "/zzz${below(1e9)}"`), {}),
    'word in the body, newest 100': (index) =>
      index.calls({ ...newest, filter: filter('response.body contains "shipping payment"') }),
    'percentiles by service': (index) => index.stats({ filter: everything, group_by: 'service', limit: 100 }),
    'percentiles by path': (index) => index.stats({ filter: everything, group_by: 'path', limit: 100 }),
    'calls and errors over time': (index) =>
      index.stats({ filter: everything, group_by: 'time', limit: 200 }),
    'flows by service': (index) => index.flows({ aggregate: 'service', limit: 100, order: 'bytes' }),
    'one call with its body': (index) => index.call(calls[below(calls.length)]!.id),
  }
  for (const [name, ask] of Object.entries(questions)) await compare(name, ask)
} finally {
  await duckdb.index.close()
  await clickhouse.index.close()
  server.stop()
  rmSync(folder, { recursive: true, force: true })
}

async function write({ name, index, cpu, size }: Engine): Promise<void> {
  let [took, client, served] = [0, 0, 0]
  for (let n = 0; n < ROWS; n += AT_ONCE) {
    const calls = Array.from({ length: AT_ONCE }, (_, i) => shortened(makeCall(n + i)))
    const [began, before] = [performance.now(), cpu()]
    for (const [call, peers] of calls) index.append(call, peers)
    if ((n + AT_ONCE) % FLUSH_EVERY === 0) await index.flush()
    took += performance.now() - began
    const after = cpu()
    client += after[0] - before[0]
    served += after[1] - before[1]
  }
  await index.flush()
  const perCall = (seconds: number) => `${((seconds * 1e6) / ROWS).toFixed(1)} µs`
  console.log(
    `${name}: written in ${(took / 1000).toFixed(0)} s, processor ${perCall(client)} a call and ${perCall(served)} of a server, ${(size() / ROWS).toFixed(0)} bytes a call on disk`,
  )
}

function shortened([call, peers]: ReturnType<typeof makeCall>): ReturnType<typeof makeCall> {
  const { response } = call
  if (response?.body === undefined) return [call, peers]
  return [{ ...call, response: { ...response, body: response.body.subarray(0, BODY) } }, peers]
}

/** In turns, so that a busy machine is as unkind to each. */
async function compare(name: string, ask: (index: CallIndex) => Promise<unknown>): Promise<void> {
  const engines = [duckdb, clickhouse]
  const times = engines.map((): number[] => [])
  const cpus = engines.map((): number[] => [])
  for (let round = 0; round < ROUNDS; round++)
    for (const [i, { index, cpu }] of engines.entries()) {
      const [began, before] = [performance.now(), sum(cpu())]
      await ask(index)
      times[i]!.push(performance.now() - began)
      cpus[i]!.push((sum(cpu()) - before) * 1000)
    }
  const sorted = (values: readonly number[]) => values.toSorted((a, b) => a - b)
  const shown = engines.map((engine, i) => {
    const [p50, worst] = [sorted(times[i]!)[ROUNDS >> 1]!, sorted(times[i]!)[ROUNDS - 1]!]
    return `${engine.name} ${p50.toFixed(1).padStart(8)} ms (most ${worst.toFixed(0).padStart(5)}, processor ${sorted(cpus[i]!)[ROUNDS >> 1]!.toFixed(0).padStart(5)})`
  })
  const ratio = sorted(times[1]!)[ROUNDS >> 1]! / sorted(times[0]!)[ROUNDS >> 1]!
  console.log(`${name.padEnd(44)} ${shown.join('  ')}  ${ratio.toFixed(2)}×`)
}
