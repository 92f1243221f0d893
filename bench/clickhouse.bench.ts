import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { loadavg, tmpdir } from 'node:os'
import { join } from 'node:path'
import { type Call, type Message, protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex, type Peers } from '@tapdeck/index'
import { compile, createCatalog } from '@tapdeck/kfl'
import type { Flow } from '@tapdeck/wire'
import { Connection } from '../packages/index/src/clickhouse/connection.ts'
import { openClickhouseIndex } from '../packages/index/src/clickhouse/open-clickhouse-index.ts'
import { callColumnNames, flowColumnNames, tablesOf } from '../packages/index/src/clickhouse/tables.ts'

/*
 * Ten questions to DuckDB and to ClickHouse over the same calls, one after the other in one run. `npm run clickhouse -- bench` starts
 * ClickHouse in WebAssembly and runs this; TAPDECK_CLICKHOUSE_URL names another. Rows: TAPDECK_BENCH_ROWS, default 1,000,000.
 * ClickHouse copies most of them from those that it was given: WebAssembly reads rows slowly. With TAPDECK_CLICKHOUSE_PID, its
 * processor time is shown too.
 */
const url = process.env.TAPDECK_CLICKHOUSE_URL
const pid = process.env.TAPDECK_CLICKHOUSE_PID
const ROWS = Number(process.env.TAPDECK_BENCH_ROWS ?? 1_000_000)
const GIVEN = 10_000
const COPIES = Math.max(1, Math.round(ROWS / GIVEN))
const ROUNDS = 3
const START = 1_767_225_600_000_000
/** Microseconds from one copy to the next, and how far their flows are apart. */
const SHIFT = GIVEN * 100
const FLOW_SHIFT = 2 ** 32
/** Clock ticks of Linux in a second. */
const TICKS = 100

const catalog = createCatalog(protocols)
const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 1024 ** 3 }
const encoder = new TextEncoder()
let state = 1
const random = () => {
  state = (Math.imul(state, 1103515245) + 12345) & 0x7fffffff
  return state / 0x7fffffff
}
const below = (n: number) => Math.floor(random() * n)

const flows = Array.from({ length: 500 }, (_, i): Flow => {
  const half = () => ({ packets: 10, bytes: 9000, goodput: 8000, missing: 0 })
  return {
    id: i + 1,
    transport: 'tcp',
    ends: [
      { ip: `10.0.${i % 40}.7`, port: 32_768 + i },
      { ip: `10.1.${i % 37}.9`, port: 8080 },
    ],
    midstream: false,
    start: START,
    last: START + SHIFT,
    directions: [half(), half()],
    closed: 'fin',
    state: undefined,
  }
})
const peers = flows.map(
  (flow, i): Peers => ({
    src: { ...flow.ends[0], pod: `web-${i % 40}`, ns: 'shop', node: 'node-1' },
    dst: { ...flow.ends[1], pod: `svc-${i % 37}-0`, svc: `svc-${i % 37}`, ns: 'shop', node: 'node-2' },
  }),
)

function makeCall(n: number): Call {
  const start = START + n * 100
  const latency = 500 + Math.floor(random() ** 4 * 300_000)
  const status = random() < 0.02 ? 503 : 200
  const path = `/api/v1/orders/${below(2000)}/items`
  const head = encoder.encode(`GET ${path} HTTP/1.1\r\nHost: svc\r\nX-Request-Id: ${n}\r\n\r\n`)
  const answer = encoder.encode(`HTTP/1.1 ${status} Reason\r\nContent-Length: 0\r\n\r\n`)
  const request: Message = { kind: 'request', head, start, end: start + 30, size: head.length }
  const end = start + latency
  return {
    flow: flows[n % flows.length]!,
    ordinal: Math.floor(n / flows.length),
    protocol: 'http',
    side: 0,
    request,
    response: { kind: 'response', head: answer, start: end - 100, end, size: answer.length },
    start,
    end,
    summary: { method: 'GET', path, status, ...(status >= 500 && { failure: 'status 503' }) },
  }
}

const given = Array.from({ length: GIVEN }, (_, n) => makeCall(n))

function copyOf(call: Call, copy: number): Call {
  const shift = copy * SHIFT
  const moved = <M extends Message | undefined>(message: M): M =>
    message && { ...message, start: message.start + shift, end: message.end + shift }
  const { flow } = call
  return {
    ...call,
    flow: { ...flow, id: flow.id + copy * FLOW_SHIFT, start: flow.start + shift, last: flow.last + shift },
    request: moved(call.request),
    response: moved(call.response),
    start: call.start + shift,
    end: call.end + shift,
  }
}

async function fillDuckdb(index: CallIndex): Promise<void> {
  for (let copy = 0; copy < COPIES; copy++) {
    for (const [n, call] of given.entries()) index.append(copyOf(call, copy), peers[n % flows.length]!)
    await index.flush()
  }
}

async function fillClickhouse(index: CallIndex, connection: Connection, name: string): Promise<void> {
  for (const [n, call] of given.entries()) index.append(call, peers[n % flows.length]!)
  await index.flush()
  const { calls, flows: flowTable } = tablesOf(name)
  const copy = (table: string, columns: readonly string[], shifted: Readonly<Record<string, string>>) => {
    const list = columns.map((column) => shifted[column] ?? `t.${column}`)
    const target = connection.table(table)
    return `INSERT INTO ${target} (${columns.join(', ')}) SELECT ${list.join(', ')}
      FROM ${target} AS t CROSS JOIN (SELECT number AS n FROM numbers(1, ${COPIES - 1})) AS k`
  }
  if (COPIES === 1) return
  const columns = [...callColumnNames.filter((column) => column !== 'payload_hex'), 'payload']
  const flow = `toUInt64(t.flow + k.n * ${FLOW_SHIFT})`
  await connection.run(copy(calls, columns, { ts: `t.ts + k.n * ${SHIFT}`, flow }))
  const times = { start_ts: `t.start_ts + k.n * ${SHIFT}`, last_ts: `t.last_ts + k.n * ${SHIFT}` }
  await connection.run(
    copy(flowTable, flowColumnNames, { id: `toUInt64(t.id + k.n * ${FLOW_SHIFT})`, ...times }),
  )
}

const filter = (text: string) => compile(text, catalog)
const newest = (text: string) => (index: CallIndex) =>
  index.calls({ filter: filter(text), limit: 100, order: 'newest' })
const by = (group_by: 'service' | 'path' | 'time') => (index: CallIndex) =>
  index.stats({ filter: filter(''), group_by, limit: 100 })
const half = { start: START / 1000, end: (START + (COPIES * SHIFT) / 2) / 1000 }

const questions: Readonly<Record<string, (index: CallIndex) => Promise<unknown>>> = {
  'the newest 100': newest(''),
  'the newest 100 with status 503': newest('response.status == 503'),
  'the newest 100 of a service': newest('dst.svc == "svc-7"'),
  'the newest 100 slower than 250 ms': newest('latency > 250ms'),
  'the newest 100 with a header': newest('request.headers["x-request-id"] == "9999"'),
  'errors in half of the time, counted': (index) => index.count(filter('response.status >= 500'), half),
  'by service': by('service'),
  'by path template': by('path'),
  'by time': by('time'),
  'flows between services': (index) => index.flows({ aggregate: 'service', order: 'bytes', limit: 100 }),
}

/** Processor time of ClickHouse so far, in milliseconds. */
function engineTime(): number {
  if (pid === undefined) return Number.NaN
  const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ')
  return ((Number(fields[11]) + Number(fields[12])) / TICKS) * 1000
}

function ownTime(): number {
  const { user, system } = process.cpuUsage()
  return (user + system) / 1000
}

async function measure(ask: () => Promise<unknown>, clock: () => number) {
  const [began, used] = [performance.now(), clock()]
  await ask()
  return { wall: performance.now() - began, cpu: clock() - used }
}

const median = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1] ?? 0
const cell = (value: number) => (Number.isNaN(value) ? '–' : Math.round(value).toString()).padStart(9)

async function main(address: {
  readonly url: string
  readonly database: string
  readonly timeoutMs: number
}) {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
  const name = `bench${process.pid}`
  const connection = new Connection(address, 4e9)
  const duckdb = await openIndex(join(folder, 'index'), options, catalog)
  const clickhouse = await openClickhouseIndex({ ...options, address, name, memory: 3e9 }, catalog)
  const filled = [
    await measure(() => fillDuckdb(duckdb), ownTime),
    await measure(() => fillClickhouse(clickhouse, connection, name), engineTime),
  ]
  console.log(`${(COPIES * GIVEN).toLocaleString('en')} calls; load ${loadavg()[0]?.toFixed(1)}`)
  console.log(
    `filled in ${filled.map(({ wall }) => `${Math.round(wall / 1000)} s`).join(' (DuckDB), ')} (ClickHouse)`,
  )
  console.log(`${''.padEnd(38)}  DuckDB ms  (CPU)  ClickHouse ms  (CPU)`)
  for (const [title, ask] of Object.entries(questions)) {
    const times: Record<'duckdb' | 'clickhouse', { wall: number; cpu: number }[]> = {
      duckdb: [],
      clickhouse: [],
    }
    for (let round = 0; round < ROUNDS; round++) {
      times.duckdb.push(await measure(() => ask(duckdb), ownTime))
      times.clickhouse.push(await measure(() => ask(clickhouse), engineTime))
    }
    const cells = [times.duckdb, times.clickhouse].flatMap((all) => [
      cell(median(all.map(({ wall }) => wall))),
      cell(median(all.map(({ cpu }) => cpu))),
    ])
    console.log(`${title.padEnd(38)} ${cells.join(' ')}`)
  }
  await duckdb.close()
  await clickhouse.close()
  for (const table of Object.values(tablesOf(name)))
    await connection.run(`DROP TABLE IF EXISTS ${connection.table(table)}`)
  await connection.close()
  rmSync(folder, { recursive: true, force: true })
}

if (url) await main({ url, database: 'tapdeck_bench', timeoutMs: 600_000 })
else console.log('Skipped: TAPDECK_CLICKHOUSE_URL names no server. `npm run clickhouse -- bench` starts one.')
