import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { resolveConfig } from '@tapdeck/config'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { superviseParts } from './supervisor.ts'

let folder: string
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-parts-'))
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

/** The clock by which repeated signals are one request. */
let now = 0

/** Small programs in place of the two bundles; each writes lines to the log. */
function supervise(hub: string, worker: string, port = '0') {
  const log = join(folder, 'log')
  writeFileSync(log, '')
  const head = `
    import { appendFileSync, readFileSync } from 'node:fs'
    import { createServer } from 'node:net'
    const boot = JSON.parse(process.env.TAPDECK_BOOT)
    const log = (line) => appendFileSync(${JSON.stringify(log)}, line + '\\n')
    const logged = () => readFileSync(${JSON.stringify(log)}, 'utf8').split('\\n').length - 1
    const listen = () => createServer((socket) => socket.destroy()).listen(boot.config.hub.port, boot.config.hub.host)
    const endAfter = (lines, status) => setInterval(() => logged() >= lines && process.exit(status), 20)
  `
  writeFileSync(join(folder, 'hub.mjs'), head + hub)
  writeFileSync(join(folder, 'worker.mjs'), head + worker)
  const { config, origins } = resolveConfig({
    files: [],
    env: {},
    set: [],
    flags: { port, data: join(folder, 'data') },
  })
  const sources = { files: [], set: [], setString: [], env: {}, flags: {} }
  const notes: string[] = []
  const status = superviseParts(
    { config, origins, sources },
    (line) => notes.push(line),
    pathToFileURL(`${folder}/`),
    () => now,
  )
  return { status, notes, lines: () => readFileSync(log, 'utf8').trim().split('\n') }
}

const patient = { timeout: 60_000 }
const stay = `setInterval(() => {}, 1000)\n`

test('when the hub ends, the worker is asked to end, and the status is the hub’s', async () => {
  const run = supervise(
    `listen(); endAfter(1, 7)`,
    `${stay} process.on('SIGTERM', () => { log('asked'); process.exit(0) }); log('up')`,
  )
  expect(await run.status).toBe(7)
  expect(run.lines()).toEqual(['up', 'asked'])
})

test('two signals at once stop it after the worker has ended, even if the hub is faster; a further signal kills both', async () => {
  const slow = `${stay} process.on('SIGTERM', () => { log('asked'); setTimeout(() => { log('done'); process.exit(0) }, WAIT) }); log('up')`
  const run = supervise(`listen(); ${stay}`, slow.replace('WAIT', '400'))
  await expect.poll(run.lines, patient).toEqual(['up'])
  process.emit('SIGHUP')
  now += 999
  process.emit('SIGHUP')
  await run.status
  expect(run.lines()).toEqual(['up', 'asked', 'done'])

  const again = supervise(`listen(); ${stay}`, slow.replace('WAIT', '60_000'))
  await expect.poll(again.lines, patient).toEqual(['up'])
  process.emit('SIGHUP')
  await expect.poll(again.lines, patient).toEqual(['up', 'asked'])
  now += 1000
  process.emit('SIGHUP')
  await again.status
  expect(again.lines()).toEqual(['up', 'asked'])
})

test('both parts get the same credential and the same real port', async () => {
  const tell = `log(process.env.TAPDECK_WORKER_TOKEN + ' ' + boot.config.hub.port)`
  const run = supervise(`${tell}; listen(); endAfter(2, 0)`, `${tell}; ${stay}`)
  await run.status
  const [one, other] = run.lines()
  expect(one).toBe(other)
  expect(one).toMatch(/^[0-9a-f]{64} [1-9]\d+$/)
})

test('a worker that dies is started again', async () => {
  const run = supervise(`listen(); endAfter(2, 0)`, `log('up'); process.exit(3)`)
  await run.status
  expect(run.lines().length).toBeGreaterThan(1)
  expect(run.notes[0]).toBe('The worker ended with status 3; starting it again in 0.5 s')
})

test('a hub that was killed is started again, and the worker goes on', async () => {
  const run = supervise(
    `log('hub'); const first = logged() === 1; listen(); if (first) setInterval(() => logged() >= 2 && process.kill(process.pid, 'SIGKILL'), 20); else endAfter(3, 0)`,
    `log('worker'); ${stay}`,
  )
  expect(await run.status).toBe(0)
  expect(run.lines()).toEqual(['hub', 'worker', 'hub'])
  expect(run.notes).toEqual(['The hub ended by SIGKILL; starting it again in 0.5 s'])
})

test('a hub that cannot start ends it all, and no worker is started', async () => {
  const run = supervise(`process.exit(5)`, `log('up')`)
  expect(await run.status).toBe(5)
  expect(run.lines()).toEqual([''])
})

test('nothing is started where the port is taken', async () => {
  const server = createServer()
  const port = await new Promise<number>((resolve) =>
    server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
  )
  const run = supervise(`log('up')`, `log('up')`, String(port))
  await expect(run.status).rejects.toThrow(`port ${port} on 127.0.0.1 is taken`)
  expect(run.lines()).toEqual([''])
  server.close()
})
