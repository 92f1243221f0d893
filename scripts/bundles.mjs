import { placeholders, publicNames } from './release/public-names.mjs'
import { steadyNames } from './steady-names.mjs'

/** THE list of what is built: bundle name → entry point. Threads and child processes are found beside their parent. */
export const nodeBundles = {
  tapdeck: 'apps/cli/src/main.ts',
  'tapdeck-dissect': 'apps/cli/src/dissect/dissect-program.ts',
  hub: 'apps/hub/src/start.ts',
  'hub-main': 'apps/hub/src/main.ts',
  'hub-dissection': 'apps/hub/src/dissections/dissection-thread.ts',
  'dissect-job': 'apps/hub/src/dissections/bucket/dissect-job-main.ts',
  'hub-shard': 'apps/hub/src/dissections/shard-thread.ts',
  'hub-script': 'apps/hub/src/agents/script-thread.ts',
  'object-storage': 'packages/objects/src/s3/open-s3.ts',
  worker: 'apps/worker/src/start.ts',
  'worker-main': 'apps/worker/src/main.ts',
  'worker-capture': 'apps/worker/src/capture/capture-thread.ts',
  'worker-live': 'apps/worker/src/live/live-thread.ts',
  'worker-rewind': 'apps/worker/src/rewind/rewind-thread.ts',
}

export const dashboardBundle = 'apps/dashboard/src/main.tsx'

/**
 * Packages with native parts, or a file of WebAssembly, stay outside the bundles and are loaded from node_modules. Of the database
 * only its bindings: the hundred files around them take each thread longer to find than to run.
 */
export const nativePackages = ['@duckdb/node-bindings', 'koffi', '@jitl/quickjs-wasmfile-release-sync']

/** What is loaded from a bundle of its own, and only when it is needed: errors of it are recognised by name, not by class. */
const apart = [
  { filter: /^@tapdeck\/objects\/s3$/, path: './object-storage.mjs' },
  { filter: /^\.\.\/dissect\/print-calls\.ts$/, path: './tapdeck-dissect.mjs' },
]
const lazyBundles = {
  name: 'lazy-bundles',
  setup({ onResolve }) {
    for (const { filter, path } of apart) onResolve({ filter }, () => ({ path, external: true }))
  },
}

/** How code for Node.js is bundled, here and in the scripts beside. */
export const nodeSettings = {
  bundle: true,
  platform: 'node',
  format: 'esm',
  target: 'node20',
  external: [...nativePackages, 'bufferutil', 'utf-8-validate'],
  // CommonJS packages inside an ES module still ask for these.
  banner: {
    js: [
      "import { createRequire as __createRequire } from 'node:module'",
      "import { fileURLToPath as __fileURLToPath } from 'node:url'",
      'const require = __createRequire(import.meta.url)',
      'const __filename = __fileURLToPath(import.meta.url)',
      "const __dirname = __fileURLToPath(new URL('.', import.meta.url))",
    ].join('; '),
  },
  // `tapdeck attach` starts the image of its own release; a placeholder is no name of an image.
  define: {
    'process.env.TAPDECK_RELEASE_IMAGE': JSON.stringify(
      placeholders().includes('image') ? '' : publicNames.image,
    ),
  },
  plugins: [lazyBundles, steadyNames],
  legalComments: 'none',
  logLevel: 'warning',
}

/** Files of the command line that its commands load, and share. Their names change with their contents. */
export const isChunk = (file) => /^tapdeck-[A-Z0-9]{8}\.mjs$/.test(file)

/**
 * The builds for these bundles. The command line is divided, so that a command loads what it needs; the others are one file each, in
 * which what is called often is not imported.
 */
export function nodeBuilds(names = Object.keys(nodeBundles)) {
  const groups = [
    {
      wanted: names.filter((name) => name === 'tapdeck'),
      more: { splitting: true, chunkNames: 'tapdeck-[hash]' },
    },
    { wanted: names.filter((name) => name !== 'tapdeck'), more: {} },
  ]
  return groups
    .filter(({ wanted }) => wanted.length > 0)
    .map(({ wanted, more }) => ({
      ...nodeSettings,
      ...more,
      entryPoints: Object.fromEntries(wanted.map((name) => [name, nodeBundles[name]])),
      outExtension: { '.js': '.mjs' },
    }))
}
