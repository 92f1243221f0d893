import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

const folder = mkdtempSync(join(tmpdir(), 'tapdeck-begin-'))
const log = join(folder, 'log')
afterAll(() => rmSync(folder, { recursive: true }))

beforeAll(async () => {
  const contents = `
    import { appendFileSync } from 'node:fs'
    import { beginPart } from './begin-part.ts'
    beginPart()
    const write = (line) => appendFileSync(${JSON.stringify(log)}, line + '\\n')
    setInterval(() => {}, 1000)
    if (process.argv[2] === 'orderly') process.on('disconnect', () => { write('stopped'); process.exit(0) })
    write('begun')
    if (process.connected) process.send('begun')`
  await build({
    stdin: { contents, resolveDir: import.meta.dirname },
    outfile: join(folder, 'part.mjs'),
    bundle: true,
    platform: 'node',
    format: 'esm',
  })
  // It starts a part, and is killed: at once, or when the part has begun.
  writeFileSync(
    join(folder, 'parent.mjs'),
    `import { spawn } from 'node:child_process'
    const [, , kind] = process.argv
    const part = spawn(process.execPath, [${JSON.stringify(join(folder, 'part.mjs'))}, kind],
      { detached: true, stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    process.send(part.pid)
    if (kind !== 'at-once') await new Promise((resolve) => part.once('message', resolve))
    process.send('now')
    setInterval(() => {}, 1000)`,
  )
})

/** The number of a part whose parent was killed. */
async function orphan(kind: string): Promise<number> {
  writeFileSync(log, '')
  const parent = spawn(process.execPath, [join(folder, 'parent.mjs'), kind], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const messages: unknown[] = []
  await new Promise<void>((resolve) =>
    parent.on('message', (message) => {
      messages.push(message)
      if (message === 'now') resolve()
    }),
  )
  const gone = once(parent, 'exit')
  parent.kill('SIGKILL')
  await gone
  return Number(messages[0])
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return !/\) Z /.test(readFileSync(`/proc/${pid}/stat`, 'utf8'))
  } catch {
    return false
  }
}

test.skipIf(process.platform !== 'linux').each(['at-once', 'begun'])(
  'a part whose parent is killed (%s) ends',
  async (kind) => {
    const pid = await orphan(kind)
    await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
  },
)

test.skipIf(process.platform !== 'linux')('a part that runs stops in order', async () => {
  const pid = await orphan('orderly')
  await expect.poll(() => isAlive(pid), { timeout: 60_000 }).toBe(false)
  expect(readFileSync(log, 'utf8')).toBe('begun\nstopped\n')
})

test('a part that no command started goes on', async () => {
  writeFileSync(log, '')
  const part = spawn(process.execPath, [join(folder, 'part.mjs'), 'alone'], { stdio: 'ignore' })
  await expect.poll(() => readFileSync(log, 'utf8'), { timeout: 60_000 }).toBe('begun\n')
  const gone = once(part, 'exit')
  part.kill('SIGKILL')
  await gone
  expect(part.signalCode).toBe('SIGKILL')
})
