import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate } from 'node:timers/promises'
import {
  BIGINT,
  DOUBLE,
  DuckDBDataChunk,
  DuckDBInstance,
  INTEGER,
  USMALLINT,
  VARCHAR,
} from '@duckdb/node-api'
import { protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { compile, createCatalog } from '@tapdeck/kfl'
import { below, makeCall, paths } from './made-calls.ts'
import { writeShopCapture } from './shop-capture.ts'

/*
 * The index next to the database it is made of, and to a re-read of the traffic by tshark where that is installed, in
 * one run on one machine. Rows: TAPDECK_BENCH_ROWS, default 2,000,000. Calls are prepared before the clock starts; each
 * has both heads and a body of 1 KB. TAPDECK_BENCH_KEEP names a folder that is kept, and used again where it has an index.
 */
const ROWS = Number(process.env.TAPDECK_BENCH_ROWS ?? 2_000_000)
const FLUSH_EVERY = 50_000
const AT_ONCE = 500
const TSHARK_CALLS = 20_000
const kept = process.env.TAPDECK_BENCH_KEEP
const folder = kept ?? mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
mkdirSync(folder, { recursive: true })
const catalog = createCatalog(protocols)
const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 1024 ** 3 }

const seconds = (since: number) => (performance.now() - since) / 1000
const line = (name: string, value: string) => console.log(`${name.padEnd(58)} ${value}`)
const rate = (rows: number, time: number) => `${Math.round(rows / time).toLocaleString('en')} rows/s`

async function writeIndex(): Promise<CallIndex> {
  const index = await openIndex(join(folder, 'index'), options, catalog)
  let time = 0
  let preparing = 0
  const cpu = process.cpuUsage()
  for (let n = 0; n < ROWS; n += AT_ONCE) {
    const before = process.cpuUsage()
    const calls = Array.from({ length: Math.min(AT_ONCE, ROWS - n) }, (_, i) => makeCall(n + i))
    const used = process.cpuUsage(before)
    preparing += (used.user + used.system) / 1e6
    const started = performance.now()
    for (const [call, of] of calls) index.append(call, of)
    if ((n + AT_ONCE) % FLUSH_EVERY === 0) await index.flush()
    // The reader of packets yields between reads.
    else await setImmediate()
    time += seconds(started)
  }
  const last = performance.now()
  await index.flush()
  time += seconds(last)
  const used = process.cpuUsage(cpu)
  line('write: headers, 1 KB bodies, durable at each 50,000', rate(ROWS, time))
  line('write: rows a CPU second of all threads', rate(ROWS, (used.user + used.system) / 1e6 - preparing))
  const started = performance.now()
  await index.close()
  line('close: finish the last chunk', `${(seconds(started) * 1000).toFixed(0)} ms`)
  return reopen()
}

function reopen(): Promise<CallIndex> {
  return openIndex(join(folder, 'index'), { ...options, readOnly: true }, catalog)
}

/** The narrow row alone, by data chunks of 2,048 rows that are filled once: the most that the database could do. */
async function writeBare(): Promise<void> {
  const instance = await DuckDBInstance.create(join(folder, 'bare.duckdb'), {
    threads: '2',
    checkpoint_threshold: '64GB',
  })
  const connection = await instance.connect()
  const types = [
    DOUBLE,
    BIGINT,
    INTEGER,
    INTEGER,
    INTEGER,
    USMALLINT,
    USMALLINT,
    INTEGER,
    INTEGER,
    VARCHAR,
    BIGINT,
  ]
  const more = [INTEGER, INTEGER, DOUBLE, DOUBLE, BIGINT, BIGINT, DOUBLE, INTEGER, USMALLINT]
  const all = [...types, ...more]
  await connection.run(`CREATE TABLE calls (${all.map((type, i) => `c${i} ${type}`).join(', ')})`)
  const appender = await connection.createAppender('calls')
  const chunk = DuckDBDataChunk.create(all)
  chunk.setColumns(
    all.map((type) =>
      Array.from({ length: 2048 }, () =>
        type === VARCHAR ? paths[below(paths.length)] : type === BIGINT ? BigInt(below(1e6)) : below(60_000),
      ),
    ),
  )
  const started = performance.now()
  for (let n = 0, waiting = 0; n < ROWS; n += 2048, waiting += 2048) {
    appender.appendDataChunk(chunk)
    if (waiting >= FLUSH_EVERY) {
      appender.flushSync()
      waiting = 0
    }
  }
  appender.closeSync()
  line('bare appender: the same narrow row, no payload', rate(ROWS, seconds(started)))
  connection.closeSync()
  instance.closeSync()
}

/** Runs one after the other, several rounds, so that a busy machine is as unkind to each. */
async function compare(name: string, runs: readonly (() => Promise<unknown>)[]): Promise<void> {
  const times = runs.map((): number[] => [])
  const cpus = runs.map((): number[] => [])
  for (let round = 0; round < 9; round++)
    for (const [i, run] of runs.entries()) {
      const started = performance.now()
      const before = process.cpuUsage()
      await run()
      const { user, system } = process.cpuUsage(before)
      times[i].push(performance.now() - started)
      cpus[i].push((user + system) / 1000)
    }
  const middle = (values: number[]) => values.toSorted((a, b) => a - b)[4]
  const shown = runs.map((_, i) => {
    const [wall, cpu] = [middle(times[i]), middle(cpus[i])].map((ms) => ms.toFixed(1).padStart(7))
    return `${wall} ms, CPU ${cpu}`
  })
  const ratio = runs.length > 1 ? `, ratio of CPU ${(middle(cpus[0]) / middle(cpus[1])).toFixed(2)}` : ''
  line(name, `${shown.join(' | plain SQL ')}${ratio} (first ${times[0][0].toFixed(0)} ms)`)
}

function sizes(path: string): Record<string, number> {
  const total: Record<string, number> = {}
  for (const entry of readdirSync(path, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue
    total[entry.name] = (total[entry.name] ?? 0) + statSync(join(entry.parentPath, entry.name)).size
  }
  return total
}

/** The same questions to the index, and in plain SQL to the same files. */
async function queries(index: CallIndex): Promise<void> {
  const { sql, union, stop } = await plainDatabase()
  const filter = (text: string) => compile(text, catalog)
  const newest = { limit: 100, order: 'newest' as const }
  const everything = filter('')
  await compare('newest 100', [
    () => index.calls({ ...newest, filter: everything }),
    sql(`SELECT * FROM (${union((db) => `SELECT * FROM ${db}.calls`)}) ORDER BY ts DESC LIMIT 100`),
  ])
  const two = filter('dst.svc == "svc-5" and response.status >= 500')
  await compare('newest 100, two conditions, with exact total', [
    () => index.calls({ ...newest, filter: two }),
    sql(
      `SELECT * FROM (${union((db) => `SELECT c.* FROM ${db}.calls c JOIN ${db}.endpoints d ON d.id = c.dst WHERE d.svc = 'svc-5' AND c.status >= 500`)}) ORDER BY ts DESC LIMIT 100`,
    ),
  ])
  await compare('newest 100, path substring that occurs', [
    () => index.calls({ ...newest, filter: filter('path contains "/orders/12"') }),
  ])
  await compare('path substring over all paths, no match', [
    () => index.count(filter(`path contains "/zzz${below(1e9)}"`), {}),
    sql(
      `SELECT count(*) FROM (${union((db) => `SELECT path FROM ${db}.calls`)}) WHERE contains(path, '/zzz')`,
    ),
  ])
  await compare('newest 100 by a word in the body', [
    () => index.calls({ ...newest, filter: filter('response.body contains "shipping payment"') }),
  ])
  await compare('percentiles by service', [
    () => index.stats({ filter: everything, group_by: 'service', limit: 100 }),
    sql(
      `SELECT svc, count(*), count(error), sum(req_size), sum(resp_size), quantile_cont(latency_us, [0.5, 0.9, 0.99]) FROM (${union((db) => `SELECT d.svc, c.error, c.req_size, c.resp_size, c.latency_us FROM ${db}.calls c JOIN ${db}.endpoints d ON d.id = c.dst`)}) GROUP BY svc`,
    ),
  ])
  await compare('percentiles by path template', [
    () => index.stats({ filter: everything, group_by: 'path', limit: 100 }),
  ])
  await compare('errors over time', [() => index.stats({ filter: everything, group_by: 'time', limit: 200 })])
  await compare('flows by service', [() => index.flows({ aggregate: 'service', limit: 100, order: 'bytes' })])
  const page = await index.calls({ ...newest, limit: 1000, filter: filter('dst.svc == "svc-7"') })
  const places = page.calls.map(({ id }) => id.split('/'))
  const [first] = (await index.calls({ limit: 1, order: 'oldest', filter: everything })).calls
  for (const [name, choose] of [
    ['one call with its body, by id', () => places[below(places.length)]],
    ['the oldest call with its body, by id', () => first.id.split('/')],
  ] as const)
    await compare(name, [
      async () => JSON.stringify(await index.call(choose().join('/'))),
      () => {
        const [, flow, ordinal] = choose()
        const id = `flow = ${flow} AND ordinal = ${ordinal}`
        return sql(union((db) => `SELECT * FROM ${db}.calls WHERE ${id}`))()
      },
    ])
  stop()
}

async function plainDatabase() {
  const instance = await DuckDBInstance.create(':memory:', { threads: '2', memory_limit: '1GB' })
  const connection = await instance.connect()
  const chunks = readdirSync(join(folder, 'index')).filter((name) => name.startsWith('chunk-'))
  for (const [i, name] of chunks.entries())
    await connection.run(`ATTACH '${join(folder, 'index', name, 'calls.duckdb')}' AS p${i} (READ_ONLY)`)
  return {
    union: (select: (db: string) => string) =>
      chunks.map((_, i) => `(${select(`p${i}`)})`).join(' UNION ALL '),
    sql: (text: string) => async () => (await connection.runAndReadAll(text)).getRows(),
    stop() {
      connection.closeSync()
      instance.closeSync()
    },
  }
}

/** What people do without an index: read the capture again. A smaller one, told for as many calls as the index has. */
function readAgain(): void {
  const capture = join(folder, 'tshark.pcap')
  writeShopCapture(capture, TSHARK_CALLS)
  const started = performance.now()
  const filter = 'http.response.code >= 500 && ip.src == 10.1.5.9'
  const { status } = spawnSync('tshark', [
    '-n',
    '-r',
    capture,
    '-Y',
    filter,
    '-T',
    'fields',
    '-e',
    'frame.number',
  ])
  const took = seconds(started)
  rmSync(capture)
  const whole = ((took * ROWS) / TSHARK_CALLS).toFixed(0)
  const told = `${whole} s (${took.toFixed(1)} s for ${TSHARK_CALLS.toLocaleString('en')} calls)`
  line('tshark: two conditions, by reading the capture again', status === 0 ? told : 'not installed')
}

try {
  console.log(`${ROWS.toLocaleString('en')} calls`)
  const again = existsSync(join(folder, 'index'))
  if (!again) await writeBare()
  const index = again ? await reopen() : await writeIndex()
  const size = sizes(join(folder, 'index'))
  line('bytes a row besides payloads', (size['calls.duckdb'] / ROWS).toFixed(1))
  line('bytes a payload', (size['payload.seg'] / ROWS).toFixed(1))
  await queries(index)
  await index.close()
  readAgain()
} finally {
  if (kept === undefined) rmSync(folder, { recursive: true, force: true })
}
