import { once } from 'node:events'
import { type RecordedBytes, recordTls, type TlsExchange } from '@tapdeck/tls/testing'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import type { DamagedInput } from './damaged-input.ts'
import { mutateConnection, mutateKeyLog, mutatePackets } from './mutate-connection.ts'

interface Recorded {
  readonly bytes: readonly RecordedBytes[]
  readonly keyLog: string
}

const PATHS = ['/0', '/1', '/2']
const SETTINGS = [
  { minVersion: 'TLSv1.3', maxVersion: 'TLSv1.3' },
  { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' },
  { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2', ciphers: 'ECDHE-ECDSA-AES128-SHA256' },
  { ciphers: 'TLS_CHACHA20_POLY1305_SHA256' },
  { ecdhCurve: 'X25519:P-384' },
] as const

/** Connections of real TLS ends, and damage to their bytes, packets and key logs. */
export class TlsInputs {
  readonly #recorded: readonly Recorded[]

  private constructor(recorded: readonly Recorded[]) {
    this.#recorded = recorded
  }

  static async record(): Promise<TlsInputs> {
    const recorded: Recorded[] = []
    for (const client of SETTINGS)
      recorded.push(await recordTls(exchange(client, 'ecdhCurve' in client ? { ecdhCurve: 'P-384' } : {})))
    return new TlsInputs(recorded)
  }

  get undamaged(): readonly DamagedInput[] {
    return this.#recorded.map(({ bytes, keyLog }) => ({
      ...{ packets: packetsOf(bytes, 1460), keyLog, sent: PATHS },
      ...{ isLate: false, hasTightLimits: false },
    }))
  }

  damaged(random: () => number): DamagedInput {
    const pick = () => this.#recorded[Math.floor(random() * this.#recorded.length)]!
    const [one, other] = [pick(), pick()]
    const keyLog = random() < 0.5 ? one.keyLog : mutateKeyLog(one.keyLog, other.keyLog, random)
    const bytes = random() < 0.2 ? one.bytes : mutateConnection(one.bytes, other.bytes, random)
    const packets = packetsOf(bytes, 200 + Math.floor(random() * 3000))
    const damaged = random() < 0.5 ? packets : mutatePackets(packets, random)
    return {
      ...{ packets: damaged, keyLog, sent: PATHS },
      ...{ isLate: random() < 0.3, hasTightLimits: random() < 0.3 },
    }
  }
}

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

function packetsOf(bytes: readonly RecordedBytes[], segmentSize: number): BuiltPacket[] {
  const connection = new Conversation({ serverPort: 443, segmentSize }).handshake()
  for (const part of bytes) connection.send(part.side, part.bytes)
  return connection.close().packets
}
