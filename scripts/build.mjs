import { spawn } from 'node:child_process'
import { once } from 'node:events'
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { dashboardBundle, isChunk, nodeBuilds, nodeBundles } from './bundles.mjs'
import { fingerprint, root, say } from './checkout.mjs'
import { firstLoadKb, pageWeight } from './page-weight.mjs'

const dist = join(root, 'dist')
const stampFile = join(dist, '.stamp')

/** Builds where a source changed since the last build, in another process: the memory of a build is free when it ends. */
export async function ensureBuilt() {
  if (existsSync(stampFile) && readFileSync(stampFile, 'utf8') === sourceStamp()) return
  // Standard input and output belong to the command that is run afterwards.
  const child = spawn(process.execPath, [import.meta.filename], { stdio: ['ignore', 2, 2] })
  const [status] = await once(child, 'exit')
  if (status !== 0) throw new Error('The build failed')
}

/** Everything is bundled in memory first: a build that fails leaves the last good one as it was. */
async function build(only) {
  const started = performance.now()
  const stamp = sourceStamp()
  const { build: bundle } = await import('esbuild')
  const isWanted = (name) => only.length === 0 || only.includes(name)
  const builds = nodeBuilds(Object.keys(nodeBundles).filter(isWanted))
  const [browser, ...node] = await Promise.all([
    isWanted('dashboard') ? bundleDashboard(bundle) : undefined,
    ...builds.map((one) => bundle({ ...one, absWorkingDir: root, outdir: dist, write: false })),
  ])
  const firstLoad = browser && firstLoadKb(pageWeight(browser, dashboardBundle))
  if (browser) rmSync(join(dist, 'dashboard'), { recursive: true, force: true })
  const files = [...node, ...(browser ? [browser] : [])].flatMap(({ outputFiles }) => outputFiles)
  for (const file of files) {
    mkdirSync(dirname(file.path), { recursive: true })
    // Another process may be starting from these files.
    writeFileSync(`${file.path}.new`, file.contents)
    renameSync(`${file.path}.new`, file.path)
  }
  mkdirSync(dist, { recursive: true })
  if (browser) writePage(browser.metafile)
  if (isWanted('tapdeck')) removeChunks(new Set(files.map(({ path }) => basename(path))))
  if (only.length === 0) writeFileSync(stampFile, stamp)
  const bytes = files.reduce((sum, file) => sum + file.contents.length, 0)
  say(
    `Built ${files.length} files, ${Math.round(bytes / 1024)} KB, in ${Math.round(performance.now() - started)} ms`,
  )
  if (browser) say(`The first load of the page is ${firstLoad} KB gzipped`)
}

function sourceStamp() {
  const isSource = (path) => !/\.test\.tsx?$/.test(path)
  return fingerprint(['apps', 'packages', 'scripts', 'docs', 'package-lock.json'], isSource)
}

/** Chunks of former builds. */
function removeChunks(kept) {
  for (const name of readdirSync(dist)) if (isChunk(name) && !kept.has(name)) rmSync(join(dist, name))
}

export function bundleDashboard(bundle) {
  return bundle({
    absWorkingDir: root,
    entryPoints: { tapdeck: dashboardBundle },
    outdir: join(dist, 'dashboard'),
    entryNames: 'assets/[name]-[hash]',
    assetNames: 'assets/[name]-[hash]',
    chunkNames: 'assets/[name]-[hash]',
    publicPath: '/',
    bundle: true,
    platform: 'browser',
    format: 'esm',
    splitting: true,
    target: ['chrome110', 'firefox115', 'safari16'],
    jsx: 'automatic',
    minify: true,
    define: { 'process.env.NODE_ENV': '"production"' },
    loader: { '.svg': 'file', '.png': 'file', '.woff2': 'file' },
    legalComments: 'none',
    logLevel: 'warning',
    metafile: true,
    write: false,
  })
}

/** The page is `apps/dashboard/index.html` with its entry script replaced by the hashed bundle and its style sheet. */
function writePage(metafile) {
  const page = join(root, dirname(dirname(dashboardBundle)), 'index.html')
  const [script, output] = Object.entries(metafile.outputs).find(
    ([, one]) => one.entryPoint === dashboardBundle,
  )
  const address = (path) => `/assets/${basename(path)}`
  const style = output.cssBundle ? `<link rel="stylesheet" href="${address(output.cssBundle)}">` : ''
  const html = readFileSync(page, 'utf8').replace(
    /<script[^>]*src="[^"]*main\.tsx"[^>]*><\/script>/,
    `${style}<script type="module" src="${address(script)}"></script>`,
  )
  if (!html.includes(address(script))) throw new Error(`${page} has no script with src="/src/main.tsx"`)
  writeFileSync(join(dist, 'dashboard', 'index.html'), html)
  const extras = join(dirname(page), 'public')
  if (existsSync(extras)) cpSync(extras, join(dist, 'dashboard'), { recursive: true })
  // The page shows the documentation of its own version.
  cpSync(join(root, 'docs'), join(dist, 'dashboard', 'docs'), { recursive: true, filter: isShownInPage })
}

/** Folders, pages and their pictures. */
function isShownInPage(path) {
  return /[\\/][^.]+$|\.(md|svg)$/.test(path)
}

if (process.argv[1] === import.meta.filename) {
  await build(process.argv.slice(2)).catch((error) => {
    // esbuild has printed its own errors already.
    if (!error.errors) say(error.stack)
    process.exitCode = 1
  })
}
