import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ring } from '@tapdeck/recording'
import { CaptureReader } from '@tapdeck/wire'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { BlockLease } from '../blocks/block-lease.ts'
import { BlockWriter } from './block-writer.ts'
import { Capture, type CaptureOptions } from './capture.ts'
import { noCaptureReason } from './no-capture-reason.ts'

const options: CaptureOptions = { interfaces: ['lo'], snapLength: 262_144, bufferSize: 8 << 20 }

async function whyNot(): Promise<string | undefined> {
  try {
    const capture = await Capture.open(options)
    await capture.stop()
    return undefined
  } catch (error) {
    return noCaptureReason(error)
  }
}

const reason = await whyNot()
if (reason) console.log(`skipped: capture tests, because ${reason}`)

describe.skipIf(reason !== undefined)('on loopback', () => {
  let folder: string
  let server: Server
  let port: number
  let received: Buffer[]

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), 'tapdeck-'))
    received = []
    server = createServer((socket) => {
      socket.on('data', (data) => {
        received.push(data)
        socket.end('bye')
      })
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const address = server.address()
    port = typeof address === 'object' && address ? address.port : 0
  })
  afterEach(() => {
    server.close()
    rmSync(folder, { recursive: true })
  })

  async function talk(text: string): Promise<void> {
    const socket: Socket = connect(port, '127.0.0.1')
    await once(socket, 'connect')
    socket.resume()
    socket.write(text)
    await once(socket, 'close')
  }

  /** Captures while `traffic` runs, and returns the TCP payloads of this test's port, in both directions. */
  async function captured(
    more: Partial<CaptureOptions>,
    traffic: (capture: Capture, ring: Ring) => Promise<void>,
  ) {
    const ring = Ring.open(folder, { maxBytes: 64 << 20, node: 'n', application: 'test' })
    const capture = await Capture.open({ ...options, ...more })
    const writer = new BlockWriter({
      ring,
      memory: capture.memory,
      lease: new BlockLease(),
      node: 'n',
      application: 'test',
      snapLength: options.snapLength,
      nameOf: (index) => capture.nameOf(index),
    })
    capture.start(writer)
    await traffic(capture, ring)
    await capture.stop()
    const payloads: string[] = []
    let lengths = 0
    const reader = new CaptureReader(
      {
        packet: (data, start, end, length) => {
          const tcp = start + 14 + 20
          const ports = [(data[tcp] << 8) | data[tcp + 1], (data[tcp + 2] << 8) | data[tcp + 3]]
          if (!ports.includes(port)) return
          const payload = Buffer.from(data.subarray(tcp + (data[tcp + 12] >> 4) * 4, end)).toString()
          if (payload) payloads.push(payload)
          lengths += length
        },
      },
      {},
    )
    for await (const chunk of ring.window(0, Number.MAX_SAFE_INTEGER)) reader.push(chunk)
    ring.close()
    return { payloads, lengths, drops: capture.drops, interfaces: capture.interfaces }
  }

  test('each packet is captured once, and nothing is lost at the end', async () => {
    const { payloads, drops } = await captured({}, async () => {
      await talk('first')
      await talk('second')
    })
    expect(payloads).toEqual(['first', 'bye', 'second', 'bye'])
    expect(drops).toBe(0)
  })

  test('`caughtUp` resolves when all earlier packets are stored', async () => {
    const expression = `tcp dst port ${port} and tcp[tcpflags] & tcp-push != 0`
    await captured({ expression }, async (capture, ring) => {
      for (let said = 1; said <= 5; said++) {
        await talk('hello')
        await capture.caughtUp()
        expect(ring.boundaries().packet_count).toBe(said)
      }
      await capture.caughtUp()
    })
  })

  test('the kernel captures only packets that match an expression', async () => {
    const run = (expression: string) => captured({ expression }, () => talk('hello'))
    expect((await run(`tcp dst port ${port} and src host 127.0.0.1`)).payloads).toEqual(['hello'])
    rmSync(folder, { recursive: true })
    expect((await run(`tcp[tcpflags] & tcp-syn != 0 or vlan 5`)).payloads).toEqual([])
    rmSync(folder, { recursive: true })
    expect((await run(`tcp src port ${port} and greater 60 and not udp`)).payloads).toEqual(['bye'])
  })

  test('the expression can be changed during capture, and an invalid one changes nothing', async () => {
    const { payloads } = await captured({ expression: `tcp dst port ${port}` }, async (capture) => {
      await talk('first')
      capture.setExpression(`tcp src port ${port}`)
      await talk('second')
      expect(() => capture.setExpression('tcp prot 80')).toThrow()
      await talk('third')
      capture.setExpression('')
      await talk('fourth')
    })
    expect(payloads).toEqual(['first', 'bye', 'bye', 'fourth', 'bye'])
  })

  test('`any` includes loopback, each packet once', async () => {
    const { payloads, interfaces } = await captured({ interfaces: ['any'] }, () => talk('hello'))
    expect(payloads).toEqual(['hello', 'bye'])
    expect(interfaces).toContain('lo')
  })

  test('the kernel excludes the own port', async () => {
    const { payloads, lengths } = await captured({ exceptPorts: [port] }, () => talk('secret'))
    expect(received.toString()).toBe('secret')
    expect(payloads).toEqual([])
    expect(lengths).toBe(0)
  })

  test('the snap length truncates the bytes, not the recorded length', async () => {
    const { payloads, lengths } = await captured({ snapLength: 80 }, () => talk('x'.repeat(500)))
    expect(payloads.join('')).not.toContain('x'.repeat(100))
    expect(lengths).toBeGreaterThan(500)
  })

  test('interfaces that do not exist are reported as missing', async () => {
    const capture = await Capture.open({ ...options, interfaces: ['nosuch0'] })
    expect(capture.missing).toEqual(['nosuch0'])
    expect(capture.interfaces).toEqual([])
    await capture.stop()
    expect((await captured({ interfaces: ['nosuch0'] }, () => talk('hello'))).payloads).toEqual([])
  })
})
