import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

let folder: string
let server: Server
let url: string
const asked: { readonly route: string; readonly body: unknown }[] = []

const agent = {
  name: 'a',
  status: 'active',
  kfl: '',
  matched: 0,
  lost: 0,
  last_match_at: null,
  restarts: 0,
  actions: [{ kind: 'log', done: 1, failed: 0, dropped: 0, waiting: 0 }],
}

let indexing = { enabled: true, since: '2026-01-02T00:00:00.000Z' }

beforeEach(async () => {
  indexing = { enabled: true, since: '2026-01-02T00:00:00.000Z' }
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-agent-'))
  asked.length = 0
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    asked.push({ route: `${request.method} ${request.url}`, body: JSON.parse(text || 'null') })
    const answer = request.url === '/api/dissection' ? indexing : agent
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
  rmSync(folder, { recursive: true, force: true })
})

async function run(...args: string[]) {
  const terminal = recordingTerminal()
  const status = await runCommand(commands, ['agent', 'create', ...args, '--url', url], terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes.join('\n') }
}

test('each option is an action; secrets and scripts come out of files', async () => {
  writeFileSync(join(folder, 'secret'), 'hush-hush\n')
  writeFileSync(join(folder, 'watch.js'), 'function onCall() {}')
  const hook = ['--webhook', 'http://hook/', '--secret-file', join(folder, 'secret')]
  const counted = ['--counter', 'errors', '--label', 'dst.svc', '--label', 'status']
  const rest = ['--log', 'warn', '--script', join(folder, 'watch.js'), '--disabled', '--format', 'table']
  const { status, out } = await run('a', '--kfl', 'http', ...hook, ...counted, ...rest)
  expect(status).toBe(0)
  expect(out).toContain('1 done, 0 failed')
  expect(asked).toEqual([
    {
      route: 'POST /api/agents',
      body: {
        name: 'a',
        kfl: 'http',
        enabled: false,
        actions: [
          { kind: 'webhook', url: 'http://hook/', secret: 'hush-hush' },
          { kind: 'metric', type: 'counter', name: 'errors', labels: ['dst.svc', 'status'] },
          { kind: 'log', level: 'warn' },
          { kind: 'script', source: 'function onCall() {}' },
        ],
      },
    },
  ])
})

test('an agent without an action, and a file that is not there, are usage errors', async () => {
  expect(await run('a')).toMatchObject({ status: 2, notes: expect.stringContaining('--webhook') })
  expect(await run('a', '--script', join(folder, 'none.js'))).toMatchObject({
    status: 2,
    notes: expect.stringContaining('cannot be read'),
  })
  expect(asked).toEqual([])
})

test('an agent that sees no calls because indexing is paused says so, and how to resume it', async () => {
  expect((await run('a', '--log', 'info')).notes).toBe('')
  indexing = { ...indexing, enabled: false }
  const { status, notes } = await run('a', '--log', 'info')
  expect(status).toBe(0)
  expect(notes).toMatch(/paused since 2026-01-02T00:00:00.000Z.*`tapdeck switch on`/)
  asked.length = 0
  expect((await run('a', '--log', 'info', '--disabled')).notes).toBe('')
})
