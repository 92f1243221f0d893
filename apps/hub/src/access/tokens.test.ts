import { once } from 'node:events'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { formatToken, tokenFolder } from '@tapdeck/api/credentials'
import { pino } from 'pino'
import { afterEach, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { giveToken } from '../testing/give-token.ts'
import { startHub, type TestHub, until } from '../testing/start-hub.ts'
import { Tokens } from './tokens.ts'

let hub: TestHub
const folders: string[] = []
afterEach(async () => {
  await hub?.stop()
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

const identified = { set: ['tap.auth.enabled=true'] }
const whoami = async (headers: Record<string, string>) => hub.get('/api/whoami', headers)

it('opens what its role opens, says who it is, and nothing else opens it', async () => {
  hub = await startHub(identified)
  const viewer = giveToken(hub.folder, 'svc-viewer', { name: 'ci' })
  expect((await whoami(viewer.headers)).json).toEqual({
    name: 'ci',
    role: 'svc-viewer',
    capabilities: ['dissection:live', 'snapshot:read'],
    namespaces: '*',
    auth: { enabled: true, kind: 'token' },
  })
  expect((await hub.send('POST', '/api/dissection/enable', undefined, viewer.headers)).json).toMatchObject({
    status: 403,
    missing: 'dissection:control',
  })
  for (const wrong of [
    viewer.token.slice(0, -1),
    `${viewer.token}A`,
    viewer.token.toUpperCase(),
    viewer.token.slice(4),
    formatToken(new Uint8Array(32)),
  ])
    expect((await whoami({ authorization: `Bearer ${wrong}` })).status, wrong).toBe(401)
  expect((await whoami({ authorization: `bearer  ${viewer.token}` })).status).toBe(200)
  expect((await hub.get(`/api/whoami?token=${viewer.token}&access_token=${viewer.token}`)).status).toBe(401)
})

it('is worth nothing once revoked, and the next request knows', async () => {
  hub = await startHub(identified)
  const token = giveToken(hub.folder, 'svc-viewer')
  expect((await whoami(token.headers)).status).toBe(200)
  token.revoke()
  expect((await whoami(token.headers)).status).toBe(401)
})

it('ends with its time, and is refused where its role is gone', async () => {
  hub = await startHub(identified)
  const late = giveToken(hub.folder, 'svc-viewer', { expires_at: new Date(Date.now() - 1).toISOString() })
  expect((await whoami(late.headers)).status).toBe(401)
  const soon = giveToken(hub.folder, 'svc-viewer', { expires_at: new Date(Date.now() + 300).toISOString() })
  expect((await whoami(soon.headers)).status).toBe(200)
  await until(
    () => whoami(soon.headers),
    ({ status }) => status === 401,
  )
  const orphan = giveToken(hub.folder, 'a-role-that-was')
  expect((await whoami(orphan.headers)).json).toMatchObject({ status: 403, code: 'no_role' })
})

it('survives a restart, with the time of its last use', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-tokens-'))
  folders.push(folder)
  hub = await startHub({ ...identified, folder })
  const token = giveToken(folder, 'svc-viewer')
  await whoami(token.headers)
  await hub.stop()
  const used = JSON.parse(readFileSync(join(folder, 'access/last-used.json'), 'utf8'))
  expect(Date.now() - used[token.id]).toBeLessThan(60_000)
  hub = await startHub({ ...identified, folder })
  expect((await whoami(token.headers)).status).toBe(200)
})

it('is not confused by files that are no tokens, and rejects every caller if the folder is gone', async () => {
  hub = await startHub(identified)
  const token = giveToken(hub.folder, 'svc-viewer')
  const folder = join(hub.folder, 'access/tokens')
  writeFileSync(join(folder, '0123456789ab.json'), '{"role":"svc-admin"}')
  writeFileSync(join(folder, 'ba9876543210.json'), 'nonsense')
  expect((await whoami(token.headers)).status).toBe(200)
  rmSync(folder, { recursive: true })
  expect((await whoami(token.headers)).status).toBe(401)
})

it('is read again when its file is replaced', async () => {
  hub = await startHub(identified)
  const token = giveToken(hub.folder, 'svc-viewer')
  giveToken(hub.folder, 'svc-viewer')
  expect((await whoami(token.headers)).status).toBe(200)
  const file = join(hub.folder, tokenFolder, `${token.id}.json`)
  const ended = { ...JSON.parse(readFileSync(file, 'utf8')), expires_at: '2020-01-01T00:00:00Z' }
  writeFileSync(`${file}.new`, JSON.stringify(ended))
  renameSync(`${file}.new`, file)
  expect((await whoami(token.headers)).status).toBe(401)
})

it('takes its streams with it when it is revoked, whatever the reader says then', async () => {
  hub = await startHub(identified)
  await hub.open()
  const token = giveToken(hub.folder, 'svc-viewer')
  const other = giveToken(hub.folder, 'svc-viewer')
  const open = async (headers: Record<string, string>) => {
    const socket = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers })
    await once(socket, 'open')
    return socket
  }
  const [socket, bystander] = [await open(token.headers), await open(other.headers)]
  await until(
    () => hub.services.switchboard.state.activity.dashboards,
    (count) => count === 2,
  )
  token.revoke()
  const [code] = await once(socket, 'close')
  expect(code).toBe(4401)
  expect(bystander.readyState).toBe(WebSocket.OPEN)
  expect(hub.services.switchboard.state.activity.dashboards).toBe(1)
  const again = new WebSocket(`ws://127.0.0.1:${hub.port}/api/stream`, { headers: token.headers })
  const [, response] = await once(again, 'unexpected-response')
  expect(response.statusCode).toBe(401)
})

it('is nowhere in the log, the audit log, or an error', async () => {
  hub = await startHub(identified)
  const token = giveToken(hub.folder, 'svc-admin')
  await hub.get('/api/databases', token.headers)
  await hub.send('POST', '/api/dissection/disable', undefined, token.headers)
  const bad = await whoami({ authorization: `Bearer ${token.token}x` })
  expect(bad.text).not.toContain(token.token.slice(4, 20))
  await hub.close()
  const audit = join(hub.folder, 'audit')
  expect(existsSync(audit)).toBe(true)
  const written = readdirSync(audit).map((name) => readFileSync(join(audit, name), 'utf8'))
  const secret = token.token.slice(4)
  for (const text of [...written, ...hub.logged]) expect(text).not.toContain(secret.slice(0, 20))
  const entries = written
    .join('')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(entries).toMatchObject([
    {
      who: 'a svc-admin',
      role: 'svc-admin',
      kind: 'token',
      door: 'api',
      what: 'list_databases',
      status: 200,
      rows: 0,
    },
    { what: 'disable_dissection', status: 200 },
    { what: 'whoami', status: 401, who: '' },
  ])
})

it('there are never more of them than the limit, if many are made at once', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'tapdeck-tokens-'))
  folders.push(folder)
  const tokens = await Tokens.open({ dataFolder: folder, log: pino({ level: 'silent' }), most: 3 })
  const made = await Promise.allSettled(
    Array.from({ length: 6 }, () => tokens.create({ name: 'ci', role: 'svc-viewer' }, Date.now(), undefined)),
  )
  const given = made.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []))
  expect(given.map(({ token }) => tokens.find(token, Date.now())?.id)).toEqual(
    given.map(({ record }) => record.id),
  )
  expect(given).toHaveLength(3)
  expect(readdirSync(join(folder, tokenFolder))).toHaveLength(3)
  await tokens.revoke(given[0]!.record.id)
  await tokens.create({ name: 'ci', role: 'svc-viewer' }, Date.now(), undefined)
  await tokens.close()
})
