import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPath } from '@tapdeck/api'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { RenewedTokens } from '../cluster/renewed-tokens.ts'
import { Worker } from '../cluster/worker.ts'
import { FolderState } from '../state/folder-state.ts'
import { idleReport } from '../testing/fake-worker.ts'
import { startHub, type TestHub } from '../testing/start-hub.ts'
import { Access } from './access.ts'
import { ReviewedWorkers } from './reviewed-workers.ts'

const HOUR = 3_600_000
/** What the API server says of a token. `away`: 503. `silent`: no answer. */
type Says = 'worker' | 'other' | 'no' | 'away' | 'silent'

let folder: string
let server: Server
let says: Says

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-reviewed-'))
  writeFileSync(join(folder, 'token'), 'of-the-hub')
  says = 'worker'
  server = createServer((request, response) => {
    request.resume()
    if (says === 'silent') return
    if (says === 'away') return void response.writeHead(503).end()
    const account = says === 'worker' ? 'worker' : 'other'
    const user = {
      username: `system:serviceaccount:tapdeck:${account}`,
      extra: { 'authentication.kubernetes.io/node-name': ['n1'] },
    }
    const good = { authenticated: true, audiences: ['tapdeck'], user }
    response.writeHead(201, { 'content-type': 'application/json' })
    response.end(JSON.stringify({ status: says === 'no' ? { authenticated: false } : good }))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
})

afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const settings = (account = 'tapdeck:worker') => [
  `tap.auth.kubernetes.enabled=true,tap.auth.kubernetes.workers=${account}`,
  `tap.auth.kubernetes.apiServer=http://127.0.0.1:${(server.address() as AddressInfo).port}`,
  `tap.auth.kubernetes.tokenFile=${join(folder, 'token')},tap.auth.kubernetes.caFile=`,
]
const jwt = (claims: object) =>
  `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const file = () => join(folder, 'access', 'reviewed-workers.json')

/** A store of its own with a clock of its own, as after a restart of the hub. */
async function open(now: () => number, account?: string) {
  const { resolveConfig } = await import('@tapdeck/config')
  const sources = { files: [], set: settings(account), setString: [], env: {}, flags: {} }
  const { auth } = resolveConfig(sources).config.tap
  const log = pino({ level: 'silent' })
  const access = await Access.open({ auth, dataFolder: folder, log, now })
  const reviewed = await ReviewedWorkers.open({ access, state: new FolderState(folder), log, now })
  const close = async () => {
    await reviewed.close()
    await access.close()
  }
  return { reviewed, close }
}

test('a token that was reviewed is accepted while the API server is away, also by a hub that restarted; no other is', async () => {
  const start = Date.now()
  let now = start
  const token = jwt({ exp: Math.floor(start / 1000) + 7200 })
  const first = await open(() => now)
  expect(await first.reviewed.prove(token)).toEqual({ node: 'n1' })
  await first.close()
  expect(readFileSync(file(), 'utf8')).not.toContain(token)
  expect(statSync(file()).mode & 0o777).toBe(0o600)
  says = 'away'
  now += HOUR - 1
  const second = await open(() => now)
  expect(await second.reviewed.prove(token)).toEqual({ node: 'n1', fromMemory: true })
  await expect(second.reviewed.prove(jwt({ exp: 1e10 }))).rejects.toMatchObject({ status: 503 })
  // An hour after its last review it needs the cluster again.
  now += 1
  await expect(second.reviewed.prove(token)).rejects.toMatchObject({ status: 503 })
  await second.close()
})

test('a token is not accepted after its own end, without an end, or for another account', async () => {
  const start = Date.now()
  let now = start
  const short = jwt({ exp: Math.floor(start / 1000) + 60 })
  const endless = jwt({ sub: 'x' })
  const { reviewed, close } = await open(() => now)
  for (const token of [short, endless]) expect(await reviewed.prove(token)).toEqual({ node: 'n1' })
  await close()
  says = 'away'
  const renamed = await open(() => now, 'tapdeck:renamed')
  await expect(renamed.reviewed.prove(short)).rejects.toMatchObject({ status: 503 })
  await renamed.close()
  now += 60_000
  const later = await open(() => now)
  for (const token of [short, endless])
    await expect(later.reviewed.prove(token)).rejects.toMatchObject({ status: 503 })
  await later.close()
})

test.each<Says>(['no', 'other'])('a token of which the cluster says "%s" is forgotten', async (said) => {
  let now = Date.now()
  const token = jwt({ exp: 1e10 })
  const { reviewed, close } = await open(() => now)
  expect(await reviewed.prove(token)).toEqual({ node: 'n1' })
  says = said
  now += 120_000
  expect(await reviewed.prove(token)).toBeUndefined()
  says = 'away'
  now += 120_000
  await expect(reviewed.prove(token)).rejects.toMatchObject({ status: 503 })
  await close()
})

test('an API server that does not answer does not keep a known worker waiting, and a damaged file is as none', async () => {
  let now = Date.now()
  const token = jwt({ exp: 1e10 })
  const { reviewed, close } = await open(() => now)
  await reviewed.prove(token)
  says = 'silent'
  now += 120_000
  expect(await reviewed.prove(token)).toEqual({ node: 'n1', fromMemory: true })
  await close()
  for (const damaged of ['{', '[]', '{"a":{"node":1}}']) {
    writeFileSync(file(), damaged)
    says = 'away'
    const again = await open(() => now)
    await expect(again.reviewed.prove(token)).rejects.toMatchObject({ status: 503 })
    await again.close()
  }
})

/** A connected worker that answers with a credential, or that does not know the request. */
function connect(credential: string | undefined): Worker {
  const worker = new Worker(
    { kind: 'hello', node: 'n1', version: '1', report: idleReport },
    {
      send: (text) => {
        const { id } = JSON.parse(text) as { id: number }
        const unknown = { status: 400, code: 'unknown_request', detail: 'Unknown request', extensions: {} }
        queueMicrotask(() =>
          worker.settle(
            credential === undefined
              ? { kind: 'failure', id, ...unknown }
              : { kind: 'answer', id, result: { credential } },
          ),
        )
      },
      terminate: () => {},
    },
  )
  return worker
}

test('a renewed token is reviewed while its worker is connected; one that came without the cluster is disconnected if it says no', async () => {
  let now = Date.now()
  const { reviewed, close } = await open(() => now)
  const renewed = jwt({ exp: 1e10, renewed: true })
  const tokens = new RenewedTokens(reviewed, pino({ level: 'silent' }))
  const connected = connect(renewed)
  const fromMemory = connect(renewed)
  // Neither answers with a token; one came in by memory.
  const [old, mute] = [connect(undefined), connect(undefined)]
  for (const worker of [connected, old]) tokens.follow(worker, undefined)
  for (const worker of [fromMemory, mute]) tokens.follow(worker, jwt({ exp: 1e10 }))
  says = 'away'
  await tokens.review()
  expect(mute.gone).toBe(false)
  says = 'no'
  now += 120_000
  await tokens.review()
  expect([connected, fromMemory, old, mute].map(({ gone }) => gone)).toEqual([false, true, false, true])
  says = 'worker'
  now += 120_000
  await tokens.review()
  says = 'away'
  now += 120_000
  expect(await reviewed.prove(renewed)).toEqual({ node: 'n1', fromMemory: true })
  tokens.close()
  await close()
})

test('a worker comes back to the hub while the API server is away', async () => {
  const hub: TestHub = await startHub({ set: settings() })
  await hub.open()
  const join_ = async (token: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
      headers: { authorization: `Bearer ${token}` },
    })
    const refused = once(socket, 'unexpected-response').then(([, { statusCode }]) => statusCode)
    const opened = once(socket, 'open').then(() => 'open')
    const end = await Promise.race([refused, opened])
    if (end !== 'open') return end
    socket.send(JSON.stringify({ kind: 'hello', node: 'n1', version: '1', report: idleReport }))
    await vi.waitUntil(() => hub.services.workers.connected.length === 1)
    socket.terminate()
    await vi.waitUntil(() => hub.services.workers.connected.length === 0)
    return 'joined'
  }
  const token = jwt({ exp: 1e10 })
  expect(await join_(token)).toBe('joined')
  server.closeAllConnections()
  server.close()
  expect(await join_(token)).toBe('joined')
  expect(await join_(jwt({ exp: 1e10, other: true }))).toBe(503)
  await hub.stop()
})
