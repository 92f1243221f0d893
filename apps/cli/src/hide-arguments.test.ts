import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { build } from 'esbuild'
import { afterAll, beforeAll, expect, test } from 'vitest'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'tapdeck-title-'))
  await build({
    stdin: {
      contents: `import { hideArguments } from './hide-arguments.ts'
        hideArguments(process.argv.slice(2))
        console.log('ready')
        setInterval(() => {}, 1000)`,
      resolveDir: import.meta.dirname,
    },
    bundle: true,
    platform: 'node',
    format: 'esm',
    outfile: join(folder, 'title.mjs'),
  })
})
afterAll(() => rm(folder, { recursive: true }))

/** What other users of the machine see of a process with these arguments. */
async function seen(args: readonly string[]): Promise<string> {
  const child = spawn(process.execPath, [join(folder, 'title.mjs'), ...args])
  try {
    await once(child.stdout, 'data')
    return (await readFile(`/proc/${child.pid}/cmdline`, 'utf8')).replaceAll('\0', ' ').trimEnd()
  } finally {
    child.kill('SIGKILL')
  }
}

test.runIf(process.platform === 'linux')('secret arguments are not in the process list', async () => {
  const token = `tpd_${'s'.repeat(43)}`
  expect(await seen(['calls', '--token', token, '--json'])).toBe('tapdeck calls --token *** --json')
  expect(await seen(['calls', `--token=${token}`])).toBe('tapdeck calls --token=***')
  expect(await seen(['worker', '--set', 'worker.token=hunter2'])).toBe(
    'tapdeck worker --set worker.token=***',
  )
  expect(await seen(['calls', '--limit', '5'])).toMatch(/title\.mjs calls --limit 5$/)
})
