import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@tapdeck/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

const node = {
  name: 'n1',
  connected: true,
  version: '0.1.0',
  indexing: false,
  capture: { active: true, interfaces: ['eth0'] },
  recorder: { recording: false, reason: 'the recording cannot be opened (EEXIST)' },
  packets_captured: 12,
  packets_dissected: 0,
  calls: 0,
  loss: { disk_drops: 3 },
}
const deaf = { active: false, reason: 'CAP_NET_RAW is missing', interfaces: [] }
const others = [
  { ...node, name: 'n2', recorder: { recording: true } },
  { ...node, name: 'n3', capture: deaf, recorder: { recording: false, reason: deaf.reason } },
  { ...node, name: 'n4', connected: false },
]
const status = {
  version: '0.1.0',
  started_at: '2026-01-01T00:00:00.000Z',
  nodes: [node, ...others, { ...node, name: 'n5', connected: false }],
  missing_nodes: [
    { name: 'n5', reason: 'the node is not connected: its container does not run: ErrImagePull' },
    { name: 'n6', reason: 'no worker has connected' },
  ],
  excluded_nodes: [{ name: 'n7', reason: 'workers run only on nodes with the label os=linux' }],
  restart_needed: [{ key: 'hub.port', reason: 'the hub opens its port when it starts' }],
}
const indexing = {
  enabled: false,
  since: '2026-01-02T00:00:00.000Z',
  by: 'eve',
  reason: 'turned off',
  stop_after: '5m',
  idle_since: null,
  pauses_at: null,
  activity: { dashboards: 0, recordings: 0, agents: 0 },
}

let server: Server
let url: string

beforeEach(async () => {
  server = createServer((request, response) => {
    const answer = request.url === '/api/status' ? status : indexing
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.close()
})

test('the answers of this test have the shapes of the table', () => {
  expect(() => operations.get_status.output.parse(status)).not.toThrow()
})

test('status prints the switch, the nodes, and why something is off', async () => {
  const terminal = recordingTerminal({ isScreen: true, width: 100 })
  expect(await runCommand(commands, ['status', '--url', url], terminal, {})).toBe(0)
  expect(terminal.outText).toContain('off since 2026-01-02T00:00:00.000Z, by eve (turned off)')
  expect(terminal.outText).toMatch(/^n1 +yes +yes +NO +NO +12 +0 +3$/m)
  const faults = terminal.outText.split('\n').filter((line) => /^n\d: /.test(line))
  expect(faults).toEqual([
    'n1: does not record: the recording cannot be opened (EEXIST)',
    'n3: does not capture: CAP_NET_RAW is missing',
    'n4: the worker is not connected.',
    'n5: the node is not connected: its container does not run: ErrImagePull.',
    'n6: no worker has connected.',
    'n7: workers run only on nodes with the label os=linux.',
  ])
  expect(terminal.outText).toContain(
    'hub.port: changed, and needs a restart: the hub opens its port when it starts.',
  )
})

test('status --json prints everything, with the switch', async () => {
  const terminal = recordingTerminal({ isScreen: true })
  expect(await runCommand(commands, ['status', '--json', '--url', url], terminal, {})).toBe(0)
  expect(JSON.parse(terminal.outText)).toEqual({ ...status, switch: indexing })
})
