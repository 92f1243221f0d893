import { type ChildProcess, spawn } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { S3Server } from '@tapdeck/objects/testing'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { giveToken } from '../testing/give-token.ts'
import { captureFile, httpPackets } from '../testing/http-capture.ts'

const script = join(import.meta.dirname, '../../../../scripts/tapdeck.mjs')
const patience = { timeout: 240_000, interval: 100 }

let server: S3Server
let folder: string
/** What requests carry. */
let token: string
const started: ChildProcess[] = []
beforeEach(async () => {
  server = await S3Server.start()
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-two-hubs-'))
  ;({ token } = giveToken(join(folder, 'a'), 'svc-admin'))
  writeFileSync(join(folder, 'state.key'), 'ab'.repeat(32), { mode: 0o600 })
})
afterEach(async () => {
  for (const one of started) if (!hasEnded(one)) one.kill()
  for (const one of started) await vi.waitUntil(() => hasEnded(one), patience)
  started.length = 0
  await server.close()
  rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

const hasEnded = ({ exitCode, signalCode }: ChildProcess) => exitCode !== null || signalCode !== null

/** A hub with a data folder of its own; `address` is empty until it listens. */
function startHub(name: string, ...set: string[]) {
  const settings = [
    'tap.snapshots.storage=s3',
    'tap.snapshots.s3.bucket=tests',
    `tap.snapshots.s3.endpoint=${server.endpoint}`,
    'tap.snapshots.s3.pathStyle=true',
    'hub.state=s3',
    `hub.stateKeyFile=${folder}/state.key`,
    'hub.takeOverAfter=4s',
    'tap.auth.enabled=true',
    ...set,
  ].flatMap((one) => ['--set', one])
  const command = [script, 'hub', '--port', '0', '--data', join(folder, name), ...settings]
  const child = spawn(process.execPath, command, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...server.environment },
  })
  started.push(child)
  const hub = {
    child,
    output: '',
    address: '',
    /** To the hub itself: the command that started it follows. */
    signal(signal: NodeJS.Signals) {
      const { pid } = child
      const children = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')
      const part = children.find((one) => readFileSync(`/proc/${one}/cmdline`, 'utf8').includes('hub.mjs'))
      process.kill(Number(part), signal)
    },
  }
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      hub.output += chunk
      hub.address = /listens on (http:\S+)/.exec(hub.output)?.[1] ?? ''
    })
  return hub
}

type HubProcess = ReturnType<typeof startHub>

async function listening(hub: HubProcess): Promise<void> {
  await expect.poll(() => hub.address !== '' || hasEnded(hub.child), patience).toBe(true)
  expect(hub.address, hub.output).not.toBe('')
}

async function ask({ address }: HubProcess, method: string, path: string, body?: unknown) {
  const isRaw = body instanceof Uint8Array
  const type = isRaw ? 'application/octet-stream' : 'application/json'
  const response = await fetch(address + path, {
    method,
    headers: { authorization: `Bearer ${token}`, ...(body !== undefined && { 'content-type': type }) },
    ...(body !== undefined && { body: isRaw ? Buffer.from(body) : JSON.stringify(body) }),
  })
  return { status: response.status, json: await response.json() }
}

async function send(hub: HubProcess, method: string, path: string, body?: unknown) {
  const { status, json } = await ask(hub, method, path, body)
  expect(status, `${method} ${path}: ${JSON.stringify(json)}`).toBeLessThan(300)
  return json
}

/** The hub with the data folder that has a token. From now on, requests carry one that hubs share. */
async function startFirst(): Promise<HubProcess> {
  const hub = startHub('a')
  await listening(hub)
  token = (await send(hub, 'POST', '/api/tokens', { name: 'ops', role: 'svc-admin' })).token
  return hub
}

const paths = {
  agents: '/api/agents',
  tokens: '/api/tokens',
  recordings: '/api/recordings',
  filters: '/api/saved-filters',
  targets: '/api/targets',
  indexing: '/api/dissection',
  snapshot: '/mcp/snapshots/s1',
}

async function stateOf(hub: HubProcess) {
  const found = Object.entries(paths).map(async ([name, path]) => [name, await send(hub, 'GET', path)])
  return Object.fromEntries(await Promise.all(found))
}

const expected = {
  agents: { agents: [{ name: 'errors', kfl: 'response.status >= 500', enabled: true }] },
  tokens: { tokens: expect.arrayContaining([expect.objectContaining({ name: 'ops', role: 'svc-admin' })]) },
  recordings: { recordings: [{ name: 'night', status: 'running' }] },
  filters: { filters: [{ name: 'slow' }] },
  targets: { regex: '^web', source: 'caller' },
  indexing: { enabled: false, reason: 'request' },
  snapshot: { status: 'completed', location: 's3' },
}

test('a standby on another data folder has everything after the hub was killed, and gives it back', async () => {
  const first = await startFirst()
  const action = { kind: 'log' }
  await send(first, 'POST', '/api/agents', {
    name: 'errors',
    kfl: 'response.status >= 500',
    actions: [action],
  })
  await send(first, 'POST', '/api/recordings', { name: 'night' })
  await send(first, 'PUT', '/api/saved-filters/slow', { kfl: 'response.status >= 500' })
  await send(first, 'PUT', '/api/targets', { regex: '^web' })
  await send(first, 'POST', '/api/dissection/disable')
  await send(first, 'POST', '/api/snapshots/s1/import', captureFile(httpPackets({ requests: 5 })))
  await expect.poll(async () => (await send(first, 'GET', paths.snapshot)).location, patience).toBe('s3')
  expect(await stateOf(first)).toMatchObject(expected)

  const second = startHub('b', 'hub.standby=true')
  await expect.poll(() => second.output, patience).toContain('waiting for the state')
  first.signal('SIGKILL')
  await listening(second)
  expect(await stateOf(second)).toMatchObject(expected)

  // The one that returns is refused, or waits.
  const refused = startHub('a')
  await expect.poll(() => hasEnded(refused.child), patience).toBe(true)
  expect(refused.output).toMatch(/another hub uses the state in s3:.*hub.standby=true/)
  const returned = startHub('a', 'hub.standby=true')
  await expect.poll(() => returned.output, patience).toContain('waiting for the state')
  await send(second, 'DELETE', '/api/saved-filters/slow')
  await send(second, 'PUT', '/api/saved-filters/fast', { kfl: 'http' })
  second.child.kill('SIGTERM')
  await listening(returned)
  expect(await stateOf(returned)).toMatchObject({ ...expected, filters: { filters: [{ name: 'fast' }] } })
})

test('a hub that is frozen while another one takes over writes nothing afterwards, and ends', async () => {
  const first = await startFirst()
  await send(first, 'PUT', '/api/saved-filters/one', { kfl: 'http' })
  const second = startHub('b', 'hub.standby=true')
  await expect.poll(() => second.output, patience).toContain('waiting for the state')
  first.signal('SIGSTOP')
  await listening(second)
  await send(second, 'PUT', '/api/saved-filters/two', { kfl: 'dns' })
  const late = ask(first, 'PUT', '/api/saved-filters/late', { kfl: 'http' }).then(
    ({ status }) => status,
    () => 'ended',
  )
  first.signal('SIGCONT')
  expect([503, 'ended']).toContain(await late)
  await expect.poll(() => hasEnded(first.child), patience).toBe(true)
  expect(first.output).toContain('another hub has taken over the state; this one ends')
  const { filters } = await send(second, 'GET', '/api/saved-filters')
  expect(filters.map(({ name }: { name: string }) => name)).toEqual(['one', 'two'])
})

test('a hub waits at its start for a bucket that is away, and says later what it cannot read there', async () => {
  const away = () => ({ kind: 'answer', status: 503, code: 'ServiceUnavailable' }) as const
  server.fault = away
  const hub = startHub('a')
  await expect.poll(() => hub.output, patience).toMatch(/waiting for the state in s3:.*503/)
  server.fault = () => undefined
  await listening(hub)
  await send(hub, 'POST', '/api/snapshots/s1/import', captureFile(httpPackets({ requests: 5 })))
  await expect.poll(async () => (await send(hub, 'GET', paths.snapshot)).location, patience).toBe('s3')
  server.fault = away
  const { status, json } = await ask(hub, 'GET', '/api/snapshots/s1/pcap')
  expect([status, json.code]).toEqual([503, 'object_storage'])
})
