import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { nodeSettings } from './bundles.mjs'
import { root } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/** Bundles `test/fuzz` and runs it; arguments go to it: --inputs N --minutes N --threads N --seed N. */
await ensureInstalled()
const { build } = await import('esbuild')
const outdir = join(root, 'dist', 'fuzz')
await build({
  ...nodeSettings,
  absWorkingDir: root,
  entryPoints: ['test/fuzz/fuzz.ts', 'test/fuzz/fuzz-thread.ts'],
  outdir,
  outExtension: { '.js': '.mjs' },
})
const args = ['--expose-gc', join(outdir, 'fuzz.mjs'), ...process.argv.slice(2)]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
