import { execFileSync, spawn } from 'node:child_process'
import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CaptureReader, type Loss } from '@tapdeck/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { RecorderProcess } from './recorder-process.ts'

/** The recorder where it cannot keep up: every packet that was sent is recorded or counted, and it says where it was lost. */

const MIB = 1 << 20

describe.skipIf(process.getuid?.() !== 0)('the recorder', () => {
  let disk: string
  let receiver: Socket
  let sender: Socket
  let port: number
  let sent = 0

  beforeEach(async () => {
    disk = mkdtempSync(join(tmpdir(), 'tapdeck-recorder-'))
    execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=24m', 'tmpfs', disk])
    receiver = createSocket('udp4').bind(0, '127.0.0.1')
    await once(receiver, 'listening')
    port = receiver.address().port
    sender = createSocket('udp4')
    sent = 0
  })
  afterEach(() => {
    receiver.close()
    sender.close()
    execFileSync('umount', [disk])
    rmSync(disk, { recursive: true })
  })

  async function send(count: number): Promise<void> {
    const bytes = Buffer.alloc(1000, 'x')
    for (let i = 0; i < count; i += 50)
      await Promise.all(
        Array.from(
          { length: 50 },
          () =>
            new Promise<void>((resolve, reject) =>
              sender.send(bytes, port, '127.0.0.1', (error) => {
                if (error) reject(error)
                else resolve()
              }),
            ),
        ),
      )
    sent += count
  }

  test('packets sent = packets recorded + those counted as lost in the kernel and at the disk', async () => {
    const folder = join(disk, 'ring')
    const filler = join(disk, 'filler')
    const recorder = new RecorderProcess({
      interfaces: ['lo'],
      snapLength: 262_144,
      bufferSize: 4 * MIB,
      expression: `udp dst port ${port}`,
      // Segments that are larger than the disk: it has no older one to delete.
      recording: { folder, maxBytes: 1024 * MIB },
    })
    const seen = ({ packets, loss }: Awaited<ReturnType<RecorderProcess['status']>>) =>
      packets + (loss.kernel_drops ?? 0)
    await recorder.until('it captures', ({ active }) => active)

    await send(2000)
    const calm = await recorder.until('all are seen', (status) => seen(status) === sent)
    expect(calm.boundaries).toMatchObject({ dropped_packets: 0, packet_count: 2000 })

    // It stands still while more comes than the kernel can hold for it.
    recorder.signal('SIGSTOP')
    await send(20_000)
    recorder.signal('SIGCONT')
    const behind = await recorder.until('all are counted', (status) => seen(status) === sent)
    expect(behind.loss.kernel_drops).toBeGreaterThan(1000)
    expect(behind.loss.disk_drops ?? 0).toBe(0)

    fill(filler)
    await send(5000)
    const full = await recorder.until('all are counted', (status) => seen(status) === sent)
    expect(full.recording.recording).toBe(false)
    expect(full.loss.disk_drops).toBeGreaterThan(1000)

    rmSync(filler)
    for (let recovers = false; !recovers; await sleep(100)) {
      await send(50)
      recovers = (await recorder.status()).recording.recording
    }
    await send(50)
    const { loss, boundaries } = await recorder.until('all are counted', (status) => seen(status) === sent)
    const drops = { kernel: loss.kernel_drops, queue: 0, disk: loss.disk_drops }
    expect(boundaries.drops).toEqual(drops)
    expect(boundaries.packet_count + boundaries.dropped_packets).toBe(sent)
    await recorder.stop()

    const stored = read(folder)
    console.log(`sent ${sent} = recorded ${stored.packets} + dropped ${JSON.stringify(drops)}`)
    expect(stored.packets).toBe(boundaries.packet_count)
    expect(stored.packets + (stored.loss.kernel_drops ?? 0)).toBe(sent)
  })
})

/** Two pods and a bridge between them, each in a network namespace of its own. */
describe.skipIf(process.getuid?.() !== 0)('on a node with a bridge', () => {
  const node = `tapdeck-${process.pid}`
  const pods = [`${node}-a`, `${node}-b`] as const
  const ip = (...args: string[]) => execFileSync('ip', args)
  const inside = (name: string, program: string) => ['netns', 'exec', name, process.execPath, '-e', program]

  beforeEach(() => {
    for (const name of [node, ...pods]) ip('netns', 'add', name)
    ip('-n', node, 'link', 'set', 'lo', 'up')
    ip('-n', node, 'link', 'add', 'br0', 'type', 'bridge')
    ip('-n', node, 'addr', 'add', '10.77.0.1/24', 'dev', 'br0')
    ip('-n', node, 'link', 'set', 'br0', 'up')
    for (const [at, pod] of pods.entries()) {
      const [outer, inner] = [`veth${at}`, 'eth0']
      ip('-n', node, 'link', 'add', outer, 'type', 'veth', 'peer', 'name', inner, 'netns', pod)
      ip('-n', node, 'link', 'set', outer, 'master', 'br0', 'up')
      ip('-n', pod, 'addr', 'add', `10.77.0.${at + 2}/24`, 'dev', inner)
      ip('-n', pod, 'link', 'set', inner, 'up')
    }
  })
  afterEach(() => {
    for (const name of [node, ...pods]) ip('netns', 'del', name)
  })

  test('a packet from pod to pod, and from the node to a pod, is recorded once', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'tapdeck-recorder-'))
    const recorder = new RecorderProcess(
      {
        interfaces: ['any'],
        snapLength: 262_144,
        bufferSize: 4 * MIB,
        expression: 'udp port 9999',
        recording: { folder, maxBytes: 64 * MIB },
      },
      ['ip', 'netns', 'exec', node],
    )
    const echo = spawn(
      'ip',
      inside(
        pods[1],
        `const s = require('dgram').createSocket('udp4')
         s.on('message', (m, { port, address }) => s.send(m, port, address))
         s.bind(9999, '0.0.0.0', () => console.log('ready'))`,
      ),
      { stdio: ['ignore', 'pipe', 'inherit'] },
    )
    try {
      await once(echo.stdout, 'data')
      await recorder.until('it captures', ({ active }) => active)
      const ask = `
        const s = require('dgram').createSocket('udp4')
        let got = 0
        s.on('message', () => ++got < 200 ? s.send('question ' + got, 9999, '10.77.0.3') : s.close())
        s.send('question 0', 9999, '10.77.0.3')`
      execFileSync('ip', inside(pods[0], ask), { timeout: 30_000 })
      const between = await recorder.until('all are seen', ({ packets }) => packets >= 400)
      // Into the bridge at one interface and out of it at another.
      expect(between.duplicates).toBeGreaterThanOrEqual(400)
      execFileSync('ip', inside(node, ask), { timeout: 30_000 })
      await recorder.until('all are seen', ({ packets }) => packets >= 800)
      await recorder.stop()
      expect(read(folder).packets).toBe(800)
    } finally {
      recorder.signal('SIGKILL')
      echo.kill('SIGKILL')
      rmSync(folder, { recursive: true })
    }
  })
})

/** Takes all that is left. */
function fill(path: string): void {
  try {
    for (;;) appendFileSync(path, new Uint8Array(4096))
  } catch {
    return
  }
}

function read(folder: string): { packets: number; loss: Loss } {
  const loss: Loss = {}
  let packets = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.pcapng'))) {
    const reader = new CaptureReader({ packet: () => void packets++ }, loss)
    reader.push(readFileSync(join(folder, file)))
    reader.end()
  }
  return { packets, loss }
}
