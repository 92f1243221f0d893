import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeSettings } from './bundles.mjs'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/** Bundles each `bench/*.bench.ts` and runs it alone, one after another; arguments choose by part of the name. */
await ensureInstalled()
const { build } = await import('esbuild')
const wanted = process.argv.slice(2)
const files = readdirSync(join(root, 'bench'))
  .filter((file) => file.endsWith('.bench.ts'))
  .filter((file) => wanted.length === 0 || wanted.some((word) => file.includes(word)))
if (files.length === 0) {
  say(`No bench/*.bench.ts ${wanted.length > 0 ? `matches ${wanted.join(' ')}` : 'yet'}`)
  process.exit(1)
}
for (const file of files) {
  const name = basename(file, '.bench.ts')
  const outfile = join(root, 'dist', 'bench', `${name}.mjs`)
  await build({
    ...nodeSettings,
    absWorkingDir: root,
    entryPoints: [join('bench', file)],
    outfile,
  })
  say(`== ${name}`)
  const { status } = spawnSync(process.execPath, ['--expose-gc', outfile], { cwd: root, stdio: 'inherit' })
  if (status !== 0) process.exitCode = 1
}
