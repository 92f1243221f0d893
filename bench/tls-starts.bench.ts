import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { RunningTapdeck } from '../test/e2e/running-tapdeck.ts'
import { changedCode } from './tls-starts/changed-code.ts'
import { ShortTargets } from './tls-starts/short-targets.ts'
import { Stage } from './tls-table/stage.ts'

/**
 * Targets of the key capture start and end, one in ten is killed at some time of its life, and the worker is killed again and again.
 * Each target that was not killed must end with status 0 and the answer to its request, and nothing may stay attached. Needs root.
 * Targets: TAPDECK_BENCH_STARTS (10000); times that the worker is ended: TAPDECK_BENCH_WORKER_ENDS (20).
 */
const STARTS = Number(process.env.TAPDECK_BENCH_STARTS ?? 10_000)
const WORKER_ENDS = Number(process.env.TAPDECK_BENCH_WORKER_ENDS ?? 20)
const AT_ONCE = 10
const KILLED_IN = 10
const MAX_LIFE_MS = 40
const PATIENCE_MS = 120_000

const stage = new Stage()
const port = await stage.serve('1.3')
const tapdeck = await RunningTapdeck.start([
  'tap.capture.dissection.enabled=false',
  'tap.tls.capture.enabled=true',
  `tap.tls.capture.processes=${Stage.processes}`,
])
const targets = new ShortTargets(stage, port)
const count = { started: 0, right: 0, killed: 0, wrong: 0, workerEnds: 0, secrets: 0, missed: 0 }
let seen = { worker: 0, secrets: 0, missed: 0 }
const began = Date.now()
const progress = setInterval(() => console.log(JSON.stringify(count)), 30_000)
try {
  await until(() => changed() > 0, 'the libraries are probed')
  const attached = changed()
  await Promise.all([...Array.from({ length: AT_ONCE }, run), endWorkers()])
  await until(() => changed() > 0, 'the libraries are probed again')
  await note()
  console.log(`${changed()} bytes of code are changed by probes before the end (${attached} at first)`)
  // All at once, so that nothing can be tidied up.
  for (const pid of [tapdeck.pid, ...childrenOf(tapdeck.pid)]) process.kill(pid, 'SIGKILL')
  await until(() => changed() === 0, 'no code is changed')
  console.log(`${changed()} bytes of code are changed after the worker was killed`)
  console.log(`the target that ran all the time: ${await targets.finish()}`)
  const { started, killed, right, wrong, workerEnds, secrets, missed } = count
  console.log(
    `${started} targets in ${Math.round((Date.now() - began) / 1000)} s: ${killed} killed, ${right} ended with status 0 and the right answer, ${wrong} did not; the worker was killed or stopped ${workerEnds} times; ${secrets} secrets taken, ${missed} missed`,
  )
  if (wrong > 0) process.exitCode = 1
} finally {
  clearInterval(progress)
  await tapdeck.stop()
  stage.remove()
}

async function run(): Promise<void> {
  while (count.started < STARTS) {
    const number = count.started++
    const path = `/${number}`
    const child = targets.start(`https://127.0.0.1:${port}${path}`, number)
    let answer = ''
    child.stdout!.on('data', (chunk) => {
      answer += chunk
    })
    const isKilled = number % KILLED_IN === 0
    if (isKilled) setTimeout(() => child.kill('SIGKILL'), Math.random() * MAX_LIFE_MS)
    const [status, signal] = await once(child, 'close')
    if (status === 0 && answer === `hello ${path}`) count.right++
    else if (isKilled && signal === 'SIGKILL') count.killed++
    else {
      count.wrong++
      console.log(`target ${number}: status ${status}, signal ${signal}, answer ${JSON.stringify(answer)}`)
    }
  }
}

/** Evenly over the run, by SIGKILL and SIGTERM in turn. */
async function endWorkers(): Promise<void> {
  for (let next = 1; next <= WORKER_ENDS; next++) {
    const from = (STARTS * next) / (WORKER_ENDS + 1)
    await until(() => count.started >= from, `${from} targets`)
    await note()
    const worker = childrenOf(tapdeck.pid).find((pid) => commandOf(pid).includes('worker.mjs'))
    if (worker === undefined) continue
    process.kill(worker, next % 2 === 0 ? 'SIGTERM' : 'SIGKILL')
    count.workerEnds++
  }
}

/** Counters of a worker begin again when it is started again. */
async function note(): Promise<void> {
  const worker = childrenOf(tapdeck.pid).find((pid) => commandOf(pid).includes('worker.mjs')) ?? 0
  const { nodes = [] } = (await tapdeck.get('/api/status')) as {
    nodes?: { tls_keys?: { secrets: number; missed: number } }[]
  }
  const { secrets = 0, missed = 0 } = nodes[0]?.tls_keys ?? {}
  const before = worker === seen.worker ? seen : { secrets: 0, missed: 0 }
  count.secrets += Math.max(0, secrets - before.secrets)
  count.missed += Math.max(0, missed - before.missed)
  seen = { worker, secrets, missed }
}

function changed(): number {
  return targets.libraries.reduce((sum, path) => sum + changedCode(targets.waitingPid, path), 0)
}

function childrenOf(pid: number): number[] {
  const text = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  return text === '' ? [] : text.split(' ').map(Number)
}

function commandOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

async function until(condition: () => boolean, what: string): Promise<void> {
  for (let last = count.started, since = Date.now(); !condition(); await sleep(50)) {
    if (count.started !== last) [last, since] = [count.started, Date.now()]
    if (Date.now() - since > PATIENCE_MS) throw new Error(`this did not come: ${what}`)
  }
}
