import { execFileSync, spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** Bulk traffic over loopback: what the kernel dropped is counted, and it is nothing. */

interface Status {
  readonly nodes: readonly { packets_captured: number; loss: Record<string, number> }[]
}

const hasIperf = spawnable('iperf3')

test.skipIf(!hasIperf)('a bulk transfer of 20 s is recorded without a drop in the kernel', async () => {
  const tapdeck = await RunningTapdeck.start(['tap.capture.dissection.enabled=false'])
  const server = spawn('iperf3', ['-s', '-B', '127.0.0.1', '-p', '15201'], { stdio: 'ignore' })
  try {
    await sleep(500)
    const client = spawn('iperf3', ['-c', '127.0.0.1', '-p', '15201', '-t', '20', '-b', '2G', '-J'])
    let report = ''
    client.stdout.on('data', (chunk) => {
      report += chunk
    })
    await new Promise((resolve) => client.once('exit', resolve))
    await sleep(1500)
    const { nodes } = (await tapdeck.get('/api/status')) as Status
    const bits = JSON.parse(report).end.sum_sent.bits_per_second
    console.log(
      `${(bits / 1e9).toFixed(2)} Gbit/s, ${nodes[0]!.packets_captured} packets, loss ${JSON.stringify(nodes[0]!.loss)}`,
    )
    expect(nodes[0]!.packets_captured).toBeGreaterThan(10_000)
    expect(nodes[0]!.loss.kernel_drops ?? 0).toBe(0)
  } finally {
    server.kill('SIGKILL')
    await tapdeck.stop()
  }
})

function spawnable(command: string): boolean {
  try {
    execFileSync(command, ['--version'], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
