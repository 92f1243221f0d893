import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { runCommand } from '../run-command.ts'
import { recordingTerminal } from '../testing/recording-terminal.ts'
import { commands } from './index.ts'

let data: string
beforeEach(() => {
  data = mkdtempSync(join(tmpdir(), 'tapdeck-tokens-'))
})
afterEach(() => rmSync(data, { recursive: true, force: true }))

async function run(...args: string[]) {
  const terminal = recordingTerminal()
  const status = await runCommand(commands, ['token', ...args, '--data', data], terminal, {})
  return { status, out: terminal.outText, notes: terminal.notes.join('\n') }
}

test('a token is shown once, and only its hash is kept, for the owner alone', async () => {
  const { status, out, notes } = await run('create', '--role', 'svc-viewer', '--name', 'ci')
  expect(status).toBe(0)
  const token = out.trim()
  expect(token).toMatch(/^tpd_[\w-]{43}$/)
  expect(notes).toContain('not shown again')
  const folder = join(data, 'access/tokens')
  const [file] = readdirSync(folder)
  const text = readFileSync(join(folder, file!), 'utf8')
  expect(text).not.toContain(token.slice(4))
  expect(statSync(join(folder, file!)).mode & 0o777).toBe(0o600)
  expect(statSync(folder).mode & 0o777).toBe(0o700)
  const { tokens } = JSON.parse((await run('list', '--json')).out)
  expect(tokens).toMatchObject([{ name: 'ci', role: 'svc-viewer', last_used_at: null, expired: false }])
  expect(JSON.stringify(tokens)).not.toContain('digest')
})

test('a token is revoked by its id, or by its name where only one has it', async () => {
  await run('create', '--role', 'svc-viewer', '--name', 'twin')
  await run('create', '--role', 'svc-viewer', '--name', 'twin')
  const ambiguous = await run('revoke', 'twin')
  expect([ambiguous.status, ambiguous.notes]).toEqual([
    1,
    expect.stringContaining('2 tokens are called "twin"'),
  ])
  const { tokens } = JSON.parse((await run('list', '--json')).out)
  expect((await run('revoke', tokens[0].id)).status).toBe(0)
  expect((await run('revoke', 'twin')).status).toBe(0)
  expect((await run('revoke', 'twin')).status).toBe(1)
  expect(JSON.parse((await run('list', '--json')).out)).toEqual({ tokens: [] })
})

test.each([
  [['create'], 'expected --role ROLE'],
  [['create', '--role', 'svc-king'], 'there is no role "svc-king"; there are svc-admin'],
  [['create', '--role', 'svc-viewer', '--expires', 'soon'], 'expected a duration'],
  [['create', '--role', 'svc-viewer', '--expires', '0s'], 'expected a duration'],
  [['create', '--role', 'svc-viewer', '--name', ''], 'expected 1 to 120 characters'],
])('%j is refused', async (args, message) => {
  const { status, notes } = await run(...args)
  expect([status, notes]).toEqual([2, expect.stringContaining(message)])
})

test('roles of the configuration can be given, and never is an expiry', async () => {
  const set = [
    '--set',
    'tap.auth.roles.team.capabilities={dissection:live},tap.auth.roles.team.namespaces={shop}',
  ]
  const { status, out } = await run('create', '--role', 'team', '--expires', 'never', '--json', ...set)
  expect(status).toBe(0)
  expect(JSON.parse(out)).toMatchObject({
    role: 'team',
    name: 'team',
    expires_at: null,
    token: expect.stringMatching(/^tpd_/),
  })
})

test('the credential of a worker needs the secret of the hub', async () => {
  const { status, notes } = await run('worker', 'node-1')
  expect([status, notes]).toEqual([1, expect.stringContaining('worker.token')])
})
