import { fork } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import {
  type ExpensiveRequest,
  expensiveRequests,
} from '../apps/hub/src/testing/expensive/expensive-requests.ts'
import { IndexWorker } from '../apps/hub/src/testing/index-worker.ts'
import { startHub } from '../apps/hub/src/testing/start-hub.ts'
import type { Order } from './event-loop/clients.process.ts'

/**
 * How long the hub's event loop is late while ten clients send each expensive input of the tests at the same time, next to ten clients
 * that ask for its health. An input may cost 50 ms for one client, so ten at once may make the loop late by ten times that.
 */
const CLIENTS = 10
const ROUNDS = 1
const MAX_INPUT_MS = 50
const SHOWN = 12

interface Lateness {
  readonly title: string
  readonly p99: number
  readonly max: number
}

const worker = await IndexWorker.open('n1')
const path = `/${'ab'.repeat(500)}!`
await worker.add(Array.from({ length: 50 }, (_, at) => ({ at: 1_700_000_000_000 + at, service: 's', path })))
const hub = await startHub()
const port = await hub.open()
await hub.worker('n1', worker.answers)
const clients = fork(join(import.meta.dirname, 'event-loop', 'clients.mjs'), { serialization: 'advanced' })
try {
  const health = await latenessOf({ title: 'health', method: 'GET', path: '/healthz' }, 100)
  print(health)
  const all = [...expensiveRequests(8000), ...expensiveRequests(64_000)]
  const measured: Lateness[] = []
  const began = performance.now()
  for (const request of all) measured.push(await latenessOf(request, ROUNDS))
  const seconds = (performance.now() - began) / 1000
  console.log(`${all.length} inputs, each sent by ${CLIENTS} clients at once: ${seconds.toFixed(0)} s`)
  const worst = measured.toSorted((a, b) => b.max - a.max)
  for (const one of worst.slice(0, SHOWN)) print(one)
  const limit = CLIENTS * MAX_INPUT_MS
  console.log(`the longest is ${(worst[0].max / limit).toFixed(2)} of the limit (${limit} ms)`)
  const middle = worst[Math.floor(worst.length / 2)]
  console.log(`of half of the inputs the loop is late by at most ${middle.max.toFixed(1)} ms`)
} finally {
  clients.kill()
  await hub.stop()
  await worker.close()
}

async function latenessOf(request: ExpensiveRequest, rounds: number): Promise<Lateness> {
  const delay = monitorEventLoopDelay({ resolution: 1 })
  delay.enable()
  clients.send({ port, clients: CLIENTS, rounds, request } satisfies Order)
  await once(clients, 'message')
  delay.disable()
  return { title: request.title, p99: delay.percentile(99) / 1e6, max: delay.max / 1e6 }
}

function print({ title, p99, max }: Lateness): void {
  console.log(
    `${title.padEnd(60)} p99 ${p99.toFixed(1).padStart(6)} ms, longest ${max.toFixed(1).padStart(6)} ms`,
  )
}
