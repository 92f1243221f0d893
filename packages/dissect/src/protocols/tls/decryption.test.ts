import { once } from 'node:events'
import { connect as connectHttp2, createServer as createHttp2Server } from 'node:http2'
import type { TLSSocket } from 'node:tls'
import { KeyStore } from '@tapdeck/tls'
import { type RecordedBytes, recordTls, type TlsExchange } from '@tapdeck/tls/testing'
import { Conversation, feed } from '@tapdeck/wire/testing'
import { describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import type { Call, FullCall } from '../../contract/call.ts'
import { Dissection, type DissectionOptions } from '../../dissection.ts'

const RESPONSE_BODY = 'x'.repeat(40_000)

describe('an encrypted connection whose keys are known', () => {
  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'is dissected as the protocol that it carries: HTTP over %s',
    async (version) => {
      const recorded = await recordTls(http({ maxVersion: version, minVersion: version }))
      const calls = dissect(packetsOf(recorded.bytes), recorded.keyLog)
      expect(calls.map(({ proto, path, status }) => [proto, path, status])).toEqual([
        ['tls', 'shop.test', undefined],
        ['http', '/0', 200],
        ['http', '/1', 200],
        ['http', '/2', 200],
      ])
      expect(calls[0]).toMatchObject({ tls: { decrypted: true, certificate: { subject: 'CN=loopback' } } })
      expect(calls[3]?.response?.body).toBe(RESPONSE_BODY)
      for (const call of calls.slice(1)) {
        expect(call).toMatchObject({ decrypted: true, flow: { l7_detected: ['tls'] } })
        expect(call.tls).toMatchObject({
          version: version.replace('v', ' '),
          sni: 'shop.test',
          cipher_suite: (calls[0]!.tls as { cipher_suite: string }).cipher_suite,
          certificate: { subject: 'CN=loopback', not_after: expect.any(String), expired: false },
          key_source: 'test',
        })
      }
      expect(calls[0]).not.toHaveProperty('decrypted')
      expect(new Set(calls.map(({ id }) => id)).size).toBe(4)
    },
  )

  it('carries HTTP/2', async () => {
    const recorded = await recordTls(http2())
    const calls = dissect(packetsOf(recorded.bytes), recorded.keyLog)
    expect(calls.map(({ proto, path, status }) => [proto, path, status])).toEqual([
      ['tls', undefined, undefined],
      ['http', '/a', 200],
    ])
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)('opens when the session is resumed: %s', async (version) => {
    const options = { maxVersion: version, minVersion: version }
    const ticketKeys = Buffer.alloc(48, 7)
    const one = await recordTls(http(options, { ticketKeys }))
    const two = await recordTls(http({ ...options, session: one.session ?? Buffer.alloc(0) }, { ticketKeys }))
    const calls = dissect(packetsOf(two.bytes), two.keyLog)
    expect(calls[0]).toMatchObject({ tls: { resumed: true, decrypted: true } })
    expect(calls.filter(({ proto }) => proto === 'http')).toHaveLength(3)
  })

  it('opens after HelloRetryRequest', async () => {
    const recorded = await recordTls(http({ ecdhCurve: 'X25519:P-384' }, { ecdhCurve: 'P-384' }))
    const calls = dissect(packetsOf(recorded.bytes), recorded.keyLog)
    expect(calls[0]).toMatchObject({ tls: { hello_retry: true, decrypted: true } })
    expect(calls.filter(({ proto }) => proto === 'http')).toHaveLength(3)
  })

  it('gives the same calls for reordered segments and segments of any size', async () => {
    const recorded = await recordTls(http({}))
    const whole = dissect(packetsOf(recorded.bytes), recorded.keyLog)
    for (const size of [100, 999, 9000]) {
      const packets = packetsOf(recorded.bytes, size)
      expect(shape(dissect(packets, recorded.keyLog))).toEqual(shape(whole))
      const swapped = [...packets]
      for (let at = 8; at + 1 < swapped.length; at += 5) {
        const [a, b] = [swapped[at]!, swapped[at + 1]!]
        swapped[at] = { ...b, time: a.time }
        swapped[at + 1] = { ...a, time: b.time }
      }
      expect(shape(dissect(swapped, recorded.keyLog))).toEqual(shape(whole))
    }
  })

  it('loses the calls of a lost packet only', async () => {
    const recorded = await recordTls(http({}))
    const packets = packetsOf(recorded.bytes)
    let opened = 0
    for (let lost = 12; lost < packets.length; lost++) {
      const calls = dissect(packets.toSpliced(lost, 1), recorded.keyLog)
      const http = calls.filter(({ proto, status }) => proto === 'http' && status === 200)
      expect(http.length).toBeGreaterThanOrEqual(1)
      opened += http.length
    }
    expect(opened).toBeGreaterThan(2 * (packets.length - 12))
  })

  it('reports why another connection could not be opened', async () => {
    const [recorded, other] = [await recordTls(http({})), await recordTls(http({}))]
    const [call, ...more] = dissect(packetsOf(recorded.bytes), other.keyLog)
    expect(call).toMatchObject({ proto: 'tls', tls: { not_decrypted: 'no_key' } })
    expect(more).toEqual([])
  })

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'keeps what was decrypted of the handshake out of its call where rights decide: %s',
    async (version) => {
      const recorded = await recordTls(http({ maxVersion: version, minVersion: version }))
      const without = dissect(packetsOf(recorded.bytes), undefined)
      const [handshake, first] = dissect(packetsOf(recorded.bytes), recorded.keyLog, {
        concealDecrypted: true,
      })
      const { decrypted, ...tls } = handshake!.tls as { decrypted: boolean }
      expect(decrypted).toBe(true)
      expect(tls).toEqual(without[0]?.tls)
      expect(first?.tls).toMatchObject({ certificate: { subject: 'CN=loopback' } })
    },
  )

  it.each(['TLSv1.2', 'TLSv1.3'] as const)(
    'gives the same calls for keys that arrive late: %s',
    async (version) => {
      const recorded = await recordTls(http({ maxVersion: version, minVersion: version }))
      const packets = packetsOf(recorded.bytes)
      const whole = dissect(packets, recorded.keyLog)
      const lines = recorded.keyLog.trim().split('\n')
      for (const at of [4, 7, 9, 10, 12]) {
        const keys = new LateKeys()
        const calls: FullCall[] = []
        const dissection = dissectionInto(calls, keys)
        packets.forEach((packet, index) => {
          // One line with each packet: a connection of TLS 1.3 needs several.
          const line = lines[index - at]
          if (line !== undefined) keys.addKeyLog(line, 'test')
          feed(dissection, [packet])
        })
        dissection.end()
        expect(shape(calls), `keys from packet ${at} on`).toEqual(shape(whole))
        expect(calls[0]?.tls).toEqual(whole[0]?.tls)
      }
    },
  )

  it('says that a key did not arrive, once the wait is over', async () => {
    const recorded = await recordTls(http({}))
    const calls: FullCall[] = []
    const dissection = dissectionInto(calls, new LateKeys())
    const packets = packetsOf(recorded.bytes)
    feed(dissection, packets.slice(0, -3))
    expect(calls).toEqual([])
    const { time } = packets[0]!
    dissection.advance(time + 60_000_000)
    expect(calls).toMatchObject([{ proto: 'tls', tls: { not_decrypted: 'no_key' } }])
    expect(calls[0]).not.toHaveProperty('error')
  })

  it('is the same call as before where there are no keys at all', async () => {
    const recorded = await recordTls(http({}))
    const [call, ...more] = dissect(packetsOf(recorded.bytes), undefined)
    expect(call?.tls).not.toHaveProperty('not_decrypted')
    expect(call?.tls).not.toHaveProperty('decrypted')
    expect(more).toEqual([])
  })
})

/** Three requests on one connection, the last with a response of several records. */
function http(client: NonNullable<TlsExchange['client']>, server: TlsExchange['server'] = {}): TlsExchange {
  return {
    client: { servername: 'shop.test', ...client },
    server,
    serve(socket) {
      socket.on('data', (data) => {
        for (const [, number] of data.toString().matchAll(/^GET \/(\d)/gm)) {
          const body = number === '2' ? RESPONSE_BODY : 'ok'
          socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`)
        }
      })
    },
    async ask(socket) {
      let received = 0
      for (const number of [0, 1, 2]) {
        socket.write(`GET /${number} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)
        const wanted = received + (number === 2 ? RESPONSE_BODY.length : 20)
        while (received < wanted) received += (await once(socket, 'data'))[0].length
      }
    },
  }
}

function http2(): TlsExchange {
  const server = createHttp2Server((_, response) => response.end('ok'))
  return {
    client: { ALPNProtocols: ['h2'] },
    server: { ALPNProtocols: ['h2'] },
    serve: (socket) => void server.emit('connection', socket),
    async ask(socket: TLSSocket) {
      const session = connectHttp2('https://shop.test', { createConnection: () => socket })
      const stream = session.request({ ':path': '/a' })
      stream.resume()
      await once(stream, 'end')
      session.close()
    },
  }
}

function packetsOf(bytes: readonly RecordedBytes[], segmentSize = 1460) {
  const connection = new Conversation({ serverPort: 443, segmentSize }).handshake()
  for (const part of bytes) connection.send(part.side, part.bytes)
  return connection.close().packets
}

class LateKeys extends KeyStore {
  readonly isLate = true
}

function dissect(
  packets: ReturnType<typeof packetsOf>,
  keyLog: string | undefined,
  options: Partial<DissectionOptions> = {},
): FullCall[] {
  const calls: FullCall[] = []
  const keys = new KeyStore()
  if (keyLog !== undefined) keys.addKeyLog(keyLog, 'test')
  const dissection = dissectionInto(calls, keyLog === undefined ? undefined : keys, options)
  feed(dissection, packets)
  dissection.end()
  return calls
}

function dissectionInto(
  calls: FullCall[],
  keys: KeyStore | undefined,
  options: Partial<DissectionOptions> = {},
): Dissection {
  return new Dissection({
    emit: (call) => calls.push(toCallRecord(call, namesOf(call), 'node', 'test').toJSON()),
    fault: (error) => {
      throw error
    },
    ...(keys !== undefined && { keys: () => keys }),
    ...options,
  })
}

function shape(calls: readonly FullCall[]) {
  return calls.map(({ proto, path, status, response }) => [proto, path, status, response?.body])
}

function namesOf({ flow, side }: Call) {
  return { src: flow.ends[side], dst: flow.ends[side === 0 ? 1 : 0] }
}
