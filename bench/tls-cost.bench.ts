import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, realpathSync } from 'node:fs'
import { loadavg } from 'node:os'
import { fileURLToPath } from 'node:url'
import { processCpu } from './recording/process-cpu.ts'
import { httpServerTargets } from './tls-table/http-servers.ts'
import { OwnLibraries } from './tls-table/own-libraries.ts'
import { Stage } from './tls-table/stage.ts'

/**
 * Processor time of a request at a TLS server, and its latency: without probes, with key capture, and with probes that copy the plaintext
 * of each read and write, which other systems do. The variants take turns. Needs root and wrk.
 * Rounds: TAPDECK_BENCH_ROUNDS (5); seconds of each: TAPDECK_BENCH_SECONDS (3).
 */
const ROUNDS = Number(process.env.TAPDECK_BENCH_ROUNDS ?? 5)
const SECONDS = Number(process.env.TAPDECK_BENCH_SECONDS ?? 3)
const VARIANTS = ['none', 'keys', 'plaintext'] as const
const MODES = { 'keep-alive': [], 'one request a connection': ['-H', 'Connection: close'] } as const
const capture = fileURLToPath(new URL('./tls-cost/capture.mjs', import.meta.url))

type Variant = (typeof VARIANTS)[number]

interface Measured {
  readonly requests: number
  /** Microseconds of processor time of the server, a request. */
  readonly server: number
  /** Percent of a core that the process took which attached the probes. */
  readonly capture: number
  readonly median: number
  readonly p99: number
}

const stage = new Stage()
try {
  if (Stage.find('nginx') !== undefined)
    process.env.LD_LIBRARY_PATH = new OwnLibraries(stage, ['nginx']).folder
  const names = ['nginx', `node ${process.versions.node.split('.')[0]}`]
  for (const target of httpServerTargets.filter(({ name }) => names.includes(name))) {
    const reason = Stage.find('wrk') === undefined ? 'wrk is not installed' : target.missing?.()
    if (reason !== undefined) console.log(`${target.name}: ${reason}`)
    else await measure(target.name, (await target.open(stage, '1.3')).port)
    stage.stopAll()
  }
} finally {
  stage.remove()
}

async function measure(name: string, port: number): Promise<void> {
  for (const [mode, options] of Object.entries(MODES)) {
    const all: Record<Variant, Measured[]> = { none: [], keys: [], plaintext: [] }
    for (let round = 0; round < ROUNDS; round++)
      for (const variant of VARIANTS) all[variant].push(await measureOnce(variant, port, options))
    console.log(`${name}, ${mode}; load ${loadavg()[0]!.toFixed(0)}`)
    for (const variant of VARIANTS) {
      const of = (field: keyof Measured) => median(all[variant].map((one) => one[field]))
      console.log(
        `  ${variant.padEnd(10)} server ${of('server').toFixed(1).padStart(7)} µs of processor time a request; capture ${of('capture').toFixed(1)} % of a core; latency median ${of('median').toFixed(2)} ms, p99 ${of('p99').toFixed(2)} ms; ${Math.round(of('requests'))} requests`,
      )
    }
  }
}

async function measureOnce(variant: Variant, port: number, options: readonly string[]): Promise<Measured> {
  const pids = serverPids()
  const child = variant === 'none' ? undefined : await attach(variant, pids)
  const cpu = () => pids.reduce((sum, pid) => sum + processCpu(pid), 0)
  const before = { server: cpu(), capture: child === undefined ? 0 : processCpu(child.pid!) }
  const args = ['-t1', '-c8', `-d${SECONDS}s`, '--latency', ...options, `https://127.0.0.1:${port}/`]
  const wrk = spawn('wrk', args, { stdio: ['ignore', 'pipe', 'inherit'] })
  let text = ''
  wrk.stdout.on('data', (chunk) => {
    text += chunk
  })
  await once(wrk, 'close')
  const requests = Number(/(\d+) requests in/.exec(text)?.[1])
  const each = (seconds: number) => (seconds * 1e6) / requests
  const result = {
    requests,
    server: each(cpu() - before.server),
    capture: child === undefined ? 0 : ((processCpu(child.pid!) - before.capture) * 100) / SECONDS,
    median: milliseconds(/50%\s+([\d.]+)(\w+)/.exec(text)),
    p99: milliseconds(/99%\s+([\d.]+)(\w+)/.exec(text)),
  }
  if (child !== undefined) {
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  return result
}

async function attach(variant: 'keys' | 'plaintext', pids: readonly number[]): Promise<ChildProcess> {
  const target = variant === 'plaintext' ? libraryOf(pids[0]!) : pids.join()
  const child = spawn(process.execPath, [capture, variant, target], { stdio: ['ignore', 'pipe', 'inherit'] })
  const [line] = await once(child.stdout, 'data')
  if (String(line).trim() !== 'attached') throw new Error(String(line))
  return child
}

/** Descendants of this process that are programs of the stage. */
function serverPids(pid = process.pid): number[] {
  const children = read(`/proc/${pid}/task/${pid}/children`).trim()
  if (children === '') return []
  return children.split(' ').flatMap((child) => {
    const isServer = new RegExp(Stage.processes).test(read(`/proc/${child}/comm`))
    return [...(isServer ? [Number(child)] : []), ...serverPids(Number(child))]
  })
}

/** The file that has the functions of OpenSSL: a library, or the program itself. */
function libraryOf(pid: number): string {
  return /\/\S*libssl\.so\S*/.exec(read(`/proc/${pid}/maps`))?.[0] ?? realpathSync(`/proc/${pid}/exe`)
}

function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}

function milliseconds(match: RegExpExecArray | null): number {
  const [, value, unit] = match ?? []
  return Number(value) * (unit === 'us' ? 0.001 : unit === 's' ? 1000 : 1)
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN
}
