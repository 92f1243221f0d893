import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { operations } from '@tapdeck/api'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { allCommands, commands } from './index.ts'

const requests: { readonly route: string; readonly body: unknown }[] = []
let answer: unknown = {}
let server: Server
let url: string

beforeEach(async () => {
  requests.length = 0
  server = createServer(async (request, response) => {
    let text = ''
    for await (const chunk of request) text += chunk
    requests.push({ route: `${request.method} ${request.url}`, body: JSON.parse(text || 'null') })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(answer))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
})
afterEach(() => {
  server.closeAllConnections()
  server.close()
})

async function run(args: readonly string[], screen: { isScreen?: boolean; width?: number } = {}) {
  const terminal = recordingTerminal(screen)
  const status = await runCommand(commands, [...args, '--url', url], terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes }
}

test('every operation of the hub has a command', async () => {
  const covered = new Set((await allCommands()).flatMap((one) => one.operations ?? []))
  expect(Object.keys(operations).filter((name) => !covered.has(name as keyof typeof operations))).toEqual([])
})

test('a command that declares an operation uses it', () => {
  // These answer by themselves what the hub would answer, or their folder asks it.
  const local = ['check_filter', 'list_kfl_fields', 'stream_packets']
  const folder = new URL('.', import.meta.url)
  for (const file of readdirSync(folder).filter((name) => !/test|operation-commands/.test(name))) {
    const source = readFileSync(new URL(file, folder), 'utf8')
    const declared = /\n {2}operations: \[(.*)\]/.exec(source)?.[1]?.match(/\w+/g) ?? []
    for (const name of declared.filter((one) => !local.includes(one)))
      expect(source.split(`'${name}'`).length, `${file}: ${name}`).toBeGreaterThan(2)
  }
})

test('words fill the path, options the query, and --since gives the begin of the window', async () => {
  const before = Date.now()
  expect((await run(['call', 'node/7/1', '--db', 'recording', '--since', '5m'])).status).toBe(0)
  const { pathname, searchParams } = new URL(requests[0]!.route.replace('GET ', 'http://hub'))
  expect([pathname, searchParams.get('db')]).toEqual(['/api/calls/node%2F7%2F1', 'recording'])
  expect(Number(searchParams.get('start'))).toBeGreaterThanOrEqual(before - 300_000)
  expect([...searchParams.keys()]).toEqual(['db', 'start'])
})

test.each([
  [['switch'], 'GET /api/dissection', null],
  [['switch', 'on'], 'POST /api/dissection/enable', {}],
  [['switch', 'off'], 'POST /api/dissection/disable', {}],
  [['boundaries'], 'GET /api/data-boundaries', null],
  [['whoami'], 'GET /api/whoami', null],
  [['recording', 'get', 'r'], 'GET /api/recordings/r', null],
  [['dissection', 'get', 's', 'd'], 'GET /api/dissections/s/d', null],
  [['kfl', 'complete', 'htt', '3', '--limit', '5'], 'GET /api/kfl/complete?kfl=htt&cursor=3&limit=5', null],
  [['workloads', '--type', 'pod'], 'GET /api/resolve/workloads?type=pod', null],
])('%j calls %s', async (args, route, body) => {
  expect((await run(args)).status).toBe(0)
  expect(requests).toEqual([{ route, body }])
})

test.each([
  [['call'], 'expected ID'],
  [['workloads', '--type', 'node'], '--type: expected pod, service, not "node"'],
  [['kfl', 'complete', 'htt', '3', '--limit', '0'], '--limit: expected a whole number'],
  [['flows', 'summary', '--since', 'soon'], '--since: expected a duration'],
])('%j is a usage error', async (args, message) => {
  const { status, notes } = await run(args)
  expect([status, requests.length]).toEqual([2, 0])
  expect(notes.join('\n')).toContain(message)
})

test('lists are tables that fit the terminal, single values are lines, and --json is the answer', async () => {
  answer = {
    cluster: { oldest_ts: 0, newest_ts: 86_400_000 },
    nodes: [
      {
        name: 'n1',
        oldest_ts: 0,
        size_bytes: 2048,
        packet_count: 7,
        dropped_packets: 0,
        drops: { kernel: 0 },
      },
      {
        name: 'n2',
        oldest_ts: null,
        size_bytes: 0,
        packet_count: 0,
        dropped_packets: 0,
        drops: { kernel: 1 },
      },
    ],
  }
  const { out } = await run(['boundaries', '--utc'], { isScreen: true, width: 80 })
  for (const line of out.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
  expect(out).toContain('cluster newest ts  1970-01-02T00:00:00.000Z')
  expect(out).toMatch(/^NAME +1970-01-01 UTC +SIZE BYTES +PACKET COUNT/m)
  expect(out).toMatch(/^n1 +00:00:00.000 +2\.0 KiB +7/m)
  expect(out).toMatch(/^n2 +- +0 B +0 +0 +1$/m)
  expect(JSON.parse((await run(['boundaries', '--json'], { isScreen: true })).out)).toEqual(answer)
})
