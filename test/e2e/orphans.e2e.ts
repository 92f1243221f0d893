import { type ChildProcess, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, test } from 'vitest'

const command = fileURLToPath(new URL('../../dist/tapdeck.mjs', import.meta.url))
const data = mkdtempSync(join(tmpdir(), 'tapdeck-orphans-'))
const port = randomInt(10_000, 32_000)
const patient = { timeout: 60_000, interval: 5 }
let output = ''
afterAll(() => rmSync(data, { recursive: true, force: true }))

function up(): ChildProcess {
  output = ''
  const args = [command, 'up', '--port', String(port), '--data', data, '--interface', 'lo']
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk) => {
      output = (output + chunk).slice(-4000)
    })
  return child
}

/** Numbers of the processes that run a bundle for this data folder. */
function parts(name: string): number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => textOf(pid, 'cmdline').includes(name) && textOf(pid, 'environ').includes(data))
}

function textOf(pid: number, file: string): string {
  if (!(pid > 0)) return ''
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8')
  } catch {
    return ''
  }
}

const isReady = () =>
  fetch(`http://127.0.0.1:${port}/readyz`).then(
    ({ ok }) => ok,
    () => false,
  )
const listens = () =>
  fetch(`http://127.0.0.1:${port}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
const locked = (file: string, name: string) => {
  const path = join(data, file)
  if (!existsSync(path)) return false
  const text = readFileSync(path, 'utf8')
  return text !== '' && parts(name).includes((JSON.parse(text) as { pid: number }).pid)
}

/** What has happened when the command is killed. */
const moments: Readonly<Record<string, () => boolean | Promise<boolean>>> = {
  'the hub process exists': () => parts('hub.mjs').length > 0,
  'the hub has its folder': () => locked('hub.lock', 'hub.mjs'),
  'the hub listens': listens,
  'the worker process exists': () => parts('worker.mjs').length > 0,
  'the worker has its folder': () => locked('worker.lock', 'worker.mjs'),
  'it is ready': isReady,
}

test.skipIf(process.platform !== 'linux').each(Object.keys(moments))(
  'killed when %s, up leaves no process, and the next start succeeds',
  async (moment) => {
    const child = up()
    await expect.poll(moments[moment]!, patient).toBe(true)
    const gone = once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    const next = up()
    await expect.poll(async () => next.exitCode !== null || (await isReady()), patient).toBe(true)
    expect(next.exitCode, output).toBeNull()
    expect([...parts('hub.mjs'), ...parts('worker.mjs')]).toHaveLength(2)
    const ended = once(next, 'exit')
    next.kill('SIGKILL')
    await ended
    await expect.poll(() => [...parts('hub.mjs'), ...parts('worker.mjs')], patient).toEqual([])
  },
)

test.skipIf(process.platform !== 'linux')(
  'a second start on the folder says which process uses it',
  async () => {
    const child = up()
    await expect.poll(isReady, patient).toBe(true)
    const [hub] = parts('hub.mjs')
    const args = [command, 'hub', '--port', '0', '--data', data]
    const second = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'] })
    let said = ''
    second.stderr.on('data', (chunk) => {
      said += chunk
    })
    const [status] = await once(second, 'close')
    expect(status).toBe(1)
    expect(said).toContain(`another hub uses ${data}: it is locked by process ${hub}`)
    expect(said).toContain(`Stop it with: kill ${hub}`)
    const ended = once(child, 'exit')
    child.kill('SIGTERM')
    await ended
  },
)
