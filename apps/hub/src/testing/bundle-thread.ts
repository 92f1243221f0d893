import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../../..')

/** Bundles the dissecting thread as the product does, to where it finds packages with native parts. */
export async function bundleThread(): Promise<URL> {
  const folder = join(root, 'node_modules/.cache/tapdeck-hub-test')
  await mkdir(folder, { recursive: true })
  const outfile = join(folder, `dissection-${process.pid}.mjs`)
  await build({
    entryPoints: [join(here, '../jobs/dissection-thread.ts')],
    outfile,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@duckdb/node-api'],
    logLevel: 'error',
  })
  return pathToFileURL(outfile)
}
