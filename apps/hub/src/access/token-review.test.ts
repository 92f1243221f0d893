import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPath } from '@tapdeck/api'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { idleReport } from '../testing/fake-worker.ts'
import { selfSigned } from '../testing/self-signed.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

interface Review {
  readonly spec: { readonly token: string; readonly audiences: readonly string[] }
}

let folder: string
let server: Server
let hub: TestHub
let asked: Review[]
let status: unknown
let answerStatus: number

/** An API server that speaks TokenReview, over TLS with a certificate of its own. */
beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-review-'))
  asked = []
  answerStatus = 201
  const { cert, key } = selfSigned(folder, 'api-server')
  server = createServer({ cert: readFileSync(cert), key: readFileSync(key) }, async (request, response) => {
    let text = ''
    for await (const piece of request) text += piece
    const mine = request.headers.authorization === 'Bearer of-the-hub'
    const found = request.method === 'POST' && request.url === '/apis/authentication.k8s.io/v1/tokenreviews'
    if (!mine || !found) return response.writeHead(mine ? 404 : 401).end('{}')
    asked.push(JSON.parse(text))
    response.writeHead(answerStatus, { 'content-type': 'application/json' })
    return response.end(
      JSON.stringify({ kind: 'TokenReview', apiVersion: 'authentication.k8s.io/v1', status }),
    )
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  writeFileSync(join(folder, 'token'), 'of-the-hub\n')
  hub = await startHub({ set: settings(cert) })
})
afterEach(async () => {
  await hub.stop()
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

const settings = (ca: string) => [
  'tap.auth.enabled=true,tap.auth.kubernetes.enabled=true',
  `tap.auth.kubernetes.apiServer=https://127.0.0.1:${(server.address() as AddressInfo).port}`,
  `tap.auth.kubernetes.caFile=${ca},tap.auth.kubernetes.tokenFile=${join(folder, 'token')}`,
  'tap.auth.kubernetes.workers=tapdeck:tapdeck-worker',
  'tap.auth.groupMapping.system:serviceaccounts:ci=svc-snapshot',
  'tap.auth.groupMapping.system:serviceaccount:ci:admin=svc-admin',
]
const jwt = (claims: object) =>
  `${Buffer.from('{"alg":"RS256"}').toString('base64url')}.${Buffer.from(JSON.stringify(claims)).toString('base64url')}.c2ln`
const good = (username: string, groups: string[] = [], extra = {}) => ({
  authenticated: true,
  audiences: ['tapdeck'],
  user: { username, groups, extra },
})
const ask = (token: string) => hub.get('/api/whoami', { authorization: `Bearer ${token}` })

it('knows a service account by the word of the cluster, and its groups by the mapping', async () => {
  status = good('system:serviceaccount:ci:runner', ['system:serviceaccounts', 'system:serviceaccounts:ci'])
  const token = jwt({ iss: 'https://kubernetes.default.svc', sub: 'x' })
  expect((await ask(token)).json).toMatchObject({
    name: 'system:serviceaccount:ci:runner',
    role: 'svc-snapshot',
    auth: { kind: 'kubernetes' },
  })
  expect(asked[0]).toMatchObject({ spec: { token, audiences: ['tapdeck'] } })
  await ask(token)
  expect(asked).toHaveLength(1)
  status = good('system:serviceaccount:ci:admin', ['system:serviceaccounts:ci'])
  expect((await ask(jwt({ other: 1 }))).json.role).toBe('svc-admin')
  status = good('system:serviceaccount:else:where', ['system:serviceaccounts'])
  expect((await ask(jwt({ other: 2 }))).json.code).toBe('no_role')
})

it('refuses what the cluster does not know, or knows for something else', async () => {
  for (const [at, refused] of [
    { authenticated: false, error: 'token expired' },
    {},
    { ...good('system:serviceaccount:ci:admin'), audiences: ['https://kubernetes.default.svc'] },
    { ...good('system:serviceaccount:ci:admin'), audiences: undefined },
    { authenticated: true, audiences: ['tapdeck'] },
  ].entries()) {
    status = refused
    expect((await ask(jwt({ at }))).status, JSON.stringify(refused)).toBe(401)
  }
})

it('says 503 where the cluster cannot be asked', async () => {
  answerStatus = 403
  expect((await ask(jwt({ a: 1 }))).json).toMatchObject({ status: 503, code: 'identity_unavailable' })
  answerStatus = 201
  status = 'nonsense'
  expect((await ask(jwt({ a: 2 }))).json).toMatchObject({ status: 503 })
  server.closeAllConnections()
  server.close()
  expect((await ask(jwt({ a: 3 }))).json).toMatchObject({ status: 503 })
})

it('trusts no API server with another certificate', async () => {
  await hub.stop()
  hub = await startHub({ set: settings(selfSigned(folder, 'other').cert) })
  status = good('system:serviceaccount:ci:admin')
  expect((await ask(jwt({}))).status).toBe(503)
  expect(asked).toEqual([])
})

it('lets a worker in by its service account, for the node of its pod and no other', async () => {
  await hub.open()
  const node = { 'authentication.kubernetes.io/node-name': ['node-7'] }
  const join_ = async (claims: object, said: string) => {
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}${linkPath}`, {
      headers: { authorization: `Bearer ${jwt(claims)}` },
    })
    const refused = once(socket, 'unexpected-response').then(([, response]) => response.statusCode)
    const opened = once(socket, 'open').then(() => 'open')
    const first = await Promise.race([refused, opened])
    if (first !== 'open') return first
    socket.send(JSON.stringify({ kind: 'hello', node: said, version: '1', report: idleReport }))
    const closed = once(socket, 'close').then(([code]) => code)
    const joined = until(
      () => hub.services.workers.connected.some((worker) => worker.node === said),
      (there) => there,
    ).then(() => 'joined')
    const end = await Promise.race([closed, joined])
    socket.terminate()
    return end
  }
  status = good('system:serviceaccount:ci:admin', [], node)
  expect(await join_({ w: 1 }, 'node-7')).toBe(401)
  status = good('system:serviceaccount:tapdeck:tapdeck-worker')
  expect(await join_({ w: 2 }, 'node-7')).toBe(401)
  status = good('system:serviceaccount:tapdeck:tapdeck-worker', [], node)
  expect(await join_({ w: 3 }, 'node-8')).toBe(1008)
  expect(await join_({ w: 3 }, 'node-7')).toBe('joined')
  // And it opens nothing else: it has no role.
  expect((await ask(jwt({ w: 3 }))).json.code).toBe('no_role')
})
