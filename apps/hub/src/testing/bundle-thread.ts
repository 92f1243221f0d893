import { mkdir } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'

const here = dirname(fileURLToPath(import.meta.url))
const root = join(here, '../../../..')

/** Bundles the dissecting thread as the product does, to where it finds packages with native parts. */
export async function bundleThread(): Promise<URL> {
  // A folder of its own for each process: threads are found beside their parent.
  const folder = join(root, `node_modules/.cache/tapdeck-hub-test/${process.pid}`)
  await mkdir(folder, { recursive: true })
  const name = 'hub-dissection'
  await build({
    entryPoints: {
      [name]: join(here, '../dissections/dissection-thread.ts'),
      'hub-shard': join(here, '../dissections/shard-thread.ts'),
      'hub-script': join(here, '../agents/script-thread.ts'),
    },
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
    external: ['@duckdb/node-api', '@jitl/quickjs-wasmfile-release-sync'],
    logLevel: 'error',
  })
  return pathToFileURL(join(folder, `${name}.mjs`))
}
