import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { linkPath, streamPath } from '@tapdeck/api'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'

/** What the audit log of a hub that listens says of those who come, and from where. */
let hub: TestHub
let folder: string
let admin: Record<string, string>
let viewer: Record<string, string>
let base: string

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-audit-lines-'))
  hub = await startHub({ folder, set: ['tap.auth.enabled=true'] })
  base = `http://127.0.0.1:${await hub.open()}`
  admin = giveToken(folder, 'svc-admin', { name: 'ada' }).headers
  viewer = giveToken(folder, 'svc-viewer', { name: 'vera' }).headers
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function lines(): Record<string, unknown>[] {
  const text = readFileSync(join(folder, 'audit/audit.jsonl'), 'utf8')
  return text
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
}

const local = { from: expect.stringContaining('127.0.0.1') }
const finds = async (wanted: object) => {
  const isThere = (all: unknown[]) => {
    try {
      expect(all).toContainEqual(expect.objectContaining({ ...local, ...wanted }))
      return true
    } catch {
      return false
    }
  }
  await until(() => {
    try {
      return lines()
    } catch {
      return []
    }
  }, isThere)
}

async function refusedUpgrade(path: string, headers: Record<string, string>): Promise<number> {
  const socket = new WebSocket(`${base.replace('http', 'ws')}${path}`, { headers })
  const [, response] = await once(socket, 'unexpected-response')
  response.resume()
  return response.statusCode
}

it('a request without a credential, or with a bad one, has a line', async () => {
  await fetch(`${base}/api/calls`)
  await finds({ what: 'list_api_calls', status: 401, who: '', door: 'api' })
  await fetch(`${base}/mcp/snapshots`, { headers: { authorization: 'Bearer guess' } })
  await finds({ what: 'list_snapshots', status: 401, door: 'mcp' })
  await fetch(`${base}/mcp`)
  await finds({ what: '/mcp', status: 401, door: 'mcp' })
})

it('a line has the status that the caller got', async () => {
  const create = (kfl: string) =>
    fetch(`${base}/api/agents`, {
      method: 'POST',
      headers: { ...admin, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'twice', kfl, actions: [{ kind: 'log' }] }),
    })
  expect((await create('http')).status).toBe(201)
  expect((await create('http')).status).toBe(409)
  await finds({ what: 'create_agent', status: 409, who: 'ada' })
  expect((await create('response.status ==')).status).toBe(400)
  await finds({ what: 'create_agent', status: 400 })
})

it('a failed login has a line', async () => {
  const response = await fetch(`${base}/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', origin: base },
    body: JSON.stringify({ token: 'tpd_guess' }),
  })
  expect(response.status).toBe(401)
  await finds({ what: 'log_in', status: 401, door: 'browser' })
})

it('/metrics has a line for who read it, and for who may not', async () => {
  expect((await fetch(`${base}/metrics`, { headers: admin })).status).toBe(200)
  await finds({ what: '/metrics', status: 200, who: 'ada', role: 'svc-admin' })
  expect((await fetch(`${base}/metrics`)).status).toBe(401)
  await finds({ what: '/metrics', status: 401 })
})

it('a tool call has the address that the assistant came from', async () => {
  const call = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'list_snapshots', arguments: {} },
  }
  const headers = {
    ...admin,
    'content-type': 'application/json',
    accept: 'application/json, text/event-stream',
  }
  const response = await fetch(`${base}/mcp`, { method: 'POST', headers, body: JSON.stringify(call) })
  expect(response.status).toBe(200)
  await finds({ what: 'list_snapshots', status: 200, who: 'ada', door: 'mcp' })
  await fetch(`${base}/mcp`, { headers: viewer })
  await finds({ what: '/mcp', status: 403, who: 'vera' })
})

it('a filter of a stream has the address, and a refused stream or link a line', async () => {
  const stream = new WebSocket(`${base.replace('http', 'ws')}${streamPath}?kfl=http`, { headers: viewer })
  await finds({ what: 'stream_filter', who: 'vera', input: { kfl: 'http' } })
  stream.terminate()
  expect(await refusedUpgrade(streamPath, {})).toBe(401)
  await finds({ what: 'open_stream', status: 401 })
  expect(await refusedUpgrade(streamPath, { ...admin, origin: 'http://evil.example' })).toBe(403)
  await finds({ what: 'open_stream', status: 403, who: 'ada' })
  expect(await refusedUpgrade(linkPath, admin)).toBe(401)
  await finds({ what: 'worker_link', status: 401 })
})

it('a flood of failures is a few lines, and one that says how many were left out', async () => {
  const before = lines().filter(({ status }) => status === 401).length
  for (let at = 0; at < 300; at++) await hub.get('/api/calls', { authorization: 'Bearer guess' })
  await hub.stop()
  const written = lines()
  const ofFlood = written.filter(({ from, status }) => from === '' && status === 401)
  const [summary] = ofFlood.filter(({ what }) => what === 'refused')
  expect(before).toBeGreaterThan(5)
  expect(ofFlood.length - 1).toBeLessThanOrEqual(20)
  expect(ofFlood.length - 1 + Number(summary?.left_out)).toBe(300)
})
