import { execFileSync } from 'node:child_process'
import { createSocket } from 'node:dgram'
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

test('at 10,000 packets a second the dormant worker records all of them', async () => {
  const receiver = createSocket('udp4').bind(0, '127.0.0.1')
  await new Promise((resolve) => receiver.once('listening', resolve))
  const { port } = receiver.address()
  // Whatever else goes over loopback meanwhile is no part of this.
  const only = `tap.bpfOverride=udp dst port ${port}`
  const tapdeck = await RunningTapdeck.start(['tap.capture.dissection.enabled=false', only])
  try {
    // V8 collects the garbage of the start after 8 seconds, which is no part of it either.
    await datagrams(10, 10_000, port)
    const before = await counters(tapdeck)
    const cpu = workerCpu(tapdeck.pid)
    const began = performance.now()
    const sent = await datagrams(SECONDS, 10_000, port)
    const spent = workerCpu(tapdeck.pid) - cpu
    const percent = Math.round((spent / (performance.now() - began)) * 1e6) / 10
    let after = await counters(tapdeck)
    for (
      let attempt = 0;
      after.packets_captured - before.packets_captured < sent && attempt < 100;
      attempt++
    ) {
      await sleep(100)
      after = await counters(tapdeck)
    }
    console.log(`dormant: ${percent} % of a core, memory in MB ${JSON.stringify(workerMemory(tapdeck.pid))}`)
    expect(after.packets_captured - before.packets_captured).toBeGreaterThanOrEqual(sent)
    expect(after.loss).toEqual({})
    expect(after.packets_dissected).toBe(0)
  } finally {
    receiver.close()
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
    loss: after.loss,
    memory_mb: workerMemory(tapdeck.pid).rss,
    worker_cpu_percent: Math.round((spent / (SECONDS + 1.5)) * 1000) / 10,
  }
}

async function counters(tapdeck: RunningTapdeck) {
  const { nodes } = (await tapdeck.get('/api/status')) as Status
  return nodes[0]!
}

/** CPU seconds of the worker process, all its threads together. */
function workerCpu(supervisor: number): number {
  const [user, system] = fieldsOf(workerPid(supervisor)).slice(11, 13).map(Number)
  return (user! + system!) / Number(execFileSync('getconf', ['CLK_TCK']))
}

/** Megabytes of memory of the worker process, the kernel's ring included, and those of them that are the ring. */
function workerMemory(supervisor: number): { rss: number; ring: number } {
  const pid = workerPid(supervisor)
  const [, all] = /^Rss:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'latin1')) ?? []
  const maps = readFileSync(`/proc/${pid}/smaps`, 'latin1')
  const [, ring] = /socket:\[\d+\]\n(?:.*\n)*?Rss:\s+(\d+) kB/.exec(maps) ?? []
  const megabytes = (kilobytes = '0') => Math.round((Number(kilobytes) * 1024) / 1e5) / 10
  return { rss: megabytes(all), ring: megabytes(ring) }
}

function workerPid(supervisor: number): string {
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    try {
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1')
      if (Number(fieldsOf(pid)[1]) === supervisor && command.includes('worker.mjs')) return pid
    } catch {
      // It ended while we looked.
    }
  }
  throw new Error('no worker process')
}

function fieldsOf(pid: string): string[] {
  return readFileSync(`/proc/${pid}/stat`, 'latin1')
    .replace(/^.*\) /s, '')
    .split(' ')
}

/** Small datagrams over loopback, so many a second; returns how many were sent. */
async function datagrams(seconds: number, rate: number, port: number): Promise<number> {
  const sender = createSocket('udp4')
  const bytes = Buffer.alloc(300, 'x')
  const began = performance.now()
  let sent = 0
  while (sent < seconds * rate) {
    const due = Math.min(seconds * rate, ((performance.now() - began) / 1000) * rate)
    for (; sent < due; sent++) sender.send(bytes, port, '127.0.0.1')
    await sleep(5)
  }
  // A close waits for what is under way.
  await new Promise<void>((resolve) => sender.close(resolve))
  return sent
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
