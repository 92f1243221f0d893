import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { hostname, tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build } from 'esbuild'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { type FileLock, fileLocks } from './file-lock.ts'
import { lockFile, lockFolder, watchLock } from './folder-lock.ts'
import { readRecord } from './lock-record.ts'

const bundles = mkdtempSync(join(tmpdir(), 'tapdeck-lock-'))
const holder = join(bundles, 'holder.mjs')
const source = (path: string) => fileURLToPath(new URL(path, import.meta.url))
let folder: string
let notes: string[]
let children: ChildProcess[]
const note = (line: string) => void notes.push(line)

beforeAll(async () => {
  symlinkSync(source('../../../../node_modules'), join(bundles, 'node_modules'))
  const contents = `
    import { lockFolder } from './folder-lock.ts'
    await lockFolder(process.argv[2], 'hub', { note() {}, patienceMs: 0 }).then(
      () => { process.send('locked'); setInterval(() => {}, 1000) },
      (error) => { process.send(error.message); process.disconnect() },
    )`
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: holder,
    bundle: true,
    platform: 'node',
    format: 'esm',
    external: ['koffi'],
  })
})
afterAll(() => rmSync(bundles, { recursive: true }))

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'tapdeck-locked-'))
  notes = []
  children = []
})
afterEach(async () => {
  for (const child of children) await killed(child)
  rmSync(folder, { recursive: true })
})

/** Another process that takes the lock of the hub; with what it answered. */
async function start(...before: string[]): Promise<{ child: ChildProcess; answer: string }> {
  const [command, ...args] = [...before, process.execPath, holder, folder]
  const child = spawn(command!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
  children.push(child)
  const [answer] = await once(child, 'message')
  return { child, answer: String(answer) }
}

async function killed(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const gone = once(child, 'exit')
  child.kill('SIGKILL')
  await gone
}

test('a folder is used by one hub and one worker at a time, by any path', async () => {
  const release = await lockFolder(folder, 'hub', { note })
  symlinkSync(folder, join(bundles, 'link'))
  for (const path of [folder, join(bundles, 'link')])
    await expect(lockFolder(path, 'hub', { note })).rejects.toThrow(/^another hub uses/)
  const releaseWorker = await lockFolder(folder, 'worker', { note })
  releaseWorker()
  release()
  const again = await lockFolder(folder, 'hub', { note })
  again()
  expect(notes).toEqual([])
})

test('the lock file has the holder, for its owner alone, and a refusal names it with what to do', async () => {
  const release = await lockFolder(folder, 'hub', { note })
  const path = lockFile(folder, 'hub')
  expect(statSync(path).mode & 0o777).toBe(0o600)
  const record = readRecord(path)!
  expect(record).toMatchObject({ pid: process.pid, parent: process.ppid, host: hostname() })
  await expect(lockFolder(folder, 'hub', { note })).rejects.toThrow(
    `another hub uses ${folder}: it is locked by process ${process.pid} on ${hostname()}, since ${record.since} (${record.command}). Stop it with: kill ${process.pid}, or choose another folder with --data.`,
  )
  release()
})

test('a killed process leaves no lock', async () => {
  const { child, answer } = await start()
  expect(answer).toBe('locked')
  const refused = await start()
  expect(refused.answer).toContain(`it is locked by process ${child.pid} on ${hostname()}`)
  await killed(child)
  expect((await start()).answer).toBe('locked')
})

test('two hubs in two network namespaces exclude each other', async (context) => {
  if (spawnSync('unshare', ['-n', 'true']).status !== 0)
    context.skip('network namespaces need unshare and root')
  const first = await start('unshare', '-n')
  expect(first.answer).toBe('locked')
  const second = await start('unshare', '-n')
  expect(second.answer).toMatch(/^another hub uses/)
})

test('a holder on another machine is waited for, then named', async () => {
  const release = await lockFolder(folder, 'hub', { note })
  const record = { ...readRecord(lockFile(folder, 'hub'))!, host: 'elsewhere' }
  writeFileSync(lockFile(folder, 'hub'), JSON.stringify(record))
  await expect(lockFolder(folder, 'hub', { note, patienceMs: 200 })).rejects.toThrow('Stop it on elsewhere')
  expect(notes).toHaveLength(1)
  const waiting = lockFolder(folder, 'hub', { note })
  await expect.poll(() => notes.length).toBe(2)
  release()
  const releaseAgain = await waiting
  releaseAgain()
})

const broken: FileLock = { name: 'broken', lock: () => Promise.reject(new Error('not here')) }

test('without the system call, the command locks the same lock', async (context) => {
  if (spawnSync('flock', ['--version']).error) context.skip('there is no flock command')
  const ways = [broken, fileLocks[1]!]
  const release = await lockFolder(folder, 'hub', { note, ways })
  expect(notes).toEqual([])
  await expect(lockFolder(folder, 'hub', { note })).rejects.toThrow(/^another hub uses/)
  expect((await start()).answer).toMatch(/^another hub uses/)
  release()
  expect((await start()).answer).toBe('locked')
  await expect(lockFolder(folder, 'hub', { note, ways })).rejects.toThrow(/^another hub uses/)
})

test('without any file lock, a recorded process that runs is noticed, and the weakness is reported', async () => {
  const { child } = await start()
  await expect(lockFolder(folder, 'hub', { note, ways: [broken] })).rejects.toThrow(/^another hub uses/)
  await killed(child)
  const release = await lockFolder(folder, 'hub', { note, ways: [broken] })
  expect(notes).toEqual([expect.stringContaining('cannot be locked (broken: not here)')])
  release()
})

test('a folder that cannot be made is reported', async () => {
  mkdirSync(join(folder, 'deep'))
  writeFileSync(join(folder, 'deep', 'file'), '')
  await expect(lockFolder(join(folder, 'deep', 'file', 'data'), 'hub', { note })).rejects.toThrow(
    /^cannot use .* Choose another folder with --data\.$/,
  )
})

test('a standby waits for a holder at work, and has the lock when that one is killed', async () => {
  const { child } = await start()
  let release: (() => void) | undefined
  const taken = lockFolder(folder, 'hub', { note, standby: true }).then((given) => {
    release = given
  })
  await expect.poll(() => notes).toEqual([expect.stringContaining(`locked by process ${child.pid}`)])
  expect(release).toBeUndefined()
  await killed(child)
  await taken
  expect(readRecord(lockFile(folder, 'hub'))?.pid).toBe(process.pid)
  release?.()
})

test('a standby refuses a file system without locks', async () => {
  const broken: FileLock = { name: 'none', lock: () => Promise.reject(new Error('not here')) }
  await expect(lockFolder(folder, 'hub', { note, standby: true, ways: [broken] })).rejects.toThrow(
    /A standby needs a file system with locks/,
  )
})

test('a holder whose lock was given to another process is notified', async () => {
  const release = await lockFolder(folder, 'hub', { note })
  const lost: string[] = []
  const end = watchLock(folder, 'hub', (holder) => lost.push(holder), 5)
  const path = lockFile(folder, 'hub')
  const other = { ...readRecord(path), pid: 1, host: 'elsewhere' }
  writeFileSync(path, JSON.stringify(other))
  await expect.poll(() => lost).toEqual([expect.stringContaining('by process 1 on elsewhere')])
  end()
  release()
})
