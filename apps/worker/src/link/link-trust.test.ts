import { execFileSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveConfig } from '@tapdeck/config'
import { afterAll, afterEach, expect, test } from 'vitest'
import { WebSocket, WebSocketServer } from 'ws'
import { linkTrust } from './link-trust.ts'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-trust-'))
let server: Server
afterEach(() => server?.close())
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const openssl = (...args: string[]) => execFileSync('openssl', args, { stdio: 'ignore' })
const hasOpenssl = (() => {
  try {
    openssl('version')
    return true
  } catch {
    return false
  }
})()

function certificate(name: string, host: string): { cert: string; key: string } {
  const [cert, key] = [join(folder, `${name}.pem`), join(folder, `${name}.key`)]
  const subject = ['-subj', `/CN=${host}`, '-addext', `subjectAltName=DNS:${host}`]
  openssl(
    'req',
    '-x509',
    '-newkey',
    'ec',
    '-pkeyopt',
    'ec_paramgen_curve:P-256',
    '-nodes',
    '-days',
    '2',
    ...subject,
    '-keyout',
    key,
    '-out',
    cert,
  )
  return { cert, key }
}

async function serve({ cert, key }: { cert: string; key: string }): Promise<number> {
  server = createServer({ cert: readFileSync(cert), key: readFileSync(key) })
  const sockets = new WebSocketServer({ server })
  sockets.on('connection', (socket) => socket.close(1000))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return (server.address() as AddressInfo).port
}

async function connects(port: number, set: readonly string[]): Promise<boolean> {
  const { config } = resolveConfig({ files: [], env: {}, set })
  const socket = new WebSocket(`wss://127.0.0.1:${port}`, linkTrust(config)?.() ?? {})
  return new Promise((resolve) => {
    socket.on('open', () => resolve(true))
    socket.on('error', () => resolve(false))
  })
}

test.runIf(hasOpenssl)(
  'the worker beside a hub takes its certificate and no other, whatever its names',
  async () => {
    const own = certificate('own', 'hub.example')
    const other = certificate('other', '127.0.0.1')
    const set = [`tap.tls.cert=${own.cert}`, `tap.tls.key=${own.key}`]
    expect(await connects(await serve(own), set)).toBe(true)
    server.close()
    expect(await connects(await serve(other), set)).toBe(false)
  },
)

test.runIf(hasOpenssl)('elsewhere only the pinned authority counts, and the name must fit', async () => {
  const local = certificate('local', 'localhost')
  const url = 'hub.url=https://hub.example'
  const port = await serve(local)
  expect(await connects(port, [url])).toBe(false)
  const { config } = resolveConfig({ files: [], env: {}, set: [url, `tap.tls.ca=${local.cert}`] })
  const open = (host: string) =>
    new Promise((resolve) => {
      const socket = new WebSocket(`wss://${host}:${port}`, linkTrust(config)?.() ?? {})
      socket.on('open', () => resolve('open'))
      socket.on('error', (error) => resolve(error.message))
    })
  expect(await open('localhost')).toBe('open')
  expect(await open('127.0.0.1')).toMatch(/does not match/)
})

test.runIf(hasOpenssl)(
  'while the hub replaces its authority, the old and the new one are trusted',
  async () => {
    const [before, after] = [certificate('before', 'localhost'), certificate('after', 'localhost')]
    const both = join(folder, 'both.pem')
    const { config } = resolveConfig({ files: [], env: {}, set: [`tap.tls.ca=${both}`] })
    const opens = (port: number) =>
      new Promise((resolve) => {
        const socket = new WebSocket(`wss://localhost:${port}`, linkTrust(config)?.() ?? {})
        socket.on('open', () => resolve(true))
        socket.on('error', () => resolve(false))
      })
    const trust = (...files: readonly string[]) =>
      writeFileSync(both, files.map((file) => readFileSync(file, 'utf8')).join(''))
    for (const shown of [before, after]) {
      const port = await serve(shown)
      trust(after.cert, before.cert)
      expect(await opens(port)).toBe(true)
      // Read again at each connection.
      trust(shown === before ? after.cert : before.cert)
      expect(await opens(port)).toBe(false)
      server.close()
    }
  },
)

test('a file without certificates is an error, not the authorities of the system', () => {
  const file = join(folder, 'empty.pem')
  writeFileSync(file, '')
  const { config } = resolveConfig({ files: [], env: {}, set: [`tap.tls.ca=${file}`] })
  expect(() => linkTrust(config)?.()).toThrow('has no certificate')
})
