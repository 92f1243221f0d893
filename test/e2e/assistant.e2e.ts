import { execFileSync } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { RunningTapdeck } from './running-tapdeck.ts'

/** A real MCP client over standard input and output, as an assistant's program starts it. */

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
let tapdeck: RunningTapdeck
let assistant: Client

beforeAll(async () => {
  tapdeck = await RunningTapdeck.start(['tap.capture.dissection.stopAfter=0'])
  assistant = new Client({ name: 'an-assistant', version: '1' })
  const args = [command, 'mcp', '--url', tapdeck.url]
  await assistant.connect(new StdioClientTransport({ command: process.execPath, args }))
})

afterAll(async () => {
  await assistant?.close()
  await tapdeck?.stop()
})

async function ask(name: string, input: Record<string, unknown> = {}): Promise<Record<string, unknown>> {
  const { isError, content } = await assistant.callTool({ name, arguments: input })
  expect(isError, JSON.stringify(content)).toBeFalsy()
  const [{ text } = { text: '{}' }] = content as { text: string }[]
  const { untrusted, untrusted_end, ...answer } = JSON.parse(text)
  expect(untrusted).toContain(untrusted_end)
  return answer
}

test('an assistant turns indexing off and on, and sees it', async () => {
  await assistant.listTools()
  expect(await ask('disable_dissection')).toEqual({ success: true, enabled: false })
  expect(await ask('get_dissection_status')).toEqual({ enabled: false })
  expect(await ask('enable_dissection')).toEqual({ success: true, enabled: true })
})

test('an assistant goes from boundaries to the calls of a snapshot', async () => {
  const snapshot = await ask('create_snapshot', { name: 'seen-by-assistant', duration: '5m' })
  expect(snapshot).toMatchObject({ success: true, name: 'seen-by-assistant' })
  await until(async () => (await ask('get_snapshot', { name: 'seen-by-assistant' })).status === 'completed')
  const job = { snapshot_name: 'seen-by-assistant', dissection_name: 'all' }
  await ask('start_snapshot_dissection', job)
  await until(async () => (await ask('get_snapshot_dissection_status', job)).status === 'completed')
  const page = await ask('list_api_calls', { db: 'seen-by-assistant/all', limit: 5 })
  expect(page).toHaveProperty('total')
})

test('a hub that was restarted is found again without a word to the assistant', async () => {
  const [hub] = execFileSync('pgrep', ['-P', String(tapdeck.pid), '-f', 'hub'], { encoding: 'utf8' }).split(
    '\n',
  )
  process.kill(Number(hub), 'SIGKILL')
  await until(async () => {
    try {
      return (await fetch(`${tapdeck.url}/readyz`)).ok
    } catch {
      return false
    }
  })
  expect(await ask('get_dissection_status')).toHaveProperty('enabled')
})

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 240; attempt++) {
    if (await holds()) return
    await sleep(250)
  }
  throw new Error('it did not come to that')
}
