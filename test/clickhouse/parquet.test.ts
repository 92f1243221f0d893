import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DuckDBInstance } from '@duckdb/node-api'
import { protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex, ParquetFolder } from '@tapdeck/index'
import { createCatalog } from '@tapdeck/kfl'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { commands } from '../../apps/cli/src/commands/index.ts'
import { payloadColumns } from '../../apps/cli/src/export/call-table.ts'
import { flowColumns } from '../../apps/cli/src/export/flow-table.ts'
import { runCommand } from '../../apps/cli/src/run-command.ts'
import { recordingTerminal } from '../../apps/cli/src/testing/recording-terminal.ts'
import { IndexWorker } from '../../apps/hub/src/testing/index-worker.ts'
import { startHub, type TestHub } from '../../apps/hub/src/testing/start-hub.ts'
import { Connection, type Value } from '../../packages/index/src/clickhouse/connection.ts'
import { sampleCall, samplePeers } from '../../packages/index/src/testing/sample-call.ts'
import { DAWN, sampleFlow } from '../../packages/index/src/testing/sample-flow.ts'
import { address } from './address.ts'

/** The files of `tapdeck export --parquet`, read by ClickHouse and by DuckDB. */
const CALLS = 300
const TEXTS = [
  '/ä ß',
  '/日本語',
  '/😀🏴‍☠️',
  '/a\u0301',
  '/\u202egnp',
  "/it's",
  '/\\"\t',
  '/%00',
  '/null',
  '/NULL',
] as const
const columnsOf = { calls: payloadColumns, flows: flowColumns } as const
type Name = keyof typeof columnsOf
const names = ['calls', 'flows'] as const

const folder = mkdtempSync(join(tmpdir(), "tapdeck-parquet's-"))
let connection: Connection
let duckdb: DuckDBInstance
let index: CallIndex
let hub: TestHub

beforeAll(async () => {
  connection = new Connection(address(), 1e9)
  duckdb = await DuckDBInstance.create(':memory:')
  const options = { node: 'n1', captureSource: 'af_packet', maxBytes: 0, memory: 256 * 1024 * 1024 }
  index = await openIndex(join(folder, 'index'), options, createCatalog(protocols))
  for (let i = 0; i < CALLS; i++) append(i)
  await index.flush()
  hub = await startHub()
  await hub.worker('n1', IndexWorker.answersFrom(index))
  const terminal = recordingTerminal()
  const args = [
    'export',
    '--url',
    `http://127.0.0.1:${hub.port}`,
    '--parquet',
    join(folder, 'out'),
    '--payloads',
  ]
  expect(await runCommand(commands, args, terminal, {}), terminal.notes.join('\n')).toBe(0)
})

afterAll(async () => {
  await hub?.stop()
  await index?.close()
  duckdb?.closeSync()
  await connection?.close()
  rmSync(folder, { recursive: true, force: true })
})

/** A call on a flow of its own, some without an answer, without names, over IPv6. */
function append(i: number): void {
  const ends =
    i % 7 === 0 ? { client: 'fd00::1', server: `fd00::${i + 2}` } : { server: `10.1.${i >> 8}.${i & 255}` }
  const tcp = { retransmissions: i % 3, resets: i % 2 }
  const flow = sampleFlow({
    id: i + 1,
    ...ends,
    serverPort: 80 + (i % 5),
    start: DAWN + i,
    tcp,
    ...(i % 4 > 0 && { handshake: i }),
  })
  const call = sampleCall({
    ...{
      flow,
      ordinal: i,
      start: DAWN + i,
      latency: 1000 + ((i * 7919) % 5000),
      path: TEXTS[i % TEXTS.length],
    },
    ...{
      status: i % 10 === 0 ? 503 : 200,
      answered: i % 6 !== 0,
      body: `{"text":"${TEXTS[i % TEXTS.length]}"}`,
    },
  })
  const peers = samplePeers(
    flow,
    { pod: `web-${i % 3}`, ns: 'shöp' },
    i % 5 === 0 ? {} : { svc: `svc-${i % 4}` },
  )
  index.append(call, peers)
  index.appendFlow(flow, peers)
}

const partsOf = (path: string) =>
  readdirSync(path)
    .sort()
    .map((part) => join(path, part))

/** Sent with the query, because a server elsewhere cannot read files of this machine. */
async function inClickhouse(select: string, path: string): Promise<readonly (readonly Value[])[]> {
  const parts = partsOf(path).map(
    (part) => `SELECT * FROM format(Parquet, unhex('${readFileSync(part).toString('hex')}'))`,
  )
  return connection.rows(
    `SELECT ${select.replace('FROM rows', `FROM (${parts.join(' UNION ALL ')}) AS rows`)}`,
  )
}

async function inDuckdb(select: string, path: string): Promise<readonly (readonly unknown[])[]> {
  const files = `read_parquet('${path.replaceAll("'", "''")}/*.parquet')`
  const session = await duckdb.connect()
  try {
    const answer = await session.runAndReadAll(
      `SELECT ${select.replace('FROM rows', `FROM ${files} AS rows`)}`,
    )
    return answer
      .getRows()
      .map((row) => row.map((value) => (typeof value === 'bigint' ? Number(value) : value)))
  } finally {
    session.closeSync()
  }
}

/** All columns as values that both databases print the same: texts as bytes, times as microseconds. */
function exactly(columns: Readonly<Record<string, string>>, microseconds: string): string {
  const asked = Object.entries(columns).map(([name, type]) => {
    if (type === 'VARCHAR') return `hex(${name})`
    if (type === 'TIMESTAMPTZ') return `${microseconds}(${name})`
    return name
  })
  return asked.join(', ')
}

it.each(names)('reads every value of %s as DuckDB does', async (name: Name) => {
  const columns = columnsOf[name]
  const path = join(folder, 'out', name)
  const order = name === 'calls' ? 'id' : 'transport, client_ip, server_ip, server_port'
  const rows = await inClickhouse(
    `${exactly(columns, 'toUnixTimestamp64Micro')} FROM rows ORDER BY ${order}`,
    path,
  )
  expect(rows).toHaveLength(CALLS)
  expect(rows).toEqual(await inDuckdb(`${exactly(columns, 'epoch_us')} FROM rows ORDER BY ${order}`, path))
})

const types = {
  ...{
    VARCHAR: 'Nullable(String)',
    BIGINT: 'Nullable(Int64)',
    DOUBLE: 'Nullable(Float64)',
    BOOLEAN: 'Nullable(Bool)',
  },
  TIMESTAMPTZ: "Nullable(DateTime64(6, 'UTC'))",
} as const

it.each(names)('gives the columns of %s the types that are documented', async (name: Name) => {
  const [first] = partsOf(join(folder, 'out', name))
  const described = await connection.rows(
    `DESCRIBE TABLE format(Parquet, unhex('${readFileSync(first).toString('hex')}'))`,
  )
  expect(described.map(([column, type]) => [column, type])).toEqual(
    Object.entries(columnsOf[name]).map(([column, type]) => [column, types[type]]),
  )
})

it('reads times to the microsecond, texts of any script, and absent values as NULL', async () => {
  const path = join(folder, 'out', 'calls')
  const times = await inClickhouse('toUnixTimestamp64Micro(time) FROM rows ORDER BY time', path)
  expect(times.flat()).toEqual(Array.from({ length: CALLS }, (_, i) => DAWN + i))
  const texts = await inClickhouse('DISTINCT path FROM rows', path)
  expect(texts.flat().sort()).toEqual([...TEXTS].sort())
  const absent = await inClickhouse(
    'countIf(status IS NULL), countIf(dst_svc IS NULL), countIf(error IS NULL) FROM rows',
    path,
  )
  // A call failed if it has no answer or an answer of 503.
  const successes = Array.from({ length: CALLS }, (_, i) => i).filter((i) => i % 6 !== 0 && i % 10 !== 0)
  expect(absent).toEqual([[CALLS / 6, CALLS / 5, successes.length]])
})

it('computes the same figures as DuckDB', async () => {
  const calls = 'dst_svc, count(*), avg(latency_ms), min(latency_ms), max(req_size), count(status)'
  const rest = 'FROM rows GROUP BY dst_svc ORDER BY dst_svc'
  const path = join(folder, 'out', 'calls')
  const figures = await inClickhouse(
    `${calls}, round(quantileExactInclusive(0.99)(latency_ms), 9) ${rest}`,
    path,
  )
  expect(figures).toHaveLength(5)
  expect(figures).toEqual(await inDuckdb(`${calls}, round(quantile_cont(latency_ms, 0.99), 9) ${rest}`, path))
  const flows =
    'server_port, sum(client_bytes), sum(retransmissions), max(handshake_p50_us), count(handshake_p50_us) FROM rows GROUP BY server_port ORDER BY server_port'
  const sums = await inClickhouse(flows, join(folder, 'out', 'flows'))
  expect(sums).toHaveLength(5)
  expect(sums).toEqual(await inDuckdb(flows, join(folder, 'out', 'flows')))
})

it('reads a table of several parts, one of which has nothing in a column', async () => {
  const path = join(folder, 'parts')
  const table = await ParquetFolder.open(path, payloadColumns)
  const request = 'x'.repeat(1 << 20)
  const late = { error: 'late', time: DAWN / 1000 }
  await table.append(Array.from({ length: 70 }, (_, i) => ({ req_size: i, request, ...(i > 64 && late) })))
  await table.finish()
  expect(partsOf(path)).toHaveLength(2)
  const select =
    'count(*), sum(req_size), count(error), count(time), count(latency_ms), sum(length(request)) FROM rows'
  expect(await inClickhouse(select, path)).toEqual([[70, (70 * 69) / 2, 5, 5, 0, 70 * request.length]])
})

it('reads folders by the pattern of the documentation, also one without rows', async (context) => {
  const quoted = folder.replaceAll(/[\\']/g, '\\$&')
  writeFileSync(join(folder, 'probe.csv'), '1\n')
  const probe = connection.rows(`SELECT * FROM file('${quoted}/probe.csv', CSV, 'n Int8')`)
  if ((await probe.catch(() => [])).length === 0)
    context.skip('this ClickHouse does not read files of this machine')
  const from = (name: string) => `file('${quoted}/${name}/*.parquet')`
  const calls = await connection.rows(`SELECT count(), uniqExact(id) FROM ${from('out/calls')}`)
  expect(calls).toEqual([[CALLS, CALLS]])
  const empty = await ParquetFolder.open(join(folder, 'empty'), payloadColumns)
  await empty.finish()
  expect(await connection.rows(`SELECT count(), count(error) FROM ${from('empty')}`)).toEqual([[0, 0]])
})
