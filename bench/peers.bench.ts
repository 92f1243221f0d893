import { mkdtempSync, rmSync, statSync } from 'node:fs'
import { cpus, tmpdir } from 'node:os'
import { join } from 'node:path'
import { CaptureFile } from './peers/capture-file.ts'
import { runChild } from './peers/child.ts'
import { ndjson, own, type Run, suricata, tshark, tsharkJson } from './peers/contestants.ts'
import { dns } from './peers/dns-workload.ts'
import { keepAlive, shortLived } from './peers/http-workload.ts'
import { http2 } from './peers/http2-workload.ts'
import { manyConnections } from './peers/many-connections.ts'
import { mysql } from './peers/mysql-workload.ts'
import { postgresql } from './peers/postgresql-workload.ts'
import { redis } from './peers/redis-workload.ts'
import type { Workload } from './peers/workload.ts'

/*
 * Made-up captures through tshark, Suricata and us, each in a process of its own, by the processor time that it used.
 * Size of a capture: TAPDECK_BENCH_MB (500). All read the same file, but for tshark's own JSON, which would take ten minutes: it gets
 * one of the same kind of TAPDECK_BENCH_PART_MB (60). Rounds of ours: TAPDECK_BENCH_ROUNDS (3), between those of the others, so that a
 * slow minute of the machine falls on all of them; the median counts. Only some of them: TAPDECK_BENCH_ONLY=http,dns. Captures
 * are left in TAPDECK_BENCH_FOLDER where that is given.
 */
const MB = Number(process.env.TAPDECK_BENCH_MB ?? 500)
const PART_MB = Math.min(MB, Number(process.env.TAPDECK_BENCH_PART_MB ?? 60))
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 3)
const ONLY = process.env.TAPDECK_BENCH_ONLY?.split(',')
const MANY_MB = 1000
/** The command of the checkout, and what it has built itself into. */
const COMMAND = join(import.meta.dirname, '../../scripts/tapdeck.mjs')
const BUILT = join(import.meta.dirname, '../tapdeck.mjs')

interface Capture {
  readonly path: string
  readonly megabytes: number
  readonly calls: number
}

function make(folder: string, workload: Workload, megabytes: number): Capture {
  const path = join(folder, `${workload.word}-${megabytes}.pcap`)
  const out = new CaptureFile(path)
  const calls = workload.write(out, megabytes * 1e6)
  out.close()
  return { path, megabytes: statSync(path).size / 1e6, calls }
}

/** The run in the middle. */
function median(runs: readonly Run[]): Run {
  return runs.toSorted((a, b) => a.seconds - b.seconds)[runs.length >> 1]
}

function check(who: string, { calls }: Run, expected: number): void {
  if (calls !== expected) throw new Error(`${who}: ${calls} calls instead of ${expected}`)
}

function row(cells: readonly string[]): void {
  console.log(
    `| ${cells[0].padEnd(32)} | ${cells
      .slice(1)
      .map((cell) => cell.padStart(13))
      .join(' | ')} |`,
  )
}

const speed = ({ megabytes }: Capture, run: Run | undefined) =>
  run === undefined ? 0 : megabytes / run.seconds
const rate = (value: number) => (value === 0 ? '–' : value < 20 ? value.toFixed(1) : value.toFixed(0))
const thousands = (value: number) => `${Math.round(value / 1000)}k`
const times = (ours: number, theirs: number) => (theirs === 0 ? '–' : `${(ours / theirs).toFixed(1)}×`)

async function compare(folder: string, workload: Workload): Promise<void> {
  const whole = make(folder, workload, MB)
  const part = make(folder, workload, PART_MB)
  const walks: Run[] = []
  const rounds: Run[] = []
  const round = () => {
    walks.push(own('walk', whole.path))
    const ours = own('dissect', whole.path)
    check(workload.name, ours, whole.calls)
    rounds.push(ours)
  }
  round()
  const shark = tshark(workload, whole.path)
  round()
  const meerkat = suricata(workload, whole.path)
  const lines = await ndjson(BUILT, whole.path)
  check(`${workload.name} as NDJSON`, lines, whole.calls)
  const sharkLines = tsharkJson(workload, part.path)
  while (rounds.length < ROUNDS) round()
  const ours = median(rounds)
  const [a, b, c] = [speed(whole, ours), speed(whole, lines), speed(whole, shark)]
  const d = speed(whole, meerkat)
  row([
    workload.name,
    `${whole.calls}`,
    rate(c),
    rate(d),
    rate(speed(whole, median(walks))),
    rate(a),
    thousands(whole.calls / ours.seconds),
    thousands(ours.warmRate ?? 0),
    times(a, c),
    times(a, d),
    shark === undefined ? '–' : times(shark.clock, ours.clock),
    rate(b),
    times(b, c),
    times(b, speed(part, sharkLines)),
  ])
}

async function run(): Promise<void> {
  const given = process.env.TAPDECK_BENCH_FOLDER
  const folder = given ?? mkdtempSync(join(tmpdir(), 'tapdeck-peers-'))
  const wanted = ({ word }: Workload) => ONLY === undefined || ONLY.includes(word)
  try {
    console.log(`${cpus()[0]?.model}, Node ${process.version}; MB/s of processor time, ${MB} MB a capture`)
    runChild(process.execPath, [COMMAND, 'version'])
    if (tshark(keepAlive, make(folder, keepAlive, 1).path) === undefined)
      console.log('tshark is not installed')
    if (suricata(keepAlive, make(folder, keepAlive, 1).path) === undefined)
      console.log('Suricata is not installed')
    row([
      'capture',
      'calls',
      'tshark',
      'Suricata',
      'header walk',
      'calls',
      'calls/s',
      'once warm',
      'to tshark',
      'to Suricata',
      'on the clock',
      'NDJSON',
      'to tshark',
      'to its JSON',
    ])
    row(['---', ...Array.from({ length: 13 }, () => '---:')])
    for (const workload of [keepAlive, shortLived, http2, redis, postgresql, mysql, dns])
      if (wanted(workload)) await compare(folder, workload)
    if (!wanted(manyConnections)) return
    const many = make(folder, manyConnections, MANY_MB)
    const held = own('dissect', many.path)
    check(manyConnections.name, held, many.calls)
    console.log(
      `${(many.calls / 3).toFixed(0)} connections open at once in ${many.megabytes.toFixed(0)} MB: at most ${held.peak} MB of memory, ${rate(speed(many, held))} MB/s`,
    )
  } finally {
    if (given === undefined) rmSync(folder, { recursive: true, force: true })
  }
}

await run()
