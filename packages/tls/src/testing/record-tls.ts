import { once } from 'node:events'
import type { AddressInfo, Server } from 'node:net'
import {
  type ConnectionOptions,
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions,
  connect as tlsConnect,
} from 'node:tls'
import { type RecordedBytes, RecordingProxy } from './recording-proxy.ts'
import { selfSignedPem } from './self-signed-pem.ts'

/** What both ends do on one connection, and with which settings. */
export interface TlsExchange {
  readonly server?: TlsOptions
  readonly client?: ConnectionOptions
  /** Runs on the server for each connection. */
  serve(socket: TLSSocket): void
  /** Runs on the client; the connection ends when it returns. */
  ask(socket: TLSSocket): Promise<void>
}

const CERTIFICATE = selfSignedPem('loopback')

/** Runs an exchange between a real TLS client and server, and records what went over the wire and the key log. */
export async function recordTls(exchange: TlsExchange): Promise<{
  readonly bytes: RecordedBytes[]
  readonly keyLog: string
  readonly session: Buffer | undefined
}> {
  let keyLog = ''
  let session: Buffer | undefined
  const server = createTlsServer({ ...CERTIFICATE, ...exchange.server }, exchange.serve)
  server.on('keylog', (line: Buffer) => {
    keyLog += line.toString()
  })
  const proxy = await RecordingProxy.to(await listen(server))
  try {
    const options = { rejectUnauthorized: false, ...exchange.client, port: proxy.port, host: '127.0.0.1' }
    const socket = tlsConnect(options)
    socket.on('session', (made) => {
      session = made
    })
    await once(socket, 'secureConnect')
    await exchange.ask(socket)
    socket.end()
    await once(socket, 'close')
  } finally {
    proxy.close()
    server.close()
  }
  return { bytes: proxy.connections[0] ?? [], keyLog, session }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
