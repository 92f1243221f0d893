import { spawnSync } from 'node:child_process'
import { existsSync, readdirSync } from 'node:fs'
import { basename, join } from 'node:path'
import { nodeSettings } from './bundles.mjs'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/**
 * Bundles each `bench/*.bench.ts`, with the `*.process.ts` that it starts beside, and runs it alone, one after another; arguments
 * choose by part of the name. Arguments that are part of no name are passed on to the chosen ones.
 */
await ensureInstalled()
const { build } = await import('esbuild')
const all = readdirSync(join(root, 'bench')).filter((file) => file.endsWith('.bench.ts'))
const given = process.argv.slice(2)
const wanted = given.filter((word) => all.some((file) => file.includes(word)))
const passed = given.filter((word) => !wanted.includes(word))
const files = all.filter((file) => given.length === 0 || wanted.some((word) => file.includes(word)))
if (files.length === 0) {
  say(`No bench/*.bench.ts ${given.length > 0 ? `matches ${given.join(' ')}` : 'yet'}`)
  process.exit(1)
}
for (const file of files) {
  const name = basename(file, '.bench.ts')
  const outdir = join(root, 'dist', 'bench')
  await build({
    ...nodeSettings,
    absWorkingDir: root,
    entryPoints: [{ in: join('bench', file), out: name }, ...processesOf(name)],
    // It reads files of its own package.
    external: [...nodeSettings.external, 'playwright-core'],
    outdir,
    outExtension: { '.js': '.mjs' },
  })
  say(`== ${name}`)
  const { status } = spawnSync(process.execPath, ['--expose-gc', join(outdir, `${name}.mjs`), ...passed], {
    cwd: root,
    stdio: 'inherit',
  })
  if (status !== 0) process.exitCode = 1
}

function processesOf(name) {
  const folder = join('bench', name)
  if (!existsSync(join(root, folder))) return []
  return readdirSync(join(root, folder))
    .filter((file) => file.endsWith('.process.ts'))
    .map((file) => ({ in: join(folder, file), out: join(name, basename(file, '.process.ts')) }))
}
