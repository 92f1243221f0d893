import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import {
  type ConnectionOptions,
  createServer as createTlsServer,
  type TLSSocket,
  type TlsOptions,
  connect as tlsConnect,
} from 'node:tls'
import { selfSignedPem } from './self-signed-pem.ts'

/** Bytes as they came from one side of a connection. */
export interface RecordedBytes {
  readonly side: 0 | 1
  readonly bytes: Buffer
}

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
  const bytes: RecordedBytes[] = []
  let keyLog = ''
  let session: Buffer | undefined
  const server = createTlsServer({ ...CERTIFICATE, ...exchange.server }, exchange.serve)
  server.on('keylog', (line: Buffer) => {
    keyLog += line.toString()
  })
  const target = await listen(server)
  const proxy = createServer((socket) => join(socket, connect(target, '127.0.0.1'), bytes))
  const port = await listen(proxy)
  try {
    const options = { rejectUnauthorized: false, ...exchange.client, port, host: '127.0.0.1' }
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
  return { bytes, keyLog, session }
}

function join(client: Socket, server: Socket, bytes: RecordedBytes[]): void {
  for (const [side, from, to] of [
    [0, client, server],
    [1, server, client],
  ] as const) {
    from.on('data', (chunk) => {
      bytes.push({ side, bytes: chunk })
      to.write(chunk)
    })
    from.on('end', () => to.end())
    from.on('error', () => to.destroy())
  }
}

async function listen(server: Server): Promise<number> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}
