import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { WebSocketServer } from 'ws'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

const noon = Date.UTC(2026, 0, 2, 12)
const call = (id: string, more: object = {}) => ({
  id,
  ts: noon,
  src: { ip: '10.0.0.1', port: 4000, pod: 'checkout-0' },
  dst: { ip: '10.0.0.2', port: 80, svc: 'payments' },
  proto: 'http',
  method: 'GET',
  path: `/${id}`,
  status: 200,
  latency_ms: 1.5,
  ...more,
})

let page: object
let stream: readonly object[] = []
let server: Server
let url: string

beforeEach(async () => {
  page = { calls: [call('b'), call('a')], total: 2, total_is: 'exact', truncated: false, next_cursor: null }
  server = createServer((_, response) => {
    response.setHeader('content-type', 'application/json').end(JSON.stringify(page))
  }).listen(0, '127.0.0.1')
  const streams = new WebSocketServer({ server, path: '/api/stream' })
  streams.on('connection', (socket) => {
    for (const message of stream) socket.send(JSON.stringify(message))
    socket.close()
  })
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function run(args: readonly string[], screen: { isScreen?: boolean; width?: number } = {}) {
  const terminal = recordingTerminal(screen)
  const status = await runCommand(commands, ['calls', ...args, '--url', url], terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes.join('\n') }
}

test('the table of calls fits 80 columns, also with errors', async () => {
  page = {
    ...page,
    calls: [call('a'.repeat(90), { error: 'no_response', status: 'NXDOMAIN', proto: 'dns' })],
  }
  const { out } = await run(['--utc'], { isScreen: true, width: 80 })
  const lines = out.split('\n')
  expect(lines[0]).toMatch(/^2026-01-02 UTC +SOURCE +DESTINA… +PROTO +METHOD +PATH +STATUS +ERROR$/)
  for (const line of lines) expect(line.length).toBeLessThanOrEqual(80)
})

test('calls of a paused index come with a note on standard error, as JSON too', async () => {
  expect((await run([])).notes).toBe('')
  page = { ...page, indexing: { enabled: false, since: '2026-01-02T00:00:00.000Z' } }
  for (const screen of [{}, { isScreen: true }]) {
    const { out, notes } = await run([], screen)
    expect(out).toContain('checkout-0')
    expect(notes).toMatch(/^Traffic indexing is paused since 2026-01-02.*`tapdeck switch on`/)
  }
})

test('--follow prints the latest calls oldest first, then each new one once, and what was skipped', async () => {
  stream = [
    { kind: 'switch', state: { enabled: true } },
    { kind: 'calls', calls: [call('b'), call('c')], skipped: 0 },
    { kind: 'calls', calls: [call('d')], skipped: 3, from: 1_767_312_000_000, to: 1_767_312_001_500 },
  ]
  const { status, out, notes } = await run(['--follow'])
  const ids = out
    .split('\n')
    .filter(Boolean)
    .map((line) => (JSON.parse(line) as { id: string }).id)
  expect(ids).toEqual(['a', 'b', 'c', 'd'])
  expect(notes).toContain('3 calls from 2026-01-02T00:00:00.000Z to 2026-01-02T00:00:01.500Z were not shown')
  expect([status, notes]).toEqual([1, expect.stringContaining('the hub ended the stream')])
  const table = await run(['--follow'], { isScreen: true, width: 80 })
  expect(table.out.match(/check/g)).toHaveLength(4)
  for (const line of table.out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

test('--follow is for live calls', async () => {
  for (const [option, value] of [
    ['--db', 's/d'],
    ['--end', '1'],
    ['--order', 'oldest'],
  ] as const)
    expect(await run(['--follow', option, value])).toMatchObject({
      status: 2,
      notes: expect.stringContaining(`--follow and ${option}`),
    })
})
