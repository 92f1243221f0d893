import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { resolveConfig } from '@tapdeck/config'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { Access, requireCapability } from './access.ts'

const folders: string[] = []
const opened: Access[] = []
afterEach(async () => {
  for (const access of opened.splice(0)) await access.close()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const auth = (...set: string[]) => resolveConfig({ files: [], env: {}, set }).config.tap.auth

async function open(...set: string[]): Promise<Access> {
  const dataFolder = mkdtempSync(join(tmpdir(), 'tapdeck-access-'))
  folders.push(dataFolder)
  const access = await Access.open({
    auth: auth(...set),
    dataFolder,
    log: pino({ level: 'silent' }),
    now: Date.now,
  })
  opened.push(access)
  return access
}

it('does not take an unknown role, names the known ones, and keeps the old one', async () => {
  const access = await open('tap.auth.defaultRole=svc-viewer')
  const unknown = { ...auth(), defaultRole: 'svc-king' }
  expect(() => access.configure(unknown)).toThrow(
    /defaultRole.*"svc-king".*svc-admin, svc-realtime, svc-snapshot, svc-viewer/,
  )
  expect((await access.resolve(new Headers())).role).toBe('svc-viewer')
  access.configure(auth('tap.auth.defaultRole=svc-realtime'))
  expect((await access.resolve(new Headers())).role).toBe('svc-realtime')
})

it('distinguishes a missing credential from a bad one', async () => {
  const access = await open('tap.auth.enabled=true')
  await expect(access.resolve(new Headers())).rejects.toMatchObject({ status: 401, code: 'no_credential' })
  for (const authorization of [
    'Bearer x',
    'Bearer tpd_x',
    'Bearer a.b.c',
    'Basic eDp4',
    'Bearer',
    'nonsense',
  ])
    await expect(access.resolve(new Headers({ authorization })), authorization).rejects.toMatchObject({
      status: 401,
      code: 'bad_credential',
    })
})

it('names the first capability that lacks, and all of them in the text', async () => {
  const caller = await (await open('tap.auth.defaultRole=svc-viewer')).resolve(new Headers())
  expect(() => requireCapability(caller, ['dissection:live'])).not.toThrow()
  expect(() => requireCapability(caller, ['dissection:live', 'mcp:use', 'dissection:control'])).toThrow(
    expect.objectContaining({
      status: 403,
      message: 'The role "svc-viewer" lacks the capability mcp:use and dissection:control',
      extensions: { missing: 'mcp:use', role: 'svc-viewer' },
    }),
  )
})

it('applies a new configuration to all callers', async () => {
  const access = await open('tap.auth.defaultRole=svc-admin')
  const caller = await access.resolve(new Headers())
  expect(access.isCredentialValid(caller)).toBe(true)
  access.configure(auth('tap.auth.defaultRole=svc-admin'))
  expect(access.isCredentialValid(caller)).toBe(true)
  access.configure(auth('tap.auth.defaultRole=svc-viewer'))
  expect(access.isCredentialValid(caller)).toBe(false)
})
