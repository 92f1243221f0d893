import { type ChildProcess, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { WebSocket } from 'ws'
import { lineChart } from './charts/line-chart.ts'
import { childOf, folderSize, type Held, held, type Parts, parts } from './soak/sample.ts'
import { mean, slopePerHour } from './soak/trend.ts'

/*
 * Hub and worker for an hour, with the shop of the demo, small rings that wrap many times, and a user who asks, follows the
 * stream, and takes, dissects and deletes snapshots: do memory, descriptors, threads and disk stay flat? Needs root, to
 * capture. TAPDECK_BENCH_MINUTES (60), TAPDECK_BENCH_RATE (visits a second, 40), TAPDECK_BENCH_PICTURES (a folder for charts).
 */
const MINUTES = Number(process.env.TAPDECK_BENCH_MINUTES ?? 60)
const RATE = process.env.TAPDECK_BENCH_RATE ?? '40'
const pictures = process.env.TAPDECK_BENCH_PICTURES
const SAMPLE_MS = Math.min(15_000, (MINUTES * 60_000) / 20)
const PORT = '18977'
const base = `http://127.0.0.1:${PORT}`
const data = mkdtempSync(join(tmpdir(), 'tapdeck-soak-'))
const settings = {
  // Full after some minutes, so that most of the run is in the state of a node that runs for weeks.
  'tap.capture.raw.storageSize': '12Mi',
  'tap.capture.events.storageSize': '1Mi',
  'tap.capture.dbMaxSize': '8Mi',
  'tap.capture.dissection.enabled': 'true',
  'tap.capture.dissection.stopAfter': '0',
}

/** What has a limit, and begins to delete its oldest part when it is full. */
const stores = {
  'packet ring': { folder: 'recording', part: /^(\d+)\D.*pcapng(?:\.open)?$/ },
  'event ring': { folder: 'os-events', part: /^(\d+)\.jsonl$/ },
  'live index': { folder: 'live', part: /^chunk-(\d+)$/ },
}
type Store = keyof typeof stores
const storeNames = Object.keys(stores) as Store[]

interface Sample {
  readonly minute: number
  readonly hub: Held
  readonly worker: Held
  readonly disk: number
  readonly stores: Readonly<Record<Store, Parts>>
}

const program = (...args: string[]) =>
  spawn(process.execPath, [join('dist', 'tapdeck.mjs'), ...args], { stdio: ['ignore', 'ignore', 'inherit'] })

const up = program(
  ...['up', '--port', PORT, '--data', data, '-i', 'lo'],
  ...Object.entries(settings).flatMap(([key, value]) => ['--set', `${key}=${value}`]),
)
let shop: ChildProcess | undefined
const counts = { asked: 0, failed: 0, snapshots: 0, frames: 0 }
const samples: Sample[] = []
try {
  await ready()
  shop = program('demo', '--rate', RATE, '--url', base)
  const pids = { hub: childOf(up.pid!, 'hub'), worker: childOf(up.pid!, 'worker') }
  const began = performance.now()
  const minute = () => (performance.now() - began) / 60_000
  const running = () => minute() < MINUTES && up.exitCode === null
  const user = Promise.all([asks(running), follows(running), takesSnapshots(running)])
  while (running()) {
    samples.push(sample(minute(), pids))
    noteFull()
    await wait(SAMPLE_MS)
  }
  await user
  if (up.exitCode !== null)
    throw new Error(`tapdeck up ended with ${up.exitCode} after ${minute().toFixed(1)} minutes`)
  report()
} finally {
  shop?.kill('SIGINT')
  up.kill('SIGTERM')
  await new Promise((done) => (up.exitCode === null ? up.once('exit', done) : done(undefined)))
  rmSync(data, { recursive: true, force: true })
}

function sample(minute: number, pids: { readonly hub: number; readonly worker: number }): Sample {
  const sizes = storeNames.map((name) => {
    const { folder, part } = stores[name]
    return [name, parts(join(data, folder), part)]
  })
  return {
    minute,
    hub: held(pids.hub),
    worker: held(pids.worker),
    disk: folderSize(data),
    stores: Object.fromEntries(sizes) as Sample['stores'],
  }
}

/** Prints when a store has deleted its first part. */
function noteFull(): void {
  const [before, now] = samples.slice(-2)
  if (now === undefined) return
  for (const name of storeNames)
    if (before?.stores[name].deleted === 0 && now.stores[name].deleted > 0)
      console.log(`  ${name} is full after ${now.minute.toFixed(1)} minutes`)
}

async function ready(): Promise<void> {
  while (up.exitCode === null) {
    const answers = await ask('/mcp/calls?limit=1').then(
      () => true,
      () => false,
    )
    if (answers) return
    await wait(200)
  }
  throw new Error(`tapdeck up ended with ${up.exitCode} at its start`)
}

// biome-ignore lint/suspicious/noExplicitAny: answers of any route
async function ask(path: string, init?: RequestInit): Promise<any> {
  const response = await fetch(base + path, init)
  const answer = await response.json()
  if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(answer).slice(0, 200)}`)
  return answer
}

/** A failed question is counted and shown; the soak goes on. */
async function attempt(work: () => Promise<unknown>): Promise<void> {
  try {
    await work()
    counts.asked++
  } catch (error) {
    counts.failed++
    console.log(`  failed: ${String(error).slice(0, 200)}`)
  }
}

async function asks(running: () => boolean): Promise<void> {
  const questions = [
    '/mcp/calls?limit=200',
    '/mcp/stats?group_by=service',
    `/mcp/calls?limit=50&kfl=${encodeURIComponent('response.status >= 500')}`,
    '/mcp/flows?aggregate=service',
    '/mcp/events?limit=100',
  ]
  for (let n = 0; running(); n++) {
    await attempt(() => ask(questions[n % questions.length]!))
    await wait(1000)
  }
}

/** Pages that come and go: each follows for a while, then another begins. */
async function follows(running: () => boolean): Promise<void> {
  while (running()) {
    const socket = new WebSocket(`${base.replace('http', 'ws')}/api/stream`)
    socket.onmessage = () => counts.frames++
    await wait(5000)
    socket.close()
  }
}

async function takesSnapshots(running: () => boolean): Promise<void> {
  for (let n = 0; running(); n++) {
    await wait(Math.min(30_000, (MINUTES * 60_000) / 6))
    const body = JSON.stringify({ name: `soak-${n}`, duration: '30s' })
    const headers = { 'content-type': 'application/json' }
    await attempt(() => ask('/api/capture-and-dissect', { method: 'POST', headers, body }))
    await attempt(() => ask(`/api/snapshots/soak-${n}?force=true`, { method: 'DELETE' }))
    counts.snapshots++
  }
}

/** The first third is warm-up; the last third must look like the one before. */
function report(): void {
  const third = Math.floor(samples.length / 3)
  const [middle, last] = [samples.slice(third, 2 * third), samples.slice(2 * third)]
  const half = samples.slice(Math.floor(samples.length / 2))
  const figures: Record<string, { of: (sample: Sample) => number; unit: number }> = {
    'hub, memory (MB)': { of: ({ hub }) => hub.memory, unit: 2 ** 20 },
    'hub, anonymous (MB)': { of: ({ hub }) => hub.anonymous, unit: 2 ** 20 },
    'worker, memory (MB)': { of: ({ worker }) => worker.memory, unit: 2 ** 20 },
    'worker, anonymous (MB)': { of: ({ worker }) => worker.anonymous, unit: 2 ** 20 },
    'hub, descriptors': { of: ({ hub }) => hub.descriptors, unit: 1 },
    'worker, descriptors': { of: ({ worker }) => worker.descriptors, unit: 1 },
    '  of the recording': { of: ({ worker }) => worker.recordingFiles, unit: 1 },
    '  of the live index': { of: ({ worker }) => worker.indexFiles, unit: 1 },
    '  of deleted files': { of: ({ worker }) => worker.deletedFiles, unit: 1 },
    'hub, threads': { of: ({ hub }) => hub.threads, unit: 1 },
    'worker, threads': { of: ({ worker }) => worker.threads, unit: 1 },
    'data folder (MB)': { of: ({ disk }) => disk, unit: 2 ** 20 },
  }
  console.log(`${MINUTES} minutes, ${RATE} visits a second, ${JSON.stringify(counts)}`)
  for (const name of storeNames) {
    const { bytes, kept, deleted } = samples.at(-1)!.stores[name]
    const times = deleted / Math.max(kept, 1)
    console.log(
      `  ${name}: ${(bytes / 2 ** 20).toFixed(1)} MB in ${kept} parts, ${deleted} parts deleted: replaced ${times.toFixed(1)} times`,
    )
  }
  console.log(
    'mean of the middle third, of the last third, their ratio, the most, and growth per hour over the last half',
  )
  for (const [name, { of, unit }] of Object.entries(figures)) {
    const value = (sample: Sample) => of(sample) / unit
    const [middles, lasts] = [mean(middle.map(value)), mean(last.map(value))]
    const slope = slopePerHour(half.map((one) => [one.minute, value(one)]))
    const cells = [middles, lasts].map((cell) => cell.toFixed(1).padStart(8))
    const ratio = middles === 0 ? '-' : (lasts / middles).toFixed(3)
    const most = Math.max(...samples.map(value))
    console.log(
      `  ${name.padEnd(24)} ${cells.join(' ')}  ${ratio.padStart(5)}  ${most.toFixed(1).padStart(6)}  ${slope >= 0 ? '+' : ''}${slope.toFixed(1)}`,
    )
  }
  if (pictures === undefined) return
  mkdirSync(pictures, { recursive: true })
  const series = (name: string, { of, unit }: (typeof figures)[string]) => ({
    name,
    points: samples.map((sample) => [sample.minute, of(sample) / unit] as const),
  })
  const chosen = (word: string) =>
    Object.entries(figures).flatMap(([name, figure]) =>
      name.includes(word) && !name.includes('anonymous') ? [series(name, figure)] : [],
    )
  const draw = (file: string, title: string, y: string, word: string) =>
    writeFileSync(join(pictures, file), lineChart({ title, x: 'minutes', y }, chosen(word)))
  draw('soak-memory.svg', 'Memory of hub and worker, and the data folder', 'MB', 'MB')
  draw('soak-descriptors.svg', 'File descriptors of hub and worker', 'open', 'descriptors')
}
