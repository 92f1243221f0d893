import { execFile, execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { type AddressInfo, createServer, type Server } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createSecureContext, TLSSocket } from 'node:tls'
import { promisify } from 'node:util'
import { type RecordedBytes, RecordingProxy, selfSignedPem } from '@tapdeck/tls/testing'
import { type BuiltPacket, Conversation } from '@tapdeck/wire/testing'
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { TSHARK, tsharkVersion } from '../tshark.ts'
import { bothReadings } from './both-readings.ts'
import { freePort, OpensslProgram } from './openssl-pair.ts'

/** Connections of real programs, recorded with their keys: tshark and we find the same inside. */

const run = promisify(execFile)
const version = await tsharkVersion()
const why =
  version !== TSHARK
    ? `tshark is ${version ?? 'not installed'}, ${TSHARK} is needed`
    : has('openssl')
      ? ''
      : 'openssl is not installed'

let folder: string
let pem: string
const programs: { kill(): void }[] = []
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-inside-tls-'))
  pem = join(folder, 'server.pem')
  const { key, cert } = selfSignedPem('shop.test')
  writeFileSync(pem, key + cert)
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))
afterEach(() => {
  for (const program of programs.splice(0)) program.kill()
})

interface Exchange {
  readonly server?: readonly string[]
  /** Options of each connection, and what is done on it. */
  readonly clients: readonly { readonly options?: readonly string[]; readonly requests: readonly string[] }[]
  /** Typed by the client before each request but the first, and what it prints then. */
  readonly between?: { readonly type: string; readonly prints: string }
  /** The first request is in the early data of the second connection. */
  readonly early?: boolean
}

/** HTTP between `openssl s_client` and `openssl s_server`, typed into both. */
async function openssl({ server: more = [], clients, between, early }: Exchange) {
  const keyLog = join(folder, 'keys.log')
  writeFileSync(keyLog, '')
  const target = await freePort()
  const common = ['-accept', `127.0.0.1:${target}`, '-cert', pem, '-key', pem, '-crlf']
  const server = new OpensslProgram(['s_server', ...common, ...more])
  programs.push(server)
  await server.prints('ACCEPT')
  const proxy = await RecordingProxy.to(target)
  programs.push({ kill: () => proxy.close() })
  /** How many parts the connection had when each request was typed. */
  const partsBefore: number[] = []
  for (const [number, { options = [], requests }] of clients.entries()) {
    const isEarly = early === true && number === 1
    const where = ['-connect', `127.0.0.1:${proxy.port}`, '-servername', 'shop.test']
    const client = new OpensslProgram(['s_client', ...where, '-keylogfile', keyLog, '-crlf', ...options])
    programs.push(client)
    for (const [at, path] of requests.entries()) {
      if (at > 0 && between !== undefined) {
        client.type(between.type)
        await client.prints(between.prints)
      }
      partsBefore.push(proxy.connections.at(-1)?.length ?? 0)
      if (!isEarly) client.type(`GET ${path} HTTP/1.1\nHost: shop.test\n\n`)
      await server.prints(`GET ${path}`)
      server.type(`HTTP/1.1 200 OK\nContent-Length: ${path.length}\n\n${path}`)
      await client.prints(`\r\n\r\n${path}`)
    }
    await client.close()
    await server.prints('DONE')
  }
  return { connections: proxy.connections, partsBefore, keyLog: readFileSync(keyLog, 'utf8') }
}

function packetsOf(connections: readonly (readonly RecordedBytes[])[], serverPort: number): BuiltPacket[] {
  return connections.flatMap((bytes, number) => {
    const start = 1_700_000_000_000_000 + number * 1_000_000
    const connection = new Conversation({ serverPort, clientPort: 40_000 + number, start }).handshake()
    for (const part of bytes) connection.send(part.side, part.bytes)
    return connection.close().packets
  })
}

/** Length 8 and the number of the request. */
const SSL_REQUEST = Buffer.from('0000000804d2162f', 'hex').toString('latin1')

const told = (paths: readonly string[]) => paths.flatMap((path) => [`GET ${path}`, '200'])

describe.skipIf(why !== '')(`inside TLS, tshark and we read the same${why && ` (${why})`}`, () => {
  it.each([
    ['TLS 1.2', { clients: [{ options: ['-tls1_2'], requests: ['/a', '/b'] }] }],
    ['TLS 1.3', { clients: [{ options: ['-tls1_3'], requests: ['/a', '/b'] }] }],
    [
      'HelloRetryRequest',
      { server: ['-groups', 'P-384'], clients: [{ options: ['-groups', 'X25519:P-384'], requests: ['/a'] }] },
    ],
    [
      'key updates of both sides',
      { clients: [{ requests: ['/a', '/b', '/c'] }], between: { type: 'K\n', prints: 'KEYUPDATE' } },
    ],
  ] as const)('%s', async (_, exchange: Exchange) => {
    const { connections, keyLog } = await openssl(exchange)
    const paths = exchange.clients.flatMap(({ requests }) => requests)
    const { ours, theirs } = await bothReadings(packetsOf(connections, 443), keyLog)
    expect(ours).toEqual(told(paths))
    expect(theirs).toEqual(ours)
  })

  it.each(['-tls1_2', '-tls1_3'])('a resumed session: %s', async (tls) => {
    const session = join(folder, `session${tls}`)
    const { connections, keyLog } = await openssl({
      clients: [
        { options: [tls, '-sess_out', session], requests: ['/first'] },
        { options: [tls, '-sess_in', session], requests: ['/resumed'] },
      ],
    })
    const { ours, theirs } = await bothReadings(packetsOf(connections, 443), keyLog)
    expect(ours).toEqual(told(['/first', '/resumed']))
    expect(theirs).toEqual(ours)
  })

  it('early data (0-RTT)', async () => {
    const [session, early] = [join(folder, 'session-early'), join(folder, 'early')]
    writeFileSync(early, 'GET /early HTTP/1.1\r\nHost: shop.test\r\n\r\n')
    const { connections, keyLog } = await openssl({
      server: ['-early_data'],
      clients: [
        { options: ['-tls1_3', '-sess_out', session], requests: ['/first'] },
        {
          options: ['-tls1_3', '-sess_in', session, '-early_data', early],
          requests: ['/early'],
        },
      ],
      early: true,
    })
    expect(keyLog).toContain('CLIENT_EARLY_TRAFFIC_SECRET')
    const { ours, theirs } = await bothReadings(packetsOf(connections, 443), keyLog)
    expect(ours).toEqual(told(['/first', '/early']))
    expect(theirs).toEqual(ours)
  })

  it('packets out of order, and a lost one: we go on after it', async () => {
    const exchange = await openssl({ clients: [{ requests: ['/a', '/b', '/c', '/d'] }] })
    const { connections, partsBefore, keyLog } = exchange
    const packets = packetsOf(connections, 443)
    const swapped = [...packets]
    for (let at = 8; at + 1 < swapped.length; at += 4)
      swapped.splice(
        at,
        2,
        { ...swapped[at + 1]!, time: swapped[at]!.time },
        { ...swapped[at]!, time: swapped[at + 1]!.time },
      )
    const { ours, theirs } = await bothReadings(swapped, keyLog)
    expect(ours.toSorted()).toEqual(told(['/a', '/b', '/c', '/d']).toSorted())
    expect(theirs.toSorted()).toEqual(ours.toSorted())

    // openssl may send what was typed in one record or in several.
    const second = connections[0]!.slice(partsBefore[1], partsBefore[2]).filter(({ side }) => side === 0)
    const isSecond = ({ data }: BuiltPacket) => second.some(({ bytes }) => Buffer.from(data).includes(bytes))
    expect(packets.some(isSecond)).toBe(true)
    const lost = await bothReadings(
      packets.filter((packet) => !isSecond(packet)),
      keyLog,
    )
    expect(lost.ours.filter((one) => one.startsWith('GET'))).toEqual(['GET /a', 'GET /c', 'GET /d'])
    expect(lost.ours.at(-1)).toBe('200')
    // tshark counts records and does not search, so it may stop where we go on.
    for (const one of lost.theirs) expect(lost.ours).toContain(one)
  })

  it('SMTP after STARTTLS', async () => {
    const server = createServer()
    const keyLog = upgrade(server, {
      greeting: '220 mail.test ESMTP\r\n',
      upgradesOn: (text) => /^STARTTLS/i.test(text),
      upgradeAnswer: '220 go ahead\r\n',
      answer: (text) =>
        /^EHLO/i.test(text)
          ? '250-mail.test\r\n250 STARTTLS\r\n'
          : /^DATA/i.test(text)
            ? '354 go on\r\n'
            : /^QUIT/i.test(text)
              ? '221 bye\r\n'
              : '250 ok\r\n',
    })
    const proxy = await listening(server)
    const client = new OpensslProgram([
      ...['s_client', '-connect', `127.0.0.1:${proxy.port}`, '-starttls', 'smtp', '-crlf', '-ign_eof'],
    ])
    programs.push(client)
    await client.prints('250 ')
    for (const command of ['EHLO shop.test', 'MAIL FROM:<a@shop.test>', 'RCPT TO:<b@shop.test>', 'NOOP']) {
      client.type(`${command}\n`)
      await client.prints('250 ')
    }
    client.type('QUIT\n')
    await client.prints('221 ')
    client.kill()
    const { ours, theirs } = await bothReadings(packetsOf(proxy.connections, 25), keyLog())
    expect(ours).toEqual(['EHLO', 'MAIL', 'RCPT', 'NOOP', 'QUIT'])
    expect(theirs).toEqual(ours)
  })

  it.skipIf(!has('psql'))('PostgreSQL after its upgrade', async () => {
    const server = createServer()
    const keyLog = upgrade(server, {
      upgradesOn: (text) => text === SSL_REQUEST,
      upgradeAnswer: 'S',
      answer: (text) =>
        text.startsWith('Q')
          ? message('C', 'SELECT 0\0') + message('Z', 'I')
          : text.startsWith('X')
            ? ''
            : message('R', '\0\0\0\0') + message('Z', 'I'),
    })
    const proxy = await listening(server)
    const connection = `host=127.0.0.1 port=${proxy.port} sslmode=require user=a dbname=a gssencmode=disable`
    await run('psql', [connection, '-c', 'SELECT 1', '-c', 'SELECT 2'])
    const { ours, theirs } = await bothReadings(packetsOf(proxy.connections, 5432), keyLog())
    expect(ours).toEqual(['SELECT 1', 'SELECT 2'])
    expect(theirs).toEqual(ours)
  })
})

interface Script {
  readonly greeting?: string
  readonly upgradeAnswer: string
  upgradesOn(text: string): boolean
  answer(text: string): string
}

/** A server that follows a script and changes to TLS in the middle. Returns its key log. */
function upgrade(server: Server, script: Script): () => string {
  let keyLog = ''
  const secureContext = createSecureContext({ key: readFileSync(pem), cert: readFileSync(pem) })
  server.on('connection', (socket) => {
    socket.on('error', () => {})
    if (script.greeting !== undefined) socket.write(script.greeting)
    const onPlain = (data: Buffer) => {
      const text = data.toString('latin1')
      if (!script.upgradesOn(text)) {
        socket.write(script.answer(text), 'latin1')
        return
      }
      socket.off('data', onPlain)
      const secure = new TLSSocket(socket, { isServer: true, secureContext })
      secure.on('keylog', (line) => {
        keyLog += line
      })
      secure.on('error', () => {})
      secure.on('data', (inner: Buffer) => secure.write(script.answer(inner.toString('latin1')), 'latin1'))
      socket.write(script.upgradeAnswer)
    }
    socket.on('data', onPlain)
  })
  programs.push({ kill: () => server.close() })
  return () => keyLog
}

async function listening(server: Server): Promise<RecordingProxy> {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const proxy = await RecordingProxy.to((server.address() as AddressInfo).port)
  programs.push({ kill: () => proxy.close() })
  return proxy
}

/** A message of PostgreSQL: type, length, content. */
function message(type: string, content: string): string {
  const length = Buffer.alloc(4)
  length.writeUInt32BE(content.length + 4)
  return type + length.toString('latin1') + content
}

function has(program: string): boolean {
  try {
    execFileSync('which', [program], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
