import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect, createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadSystemCalls } from '../capture/system-calls.ts'
import { type KernelRecord, KernelWatch } from './kernel-watch.ts'

let watch: KernelWatch | undefined
let why = ''
beforeAll(async () => {
  try {
    watch = KernelWatch.open(await loadSystemCalls())
  } catch (error) {
    why = String(error)
  }
})
afterAll(() => watch?.close())

const found: KernelRecord[] = []

async function until(holds: (record: KernelRecord) => boolean): Promise<KernelRecord> {
  for (;;) {
    watch!.read((record) => found.push(record))
    const match = found.find(holds)
    if (match) return match
    await sleep(5)
  }
}

describe('KernelWatch', () => {
  it('reports the start and the end of a program, with its exit status', async (test) => {
    test.skip(!watch, `not possible here: ${why}`)
    const child = spawn('/bin/sh', ['-c', 'exit 3'])
    const { pid } = child
    const before = Date.now()
    expect(await until((one) => one.what === 'exec' && one.pid === pid)).toMatchObject({ comm: 'sh' })
    const ended = await until((one) => one.what === 'exit' && one.pid === pid)
    expect(Math.abs(ended.ts - before)).toBeLessThan(60_000)
    if (ended.exitCode !== undefined) expect(ended.exitCode).toBe(3 << 8)
  })

  it('reports which process listens and which connects, over IPv4 and IPv6', async (test) => {
    test.skip(!watch, `not possible here: ${why}`)
    for (const host of ['127.0.0.1', '::1']) {
      const server = createServer((socket) => socket.on('error', () => {}).resume())
      server.listen(0, host)
      const failed = await Promise.race([once(server, 'listening'), once(server, 'error')])
      if (failed[0] instanceof Error) continue
      const { port } = server.address() as { port: number }
      const ip = host
      const listening = await until((one) => one.what === 'listen' && one.local?.port === port)
      expect(listening).toMatchObject({ pid: process.pid, local: { ip, port } })
      const client = connect(port, host)
      await once(client, 'connect')
      const local = { ip, port: client.localPort }
      expect(await until((one) => one.what === 'connect' && one.remote?.port === port)).toMatchObject({
        pid: process.pid,
        local,
        remote: { ip, port },
      })
      client.destroy()
      server.close()
    }
  })

  it('reports a client that exits at once', async (test) => {
    test.skip(!watch, `not possible here: ${why}`)
    // The client may exit before the response.
    const server = createServer((socket) => socket.on('error', () => {}).end('x'))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as { port: number }
    await promisify(execFile)('bash', ['-c', `exec 3<>/dev/tcp/127.0.0.1/${port}`]).catch(() => {})
    const found = await until((one) => one.what === 'connect' && one.remote?.port === port)
    expect(found.comm).toBe('bash')
    server.close()
  })
})
