import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, expect, test } from 'vitest'
import { listOf } from '../command-list.ts'
import { clientNames } from '../mcp/client-entry.ts'
import { launchCommand } from '../mcp/launch-command.ts'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { mcp } from './mcp.ts'

const folder = realpathSync(mkdtempSync(join(tmpdir(), 'tapdeck-launch-')))
afterAll(() => rmSync(folder, { recursive: true }))

test('a checkout is started by its script, an image by its bundle, both by absolute paths', () => {
  mkdirSync(join(folder, 'dist'))
  mkdirSync(join(folder, 'scripts'))
  const base = pathToFileURL(join(folder, 'dist', 'tapdeck-0A1B2C3D.mjs')).href
  writeFileSync(join(folder, 'dist', 'tapdeck.mjs'), '')
  expect(launchCommand(base)).toEqual({
    command: process.execPath,
    args: [join(folder, 'dist', 'tapdeck.mjs')],
  })
  writeFileSync(join(folder, 'scripts', 'tapdeck.mjs'), '')
  expect(launchCommand(base).args).toEqual([join(folder, 'scripts', 'tapdeck.mjs')])
})

async function config(args: readonly string[], env: Record<string, string> = {}) {
  const terminal = recordingTerminal()
  expect(await runCommand(listOf([mcp]), ['mcp', '--config', ...args], terminal, env)).toBe(0)
  return { entry: JSON.parse(terminal.outText).mcpServers.tapdeck, notes: terminal.notes.join('\n') }
}

test('the entry never names npx, and refers to the token by its file', async () => {
  const token = join(folder, 'token')
  writeFileSync(token, 'secret-token\n')
  const plain = await config(['--url', 'http://hub:1'])
  expect(plain.entry.command).toBe(process.execPath)
  expect(plain.entry.args.slice(1)).toEqual(['mcp', '--url', 'http://hub:1'])
  expect([plain.entry.env, plain.notes]).toEqual([undefined, ''])
  for (const { entry } of [
    await config(['--token-file', token]),
    await config([], { TAPDECK_TOKEN_FILE: token }),
  ])
    expect(entry.env).toEqual({ TAPDECK_TOKEN_FILE: token })
  const { entry, notes } = await config([], { TAPDECK_TOKEN: 'secret-token' })
  expect(JSON.stringify(entry)).not.toContain('secret-token')
  expect(notes).toContain('TAPDECK_TOKEN_FILE')
})

test.each(clientNames)('the entry for %s names the command, and where it belongs', async (client) => {
  const terminal = recordingTerminal()
  const args = ['mcp', '--config', '--client', client, '--url', 'http://hub:1', '--structured']
  expect(await runCommand(listOf([mcp]), args, terminal, {})).toBe(0)
  expect(terminal.outText).toContain(JSON.stringify(process.execPath))
  expect(terminal.outText).toContain('"--structured"')
  expect(terminal.notes.join()).toContain('Add this to ')
  if (client !== 'codex') expect(Object.values(JSON.parse(terminal.outText))[0]).toHaveProperty('tapdeck')
})

test('a client without --config is a usage error', async () => {
  const terminal = recordingTerminal()
  expect(await runCommand(listOf([mcp]), ['mcp', '--client', 'zed'], terminal, {})).toBe(2)
  expect(terminal.notes.join()).toContain('--config')
})
