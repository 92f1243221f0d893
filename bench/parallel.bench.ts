import { spawnSync } from 'node:child_process'
import { closeSync, mkdtempSync, openSync, rmSync, statSync, writeSync } from 'node:fs'
import { availableParallelism, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isMainThread } from 'node:worker_threads'
import { CallPacker } from '@tapdeck/dissect'
import { Crew, DissectionSeries, serveShard } from '@tapdeck/parallel'
import { readPlainFile } from '@tapdeck/recording'
import {
  CaptureReader,
  PCAP_HEADER_SIZE,
  PCAP_RECORD_OVERHEAD,
  pcapHeader,
  pcapRecord,
  type Shard,
} from '@tapdeck/wire'
import { type BuiltPacket, Conversation, udpFrame } from '@tapdeck/wire/testing'
import { CallSheet } from '../apps/cli/src/dissect/call-sheet.ts'
import { DissectWork } from '../apps/cli/src/dissect/dissect-work.ts'
import { compileFilter } from '../apps/cli/src/dissect/filter-option.ts'
import { buffersOf, type Sheaf } from '../apps/cli/src/dissect/sheaf.ts'

/*
 * One capture file by one thread and by several, on the wall's clock, best of several rounds that take turns: calls
 * ready for the index (packed, and handed over to the thread that would write them), and lines of JSON in order of
 * time. Only on idle cores is the ratio that of the code: other load takes its share of the second.
 * TAPDECK_BENCH_ROUNDS, default 5; TAPDECK_BENCH_THREADS, default 2.
 */
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 5)
const THREADS = Number(process.env.TAPDECK_BENCH_THREADS ?? 2)
const settings = {
  inventory: { pods: [], services: [] },
  kfl: '',
  now: 1_700_000_000_000,
  shape: 'full',
} as const

type Goal = 'columns' | 'ndjson'

interface Packed {
  readonly bytes: Uint8Array
  readonly calls: number
}

interface Measured {
  readonly seen: number
  readonly seconds: number
  /** Processor time, in seconds. */
  readonly busy: number
}

const [, , order] = process.argv
if (isMainThread && order !== undefined) await measure(...(JSON.parse(order) as [string, Goal, number]))
else if (isMainThread) main()
else
  serveShard(async ({ shard, data, send }) => {
    const [file, goal] = data as [string, Goal]
    if (goal === 'ndjson') {
      const sheaf = (one: Sheaf) => {
        const { bytes, buffers } = buffersOf(one)
        send(one, bytes, buffers)
        return undefined
      }
      return readShare(file, new DissectWork(settings, { sheaf, fault: fail }, shard))
    }
    const packer = new CallPacker()
    let calls = 0
    const handOver = () => {
      const bytes = packer.take()
      send({ bytes, calls } satisfies Packed, bytes.length, [bytes.buffer])
      calls = 0
    }
    await readShare(
      file,
      packedSeries(packer, handOver, () => calls++, shard),
    )
    handOver()
  })

/** Calls as the index takes them. */
function packedSeries(
  packer: CallPacker,
  full: () => void,
  count: () => void,
  shard?: Shard,
): DissectionSeries {
  return new DissectionSeries(
    {
      emit(call) {
        count()
        packer.add(call, 0)
        if (packer.bytes > 1 << 20) full()
      },
      flow: (flow) => packer.close(flow, 0),
      limits: { body: 1024 },
    },
    shard,
  )
}

async function readShare(file: string, work: DissectionSeries): Promise<void> {
  const reader = new CaptureReader(work, {})
  for await (const chunk of readPlainFile(file, statSync(file).size)) reader.push(chunk, true)
  reader.end()
  if (work instanceof DissectWork) work.finish()
  else work.end()
}

/** One share of the work is done by this thread, the others by a crew. */
async function read(file: string, goal: Goal, threads: number): Promise<number> {
  let calls = 0
  const sheet = new CallSheet(compileFilter('', settings.now), 'full')
  const packer = new CallPacker()
  const [own, ...others] = Array.from({ length: threads }, (_, index) => ({ index, count: threads }))
  const crew = new Crew({
    shards: others,
    entry: new URL(import.meta.url),
    data: [file, goal],
    take(result, shard, release) {
      if (goal === 'ndjson') sheet.add(result as Sheaf, shard)
      else calls += (result as Packed).calls
      release()
    },
  })
  const shard = threads === 1 ? undefined : own
  const work =
    goal === 'ndjson'
      ? new DissectWork(settings, { sheaf: (sheaf) => sheet.add(sheaf, 0), fault: fail }, shard)
      : packedSeries(
          packer,
          () => void packer.take(),
          () => calls++,
          shard,
        )
  await readShare(file, work)
  await crew.end()
  await crew.stop()
  return goal === 'ndjson' ? linesOf(sheet) : calls
}

function linesOf(sheet: CallSheet): number {
  let lines = 0
  for (const page of sheet.pages())
    for (let at = page.indexOf(10); at >= 0; at = page.indexOf(10, at + 1)) lines++
  sheet.close()
  return lines
}

function fail(protocol: string, error: string): void {
  throw new Error(`${protocol}: ${error}`)
}

/** In a process of its own: whoever dissects a file starts with code that has not run yet, with threads or without. */
function measured(...given: [file: string, goal: Goal, threads: number]): Measured {
  const { stdout, status } = spawnSync(
    process.execPath,
    [fileURLToPath(import.meta.url), JSON.stringify(given)],
    { encoding: 'utf8', stdio: ['ignore', 'pipe', 'inherit'] },
  )
  if (status !== 0) throw new Error(`a measurement ended with status ${status}`)
  return JSON.parse(stdout) as Measured
}

async function measure(file: string, goal: Goal, threads: number): Promise<void> {
  const before = process.cpuUsage()
  const start = performance.now()
  const seen = await read(file, goal, threads)
  const seconds = (performance.now() - start) / 1000
  const { user, system } = process.cpuUsage(before)
  console.log(JSON.stringify({ seen, seconds, busy: (user + system) / 1e6 } satisfies Measured))
}

function main(): void {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
  console.log(`${THREADS} threads on ${availableParallelism()} cores, best of ${ROUNDS}`)
  try {
    for (const [name, packets, calls, times] of [
      ['HTTP/1.1 keep-alive, 1 KB bodies', http(200, 150, 1024), 30_000, 3],
      ['HTTP/1.1, a connection a call', http(10_000, 1, 1024), 10_000, 6],
      ['DNS', dns(30_000), 30_000, 4],
    ] as const) {
      const file = join(folder, 'capture.pcap')
      const size = write(file, packets, times)
      console.log(`${name}: ${Math.round(size / 1e6)} MB, ${calls * times} calls`)
      for (const goal of ['columns', 'ndjson'] as const) compare(file, goal, calls * times, size)
    }
  } finally {
    rmSync(folder, { recursive: true })
  }
}

function compare(file: string, goal: Goal, calls: number, size: number): void {
  const best = new Map<number, number>()
  const work = new Map<number, number>()
  for (let round = 0; round < ROUNDS; round++)
    for (const threads of [1, THREADS]) {
      const { seen, seconds, busy } = measured(file, goal, threads)
      work.set(threads, Math.min(work.get(threads) ?? Number.POSITIVE_INFINITY, busy))
      if (seen !== calls) throw new Error(`${seen} calls instead of ${calls} with ${threads} threads`)
      best.set(threads, Math.min(best.get(threads) ?? Number.POSITIVE_INFINITY, seconds))
    }
  const [one, several] = [best.get(1)!, best.get(THREADS)!]
  const rate = (seconds: number) => `${Math.round(size / 1e6 / seconds)} MB/s`.padStart(9)
  const more = (work.get(THREADS)! / work.get(1)! - 1) * 100
  console.log(
    `  ${goal.padEnd(8)} one ${rate(one)}   ${THREADS} threads ${rate(several)}   ${(one / several).toFixed(2)} times` +
      `   (processor time ${more >= 0 ? '+' : ''}${more.toFixed(0)} %)`,
  )
}

/** Writes the packets several times over, each time later, so that they are other flows. */
function write(path: string, packets: readonly BuiltPacket[], times: number): number {
  const file = openSync(path, 'w')
  const span = packets[packets.length - 1]!.time - packets[0]!.time + 400_000_000
  const room = packets.reduce((sum, { data }) => sum + data.length + PCAP_RECORD_OVERHEAD, PCAP_HEADER_SIZE)
  const bytes = new Uint8Array(room)
  let size = 0
  for (let time = 0; time < times; time++) {
    let at = time === 0 ? pcapHeader(bytes, 0, 1) : 0
    for (const packet of packets) {
      const { data } = packet
      at = pcapRecord(bytes, at, packet.time + time * span, data, 0, data.length, data.length)
    }
    size += writeSync(file, bytes, 0, at)
  }
  closeSync(file)
  return size
}

function http(connections: number, requests: number, bodySize: number): BuiltPacket[] {
  const body = 'x'.repeat(bodySize)
  const all = Array.from({ length: connections }, (_, index) => {
    const talk = new Conversation({
      client: `10.0.${index >> 8}.${index & 255}`,
      server: `10.1.0.${index % 20}`,
      clientPort: 20_000 + (index % 40_000),
      step: 10 + (index % 7),
    }).handshake()
    for (let i = 0; i < requests; i++) {
      talk.send(
        0,
        `GET /api/v1/items/${i % 50}?page=${i} HTTP/1.1\r\nHost: shop.example\r\nUser-Agent: bench/1.0\r\nAccept: */*\r\nAccept-Encoding: gzip\r\nX-Request-Id: ${index}-${i}\r\n\r\n`,
      )
      talk.send(
        1,
        `HTTP/1.1 200 OK\r\nServer: nginx\r\nDate: Mon, 01 Jan 2024 00:00:00 GMT\r\nContent-Type: application/json\r\nContent-Length: ${bodySize}\r\nConnection: keep-alive\r\n\r\n${body}`,
      )
    }
    return talk.close().packets
  })
  return all.flat().sort((a, b) => a.time - b.time)
}

function dns(calls: number): BuiltPacket[] {
  const question = [
    4, 0x77, 0x77, 0x77, 0x30, 4, 0x73, 0x68, 0x6f, 0x70, 4, 0x74, 0x65, 0x73, 0x74, 0, 0, 1, 0, 1,
  ]
  const answer = [0xc0, 12, 0, 1, 0, 1, 0, 0, 0, 60, 0, 4, 10, 0, 0, 1]
  return Array.from({ length: calls }, (_, i) => {
    const id = [(i >> 8) & 255, i & 255]
    const asks = { src: `10.0.${(i >> 8) & 63}.1`, sport: 1024 + (i & 1023), dst: '10.1.0.53', dport: 53 }
    const tells = { src: asks.dst, sport: 53, dst: asks.src, dport: asks.sport }
    const time = 1_700_000_000_000_000 + i * 20
    const query = Uint8Array.from([...id, 1, 0, 0, 1, 0, 0, 0, 0, 0, 0, ...question])
    const reply = Uint8Array.from([...id, 0x81, 0x80, 0, 1, 0, 1, 0, 0, 0, 0, ...question, ...answer])
    return [
      { time, data: udpFrame({ ...asks, payload: query }) },
      { time: time + 10, data: udpFrame({ ...tells, payload: reply }) },
    ]
  }).flat()
}
