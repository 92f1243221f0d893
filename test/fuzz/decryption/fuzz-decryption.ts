import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { seeded } from '../../../packages/dissect/src/conformance/replay.ts'
import { type DamagedInput, tryDamagedInput } from './damaged-input.ts'
import { QuicInputs } from './quic-inputs.ts'
import { TlsInputs } from './tls-inputs.ts'

/*
 * Damaged connections of TLS and QUIC with their key logs through the whole engine, until the minutes are over. An exception, memory that
 * is not given back, a request that was never sent, or an input slower than SLOW_MS of processor time is a finding, and is written to
 * `dist/fuzz/found`. The damage follows from the seed and the number of the input; the keys of the recorded connections are new in each run.
 */
const { values } = parseArgs({
  options: {
    minutes: { type: 'string', default: '60' },
    seed: { type: 'string', default: String(Date.now() % 1_000_000) },
  },
})
const SLOW_MS = 150
const REPORT_EVERY_MS = 60_000
const folder = join(process.cwd(), 'dist/fuzz/found')
const seed = Number(values.seed)
const started = Date.now()
const until = started + Number(values.minutes) * 60_000
const kinds = { tls: await TlsInputs.record(), quic: new QuicInputs() }
const seen = { tls: newCounts(), quic: newCounts() }
const largest = { rss: 0, heap: 0 }
let findings = 0
let slowest = 0
let reportAt = started + REPORT_EVERY_MS

process.stdout.write(`Fuzzing the decryption: ${values.minutes} minutes, seed ${seed}\n`)
for (let number = 0; Date.now() < until; number++) {
  const kind = number % 2 === 0 ? 'tls' : 'quic'
  const input = kinds[kind].damaged(seeded(seed * 1_000_003 + number))
  const { paths, problem } = timed(input, number, kind)
  const counts = seen[kind]
  counts.inputs++
  counts.requests += paths.length
  if (paths.length > 0) counts.opened++
  if (problem !== undefined) found(input, number, kind, problem)
  if (Date.now() >= reportAt) {
    report()
    reportAt += REPORT_EVERY_MS
  }
}
report()
process.exitCode = findings > 0 ? 1 : 0

/** Slow once may be the collector; slow four times is the input. */
function timed(input: DamagedInput, number: number, kind: string): ReturnType<typeof tryDamagedInput> {
  let [outcome, ms] = measured(input)
  for (let again = 0; again < 3 && ms > SLOW_MS; again++) {
    const [same, further] = measured(input)
    outcome = same
    ms = Math.min(ms, further)
  }
  slowest = Math.max(slowest, ms)
  if (ms > SLOW_MS) found(input, number, kind, `${ms.toFixed(0)} ms of processor time`)
  return outcome
}

function measured(input: DamagedInput): [ReturnType<typeof tryDamagedInput>, ms: number] {
  const before = process.cpuUsage()
  const outcome = tryDamagedInput(input)
  const { user, system } = process.cpuUsage(before)
  return [outcome, (user + system) / 1000]
}

function found(input: DamagedInput, number: number, kind: string, problem: string): void {
  findings++
  mkdirSync(folder, { recursive: true })
  const name = join(folder, `${kind}-${seed}-${number}.json`)
  const packets = input.packets.map(({ data, time }) => ({ data: Buffer.from(data).toString('hex'), time }))
  writeFileSync(name, JSON.stringify({ ...input, packets }))
  process.stdout.write(`FOUND ${name}\n${problem}\n`)
}

function report(): void {
  globalThis.gc?.()
  const { rss, heapUsed } = process.memoryUsage()
  largest.rss = Math.max(largest.rss, process.resourceUsage().maxRSS * 1024, rss)
  largest.heap = Math.max(largest.heap, heapUsed)
  const [rssMb, heapMb] = [largest.rss, largest.heap].map((bytes) => Math.round(bytes / 1024 / 1024))
  const texts = Object.entries(seen).map(
    ([kind, { inputs, opened, requests }]) =>
      `${kind}: ${inputs} inputs, ${opened} of them opened, ${requests} requests`,
  )
  const seconds = Math.round((Date.now() - started) / 1000)
  const { user, system } = process.cpuUsage()
  const cpu = Math.round((user + system) / 1_000_000)
  process.stdout.write(
    `${seconds} s, ${cpu} s of processor time; ${texts.join('; ')}; largest memory ${rssMb} MB, heap after collection ${heapMb} MB; slowest ${slowest.toFixed(0)} ms; ${findings} findings\n`,
  )
}

function newCounts() {
  return { inputs: 0, opened: 0, requests: 0 }
}
