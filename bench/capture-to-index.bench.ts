import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { type Call, Dissection, protocols } from '@tapdeck/dissect'
import { type CallIndex, openIndex } from '@tapdeck/index'
import { createResolver, SeenNames } from '@tapdeck/inventory'
import { compile, createCatalog } from '@tapdeck/kfl'
import { PeerNames } from '@tapdeck/pipeline'
import { openCaptureFile } from '@tapdeck/recording'
import { CaptureReader, type PacketSink, PCAP_HEADER_SIZE, type StreamHandler, Streams } from '@tapdeck/wire'
import { FlushScheduler } from '../apps/hub/src/dissections/flush-scheduler.ts'
import { runChild } from './peers/child.ts'
import { writeShopCapture } from './shop-capture.ts'

/*
 * A capture file → calls → a queryable index with payloads, read, named and flushed as the hub dissects a file, next to
 * the bare walk through the file and to dissection alone, which names the peers of each call too. Seconds are those of
 * the processor, all threads together; under `taskset -c 0` the wall clock says what one core does. Each is run in a
 * process of its own, twice, of which the second counts, and so is the capture made: code that was compiled for one of them is slower for
 * another. The median of the rounds counts.
 * Calls: TAPDECK_BENCH_CALLS, default 1,000,000, each with a body of 1 KB; TAPDECK_BENCH_ROUNDS, default 3.
 */
const CALLS = Number(process.env.TAPDECK_BENCH_CALLS ?? 1_000_000)
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)
/** Between an answer and the next question: what a page that refreshes itself leaves. */
const PAUSE_MS = 100

const pods = [
  ...Array.from({ length: 40 }, (_, i) => ({ name: `web-${i}`, svc: 'web', ip: `10.0.${i}.7` })),
  ...Array.from({ length: 37 }, (_, i) => ({ name: `svc-${i}-0`, svc: `svc-${i}`, ip: `10.1.${i}.9` })),
]
const resolver = createResolver({
  pods: pods.map(({ name, ip }) => ({ name, namespace: 'shop', ips: [ip] })),
  services: pods.map(({ svc, ip }) => ({ name: svc, namespace: 'shop', endpoints: [{ ip }] })),
})

interface Round {
  readonly wall: number
  readonly cpu: number
  readonly queries: number
  /** Bytes of the index. */
  readonly size: number
}

async function measured(run: () => Promise<number>): Promise<Round> {
  const before = process.cpuUsage()
  const started = performance.now()
  const queries = await run()
  const wall = (performance.now() - started) / 1000
  const { user, system } = process.cpuUsage(before)
  return { wall, cpu: (user + system) / 1e6, queries, size: 0 }
}

/** Headers and streams without a handler: the minimum cost of reading the file. */
async function walk(path: string): Promise<number> {
  const quiet: StreamHandler = { open() {}, data() {}, gap() {}, datagram() {}, finish() {}, close() {} }
  await read(path, new Streams(quiet))
  return 0
}

async function read(
  path: string,
  sink: PacketSink,
  each: () => Promise<void> | void = () => {},
): Promise<void> {
  const reader = new CaptureReader(sink, {})
  for await (const chunk of openCaptureFile(path)) {
    reader.push(chunk, true)
    await each()
  }
  reader.end()
}

/** As `apps/hub` dissects a snapshot. Returns how often it was asked meanwhile. */
async function dissect(path: string, index?: CallIndex, query?: () => Promise<unknown>): Promise<number> {
  let calls = 0
  let asked = 0
  let asking: Promise<unknown> | undefined
  const names = new PeerNames(() => resolver, new SeenNames())
  const flushScheduler = index && new FlushScheduler(index)
  const dissection = new Dissection({
    emit: (call: Call) => {
      calls++
      const peers = names.of(call.flow, call.side, call.start)
      index?.append(call, peers)
    },
    flow: (flow) => {
      const peers = names.of(flow, 0, flow.start)
      index?.appendFlow(flow, peers)
    },
  })
  await read(path, dissection, async () => {
    await flushScheduler?.now(calls)
    if (query && asking === undefined && calls > 0) {
      asked++
      asking = query()
        .then(() => setTimeout(PAUSE_MS))
        .finally(() => {
          asking = undefined
        })
    }
  })
  dissection.end()
  await flushScheduler?.end()
  await asking
  if (calls !== CALLS) throw new Error(`${calls} calls instead of ${CALLS}`)
  return asked
}

const [, bundle, mode, given] = process.argv
const catalog = createCatalog(protocols)
const filter = compile('dst.svc == "svc-5" and response.status >= 500', catalog)

async function withIndex(capture: string, run: (index: CallIndex) => Promise<number>): Promise<Round> {
  const options = { node: 'node-1', captureSource: 'file', maxBytes: 0, memory: 512 * 1024 ** 2 }
  const path = join(dirname(capture), 'index')
  const index = await openIndex(path, options, catalog)
  const round = await measured(() => run(index))
  const { size_bytes: size } = await index.summary()
  await index.close()
  rmSync(path, { recursive: true })
  return { ...round, size }
}

const ASKED = 'dissection and index, asked meanwhile'
const WRITTEN = 'dissection and index'
const variants: Readonly<Record<string, (capture: string) => Promise<Round>>> = {
  'walk through the file': (capture) => measured(() => walk(capture)),
  'dissection alone': (capture) => measured(() => dissect(capture)),
  [WRITTEN]: (capture) => withIndex(capture, (index) => dissect(capture, index)),
  [ASKED]: (capture) =>
    withIndex(capture, (index) =>
      dissect(capture, index, () => index.calls({ filter, limit: 100, order: 'newest' })),
    ),
}

const middle = (values: readonly number[]) => values.toSorted((a, b) => a - b)[values.length >> 1]

/** This bundle once more, in a process of its own. */
function child(...args: readonly string[]): string {
  return runChild(process.execPath, [bundle, ...args])?.output ?? ''
}

function compare(folder: string): void {
  const capture = join(folder, 'capture.pcap')
  child('make', capture)
  runChild('sync', [])
  const bytes = statSync(capture).size - PCAP_HEADER_SIZE
  console.log(`${CALLS.toLocaleString('en')} calls in ${(bytes / 1e6).toFixed(0)} MB`)
  const rounds = Object.keys(variants).map((name) => ({ name, all: [] as Round[] }))
  for (let i = 0; i < ROUNDS; i++)
    for (const { name, all } of rounds) all.push(JSON.parse(child(name, capture)))
  for (const { name, all } of rounds) {
    const rate = (seconds: readonly number[]) =>
      `${Math.round(CALLS / middle(seconds)).toLocaleString('en')}`.padStart(9)
    const queries = middle(all.map((round) => round.queries))
    console.log(
      `${name.padEnd(42)} ${rate(all.map(({ cpu }) => cpu))} calls a CPU second, ${rate(all.map(({ wall }) => wall))} a second${queries > 0 ? `, ${queries} queries` : ''}`,
    )
  }
  const [written, asked] = [WRITTEN, ASKED].map((wanted) => rounds.find(({ name }) => name === wanted)!.all)
  const wall = (all: readonly Round[]) => middle(all.map((round) => round.wall))
  console.log(`asked meanwhile, it writes at ${(wall(written) / wall(asked)).toFixed(2)} of its rate`)
  console.log(`${(written[0].size / CALLS).toFixed(0)} bytes a call before the chunk is finished`)
}

if (mode === 'make') writeShopCapture(given, CALLS)
else if (mode !== undefined) {
  const run = variants[mode]
  // Once to warm up.
  await run(given)
  globalThis.gc?.()
  console.log(JSON.stringify(await run(given)))
} else {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-bench-'))
  try {
    compare(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
