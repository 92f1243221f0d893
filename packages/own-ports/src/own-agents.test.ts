import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { createServer, get, type Server } from 'node:http'
import { createServer as createTlsServer, get as getTls } from 'node:https'
import { type AddressInfo, connect, createServer as createTcpServer, type LookupFunction } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { type OwnAgents, ownAgents } from './own-agents.ts'

/** Below those that Linux gives to clients. */
const range = { first: 28_700, last: 28_703 }
const inRange = expect.toSatisfy((port: number) => port >= range.first && port <= range.last)
const hasOpenssl = spawnSync('openssl', ['version']).error === undefined
if (!hasOpenssl) console.log('skipped: own ports with https, because there is no openssl')
const opened: { close(): unknown }[] = []
let agents: OwnAgents | undefined

afterEach(async () => {
  agents?.destroy()
  for (const one of opened.splice(0)) one.close()
})

/** A server that answers with the port of its client. */
async function started<Kind extends Server>(server: Kind): Promise<number> {
  server.on('request', (request, response) => response.end(String(request.socket.remotePort)))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  opened.push({
    close() {
      server.closeAllConnections()
      server.close()
    },
  })
  return (server.address() as AddressInfo).port
}

async function ask(
  port: number,
  options: object = {},
  ask: typeof get | typeof getTls = get,
): Promise<number> {
  const agent = agents!.of(ask === get ? 'http://x' : 'https://x')
  const request = ask({ host: '127.0.0.1', port, agent, ...options })
  const [response] = await once(request, 'response')
  let text = ''
  for await (const chunk of response) text += chunk
  return Number(text)
}

test('connections come from ports of the range, and are used again', async () => {
  const port = await started(createServer())
  agents = ownAgents(range)
  const first = await ask(port)
  expect(first).toEqual(inRange)
  expect(await ask(port)).toBe(first)
})

test('several connections at the same time have different ports; when all are taken, another one works too', async () => {
  const port = await started(createServer())
  agents = ownAgents(range)
  const ports = await Promise.all(Array.from({ length: 6 }, () => ask(port)))
  expect(new Set(ports).size).toBe(6)
  expect(ports.filter((one) => one >= range.first && one <= range.last)).toHaveLength(4)
})

test('a port on which another program listens is left out', async () => {
  const port = await started(createServer())
  for (let taken = range.first; taken < range.last; taken++) {
    const other = createTcpServer().listen(taken, '0.0.0.0')
    await once(other, 'listening')
    opened.push(other)
  }
  agents = ownAgents(range)
  expect(await ask(port)).toBe(range.last)
})

test('a server that is not there is reported at once, not tried from every port', async () => {
  const server = createTcpServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  agents = ownAgents(range)
  await expect(ask(port)).rejects.toMatchObject({ code: 'ECONNREFUSED' })
})

test('no more connections are open than allowed, and requests that wait fail with the one that they wait for', async () => {
  const server = createServer()
  const port = await started(server)
  server.removeAllListeners('request')
  let open = 0
  server.on('connection', () => open++)
  agents = ownAgents(range, { maxSockets: 2 })
  const asked = Array.from({ length: 5 }, () => ask(port))
  const failed = Promise.allSettled(asked)
  await once(server, 'request')
  await once(server, 'request')
  expect(open).toBe(2)
  server.close()
  server.closeAllConnections()
  const reasons = (await failed).map((one) => one.status === 'rejected' && one.reason.code)
  expect(reasons.slice(0, 2)).toEqual(['ECONNRESET', 'ECONNRESET'])
  expect(reasons.slice(2)).toEqual(Array(3).fill('ECONNREFUSED'))
})

test('of a name with several addresses, the one that answers is reached when ports are taken, after one lookup', async () => {
  const port = await started(createServer())
  let lookups = 0
  const addresses = [
    { address: '::1', family: 6 },
    { address: '127.0.0.1', family: 4 },
  ]
  const lookup: LookupFunction = (_name, _options, done) => {
    lookups++
    done(null, addresses)
  }
  agents = ownAgents(range, { lookup } as object)
  const ports = await Promise.all(Array.from({ length: 6 }, () => ask(port, { host: 'store.example' })))
  expect(new Set(ports).size).toBe(6)
  expect(lookups).toBe(6)
})

test('a connection that cannot be secured is an error of its request', async () => {
  const port = await started(createServer())
  agents = ownAgents(range, { minVersion: 'TLSv9' as 'TLSv1.3' })
  await expect(ask(port, {}, getTls)).rejects.toMatchObject({ code: 'ERR_TLS_INVALID_PROTOCOL_VERSION' })
})

test('a request that is aborted while it connects does not disturb the next one', async () => {
  const server = createServer()
  const port = await started(server)
  agents = ownAgents(range)
  const abort = new AbortController()
  const asked = ask(port, { signal: abort.signal })
  abort.abort()
  await expect(asked).rejects.toMatchObject({ name: 'AbortError' })
  expect(await ask(port)).toEqual(inRange)
})

test.skipIf(!hasOpenssl)('the server of https is verified by the name that was asked for', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-ports-'))
  opened.push({ close: () => rmSync(folder, { recursive: true }) })
  const [key, cert] = [join(folder, 'key'), join(folder, 'cert')]
  const subject = ['-subj', '/CN=store', '-addext', 'subjectAltName=DNS:store.example']
  const args = [
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '1',
  ]
  execFileSync('openssl', [...args, ...subject, '-keyout', key, '-out', cert], { stdio: 'ignore' })
  const server = createTlsServer({ key: readFileSync(key), cert: readFileSync(cert) })
  const port = await started(server as unknown as Server)
  agents = ownAgents(range, { ca: readFileSync(cert) })
  expect(await ask(port, { servername: 'store.example' }, getTls)).toEqual(inRange)
  await expect(ask(port, { servername: 'other.example' }, getTls)).rejects.toMatchObject({
    code: 'ERR_TLS_CERT_ALTNAME_INVALID',
  })
  agents.destroy()
  agents = ownAgents(range)
  await expect(ask(port, { servername: 'store.example' }, getTls)).rejects.toMatchObject({
    code: 'DEPTH_ZERO_SELF_SIGNED_CERT',
  })
})

test('without a range, connections have the ports of any client', async () => {
  const port = await started(createServer())
  agents = ownAgents(undefined)
  expect(await ask(port)).not.toEqual(inRange)
})

test('connections without the agent are not of the range', async () => {
  const port = await started(createServer())
  const socket = connect(port, '127.0.0.1')
  await once(socket, 'connect')
  expect(socket.localPort).not.toEqual(inRange)
  socket.destroy()
})
