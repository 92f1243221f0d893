import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { Agent, createServer, get } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** Dormant means no packet is parsed for L7. The CPU of both states is printed side by side, never asserted. */

interface Status {
  readonly nodes: readonly {
    packets_captured: number
    packets_dissected: number
    loss: Record<string, number>
  }[]
}

const SECONDS = 15

test('while dormant no packet is dissected and every packet is recorded; active, all are dissected', async () => {
  const tapdeck = await RunningTapdeck.start([
    'tap.capture.dissection.enabled=false',
    'tap.capture.dissection.stopAfter=0',
  ])
  try {
    const dormant = await under(tapdeck)
    await tapdeck.post('/api/dissection/enable')
    const active = await under(tapdeck)
    console.log(`dormant: ${JSON.stringify(dormant)}\nactive:  ${JSON.stringify(active)}`)
    expect(dormant.captured).toBeGreaterThan(1000)
    expect(dormant.dissected).toBe(0)
    expect(active.dissected).toBeGreaterThan(1000)
    expect(active.dissected).toBeGreaterThanOrEqual(active.captured * 0.99)
  } finally {
    await tapdeck.stop()
  }
})

async function under(tapdeck: RunningTapdeck) {
  const before = await counters(tapdeck)
  const cpu = workerCpu(tapdeck.pid)
  const requests = await traffic(SECONDS)
  await sleep(1500)
  const after = await counters(tapdeck)
  const spent = workerCpu(tapdeck.pid) - cpu
  return {
    requests,
    captured: after.packets_captured - before.packets_captured,
    dissected: after.packets_dissected - before.packets_dissected,
    worker_cpu_percent: Math.round((spent / (SECONDS + 1.5)) * 1000) / 10,
  }
}

async function counters(tapdeck: RunningTapdeck) {
  const { nodes } = (await tapdeck.get('/api/status')) as Status
  return nodes[0]!
}

/** CPU seconds of the worker process, all its threads together. */
function workerCpu(supervisor: number): number {
  const tick = Number(execFileSync('getconf', ['CLK_TCK']))
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const fields = readFileSync(`/proc/${pid}/stat`, 'latin1')
        .replace(/^.*\) /s, '')
        .split(' ')
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      if (Number(fields[1]) === supervisor && command.includes('worker.mjs'))
        return (Number(fields[11]) + Number(fields[12])) / tick
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error('no worker process')
}

async function traffic(seconds: number): Promise<number> {
  const server = createServer((_, response) => response.end('{"ok":true}')).listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address() as AddressInfo
  const agent = new Agent({ keepAlive: true, maxSockets: 8 })
  let sent = 0
  const end = Date.now() + seconds * 1000
  await Promise.all(
    Array.from({ length: 8 }, async () => {
      while (Date.now() < end) {
        await new Promise<void>((resolve, reject) => {
          get({ port, host: '127.0.0.1', path: `/orders/${sent++}`, agent }, (response) => {
            response.resume().once('end', resolve)
          }).once('error', reject)
        })
        await sleep(5)
      }
    }),
  )
  agent.destroy()
  await new Promise((resolve) => server.close(resolve))
  return sent
}
