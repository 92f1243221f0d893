import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, lstatSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
const root = mkdtempSync(join(tmpdir(), 'tapdeck-private-'))
const data = join(root, 'data')
const port = randomInt(10_000, 32_000)
const url = `http://127.0.0.1:${port}`
const patient = { timeout: 90_000, interval: 100 }
const running: ChildProcess[] = []
afterAll(async () => {
  for (const child of running) await stop(child)
  rmSync(root, { recursive: true, force: true })
})

/** With the most generous umask that there is. */
async function start(): Promise<ChildProcess> {
  const args = ['up', '--port', String(port), '--data', data, '--interface', 'lo']
  const shell = ['-c', 'umask 000; exec "$@"', 'sh', process.execPath, command, ...args]
  const child = spawn('sh', shell, { stdio: 'ignore' })
  running.push(child)
  const isReady = () =>
    fetch(`${url}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  await expect.poll(isReady, patient).toBe(true)
  return child
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGTERM')
  await gone
}

async function send(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
  const response = await fetch(url + path, {
    method,
    ...(body !== undefined && {
      body: JSON.stringify(body),
      headers: { 'content-type': 'application/json' },
    }),
  })
  expect([path, response.ok]).toEqual([path, true])
  return (await response.json()) as Record<string, unknown>
}

function all(path: string): string[] {
  const inner = lstatSync(path).isDirectory()
    ? readdirSync(path).flatMap((name) => all(join(path, name)))
    : []
  return [path, ...inner]
}

function modeOf(path: string): number {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  return stats && !stats.isSymbolicLink() ? stats.mode & 0o7777 : 0
}

const open = () =>
  all(data)
    .filter((path) => (modeOf(path) & 0o077) !== 0)
    .map((path) => `${path} ${modeOf(path).toString(8)}`)

test.skipIf(process.getuid?.() !== 0)(
  'after real use, other users can read nothing, whatever the umask',
  async () => {
    const first = await start()
    await send('POST', '/api/dissection/enable')
    await send('POST', '/api/recordings', { name: 'kept' })
    await send('POST', '/api/agents', { name: 'watch', actions: [{ kind: 'log' }] })
    await send('PUT', '/api/inventory', {
      pods: [{ name: 'p', namespace: 'n', ips: ['10.0.0.1'] }],
      services: [],
    })
    execFileSync(process.execPath, [command, 'token', 'create', '--role', 'svc-viewer', '--data', data])
    const shop = createServer((_request, response) => response.end('ok')).listen(0, '127.0.0.1')
    await once(shop, 'listening')
    const shopUrl = `http://127.0.0.1:${(shop.address() as AddressInfo).port}/`
    await expect
      .poll(async () => {
        await (await fetch(shopUrl)).text()
        const answer = await send('GET', '/mcp/calls?limit=1&kfl=http')
        return (answer.calls as unknown[]).length
      }, patient)
      .toBe(1)
    shop.close()
    await send('POST', '/api/snapshots', { name: 'shot', duration: '5m' })
    await expect
      .poll(async () => (await send('GET', '/api/snapshots/shot')).status, patient)
      .toBe('completed')
    await send('POST', '/api/dissections', { snapshot_name: 'shot', dissection_name: 'view' })
    await expect
      .poll(async () => (await send('GET', '/api/dissections/shot/view')).status, patient)
      .toBe('completed')
    await send('POST', '/api/recordings/kept/stop')
    expect(open()).toEqual([])
    for (const name of [
      'live',
      'recording',
      'os-events',
      'snapshots',
      'recordings',
      'agents.json',
      'inventory.json',
    ])
      expect(readdirSync(data)).toContain(name)
    await stop(first)
    expect(open()).toEqual([])

    for (const path of all(data)) chmodSync(path, lstatSync(path).isDirectory() ? 0o755 : 0o644)
    const second = await start()
    await expect.poll(open, patient).toEqual([])
    await stop(second)
  },
)
