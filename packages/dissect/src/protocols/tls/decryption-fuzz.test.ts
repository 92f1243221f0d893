import { once } from 'node:events'
import { KeyStore } from '@tapdeck/tls'
import { type RecordedBytes, recordTls, type TlsExchange } from '@tapdeck/tls/testing'
import { Conversation, feed, trials } from '@tapdeck/wire/testing'
import { beforeAll, describe, expect, it } from 'vitest'
import { toCallRecord } from '../../call/engine-call.ts'
import { seeded } from '../../conformance/replay.ts'
import type { Call, FullCall } from '../../contract/call.ts'
import { Dissection } from '../../dissection.ts'
import { mutateConnection, mutateKeyLog, mutatePackets } from './testing/mutate-connection.ts'

/**
 * Damaged connections and key logs. Nothing may throw, all memory is given back, and no call is invented: a record opens only if its
 * tag verifies, so each decrypted request is one that was sent.
 */

interface Recorded {
  readonly bytes: readonly RecordedBytes[]
  readonly keyLog: string
}

/** A longer run by hand: how many inputs, from which seed on. */
const { TAPDECK_FUZZ_INPUTS: inputs, TAPDECK_FUZZ_SEED: firstSeed } = process.env
const INPUTS = inputs === undefined ? trials(1500, 150) : Number(inputs)
const SEED = Number(firstSeed ?? 24)
const TIGHT = { body: 256, frame: 1024, probe: 512, pending: 4, total: 16 * 1024, patience: 1_000_000 }
const PATHS = ['/0', '/1', '/2']
const SETTINGS = [
  { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
  { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
  { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' },
  { ecdhCurve: 'X25519:P-384' },
] as const

describe('damaged connections and key logs', () => {
  const recorded: Recorded[] = []
  beforeAll(async () => {
    for (const client of SETTINGS)
      recorded.push(await recordTls(exchange(client, 'ecdhCurve' in client ? { ecdhCurve: 'P-384' } : {})))
  })

  it('the undamaged ones are opened', () => {
    for (const { bytes, keyLog } of recorded)
      expect(opened(dissect(packetsOf(bytes), keyLog).calls)).toEqual(PATHS)
  })

  it('throw nothing, keep no memory, and show only what was sent', { timeout: 3_600_000 }, () => {
    const seen = { opened: 0, closed: 0, calls: 0 }
    for (let number = 0; number < INPUTS; number++) {
      const random = seeded(SEED * 1_000_003 + number)
      const pick = () => recorded[Math.floor(random() * recorded.length)]!
      const [one, other] = [pick(), pick()]
      const keyLog = random() < 0.5 ? one.keyLog : mutateKeyLog(one.keyLog, other.keyLog, random)
      const bytes = random() < 0.2 ? one.bytes : mutateConnection(one.bytes, other.bytes, random)
      const packets = packetsOf(bytes, 200 + Math.floor(random() * 3000))
      const damaged = random() < 0.5 ? packets : mutatePackets(packets, random)
      const { calls, leaked } = dissect(damaged, keyLog, random() < 0.3, random() < 0.3)
      const paths = opened(calls)
      seen[paths.length > 0 ? 'opened' : 'closed']++
      seen.calls += paths.length
      expect(leaked, `input ${number}`).toBe(0)
      for (const path of paths) expect(PATHS, `input ${number}`).toContain(path)
    }
    // The damage is neither always fatal nor always harmless.
    expect(seen.opened).toBeGreaterThan(INPUTS / 10)
    expect(seen.closed).toBeGreaterThan(INPUTS / 10)
    if (inputs !== undefined) console.info(`${INPUTS} inputs`, seen)
  })
})

function exchange(client: object, server: object): TlsExchange {
  const body = 'x'.repeat(9000)
  return {
    client: { ...client, servername: 'shop.test' },
    server,
    serve: (socket) => {
      socket.on('error', () => {})
      socket.on('data', () =>
        socket.write(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n${body}`),
      )
    },
    async ask(socket) {
      let received = 0
      for (const [number, path] of PATHS.entries()) {
        socket.write(`GET ${path} HTTP/1.1\r\nHost: shop.test\r\n\r\n`)
        while (received < (number + 1) * body.length) received += (await once(socket, 'data'))[0].length
      }
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

function dissect(packets: ReturnType<typeof packetsOf>, keyLog: string, isLate = false, isTight = false) {
  const calls: FullCall[] = []
  const keys = isLate ? new LateKeys() : new KeyStore()
  const dissection = new Dissection({
    emit: (call) => calls.push(toCallRecord(call, namesOf(call), 'node', 'test').toJSON()),
    fault: (error) => {
      throw error
    },
    keys: () => keys,
    ...(isTight && { limits: TIGHT }),
  })
  // Late secrets come in the middle.
  const before = isLate ? Math.floor(packets.length / 2) : 0
  feed(dissection, packets.slice(0, before))
  keys.addKeyLog(keyLog, 'test')
  feed(dissection, packets.slice(before))
  dissection.end()
  return { calls, leaked: dissection.engine.budget.used }
}

/** The paths of decrypted requests; a response alone has none. */
function opened(calls: readonly FullCall[]): string[] {
  return calls.flatMap(({ decrypted, path }) => (decrypted === true && path !== undefined ? [path] : []))
}

function namesOf({ flow, side }: Call) {
  return { src: flow.ends[side], dst: flow.ends[side === 0 ? 1 : 0] }
}
