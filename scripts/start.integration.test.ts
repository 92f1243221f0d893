import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'

const script = join(import.meta.dirname, 'start.mjs')
const data = mkdtempSync(join(tmpdir(), 'tapdeck-start-'))
let tapdeck: ChildProcess
let output = ''
let address: string

beforeAll(async () => {
  const port = await freePort()
  address = `http://127.0.0.1:${port}`
  const args = ['--interface', 'lo', '--set', 'tap.capture.dissection.enabled=false']
  tapdeck = spawn(process.execPath, [script, ...args], {
    env: { ...process.env, npm_lifecycle_event: '', TAPDECK_PORT: String(port), TAPDECK_DATA: data },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  for (const stream of [tapdeck.stdout, tapdeck.stderr])
    stream?.on('data', (chunk) => {
      output += chunk
    })
  const isReady = async () => {
    if (tapdeck.exitCode !== null) throw new Error(`it ended with status ${tapdeck.exitCode}: ${output}`)
    return fetch(`${address}/readyz`).then(
      ({ ok }) => ok,
      () => false,
    )
  }
  while (!(await isReady())) await new Promise((resolve) => setTimeout(resolve, 100))
})

afterAll(async () => {
  if (tapdeck.exitCode === null) {
    const ended = once(tapdeck, 'exit')
    tapdeck.kill()
    await ended
  }
  rmSync(data, { recursive: true })
})

async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const { port } = server.address() as AddressInfo
  server.close()
  await once(server, 'close')
  return port
}

const json = async (path: string, method = 'GET') => (await fetch(address + path, { method })).json()

test('npm start serves the dashboard and the API on one port', async () => {
  const page = await fetch(address)
  expect(page.headers.get('content-type')).toContain('text/html')
  expect(await json('/api/whoami')).toMatchObject({ role: 'svc-admin' })
})

test('the switch has the configured state and can be turned on and off', async () => {
  expect(await json('/mcp/dissection')).toEqual({ enabled: false })
  // Repeating it is a success, once a slow worker has applied it.
  for (const [word, enabled] of [
    ['enable', true],
    ['disable', false],
  ] as const)
    await expect.poll(() => json(`/mcp/dissection/${word}`, 'POST')).toEqual({ success: true, enabled })
})

test('it ends with status 0 when it is asked to', async () => {
  const ended = once(tapdeck, 'exit')
  tapdeck.kill()
  expect(await ended).toEqual([0, null])
})
