import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { nodeSettings } from './bundles.mjs'
import { root } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/**
 * Bundles `test/fuzz` and runs it; arguments go to it: --inputs N --minutes N --threads N --seed N. With the word `tls` first, it is
 * the decryption of TLS and QUIC that is tried: --minutes N --seed N.
 */
await ensureInstalled()
const { build } = await import('esbuild')
const outdir = join(root, 'dist', 'fuzz')
await build({
  ...nodeSettings,
  absWorkingDir: root,
  entryPoints: ['test/fuzz/fuzz.ts', 'test/fuzz/fuzz-thread.ts', 'test/fuzz/decryption/fuzz-decryption.ts'],
  outbase: 'test/fuzz',
  outdir,
  outExtension: { '.js': '.mjs' },
})
const [word, ...rest] = process.argv.slice(2)
const program =
  word === 'tls'
    ? [join(outdir, 'decryption', 'fuzz-decryption.mjs'), ...rest]
    : [join(outdir, 'fuzz.mjs'), ...process.argv.slice(2)]
const args = ['--expose-gc', ...program]
const { status } = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' })
process.exitCode = status ?? 1
