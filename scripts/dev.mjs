import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { nodeBuilds, nodeBundles } from './bundles.mjs'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/**
 * `npm run dev`: the page from its sources, reloaded at each change, in front of a hub and worker that are built again and
 * restarted when their sources change: a change of the hub alone leaves the worker. Arguments go to `tapdeck hub` and
 * `tapdeck worker`. The page is in front so that both have one origin.
 */
const hubPaths = ['/api', '/auth', '/mcp', '/delayed_dissection.DelayedDissection']
const hubFiles = ['/openapi.json', '/healthz', '/readyz', '/metrics']

await ensureInstalled()
const args = process.argv.slice(2)
const given = args.indexOf('--port')
const hubPort = Number(given < 0 ? (process.env.TAPDECK_PORT ?? 8898) : args[given + 1])
const pagePort = Number(process.env.TAPDECK_DEV_PORT ?? hubPort + 1)

const bundles = join(root, 'dist', 'dev')
/** What is built on its own, by the names of its bundles. The program of the same name is restarted. */
const parts = { 'command line': /^tapdeck/, worker: /^worker/, hub: /^(?!tapdeck|worker)/ }
const env = {
  ...process.env,
  NODE_OPTIONS: '--enable-source-maps',
  // The worker goes on when the hub is another process: both keep their credential.
  TAPDECK_WORKER_TOKEN: process.env.TAPDECK_WORKER_TOKEN ?? randomBytes(32).toString('hex'),
}
const programs = { hub: program('hub'), worker: program('worker') }
let isBuilt = false
let isEnding = false
let restarts = Promise.resolve()

const builders = []
// One after another: at once each would take as many times longer.
for (const [part, names] of Object.entries(parts))
  for (const settings of nodeBuilds(Object.keys(nodeBundles).filter((name) => names.test(name))))
    builders.push(await watch(part, settings))
isBuilt = true
restart('hub', 'worker')
const page = await servePage()
say(`The page is at http://127.0.0.1:${pagePort}, the hub at http://127.0.0.1:${hubPort}`)
// Vite has a listener that exits at once; ours ends hub and worker first.
process.removeAllListeners('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end)

/** Builds bundles of a part, and builds them again when one of their sources changes. Resolves after the first build. */
async function watch(part, settings) {
  const { context } = await import('esbuild')
  const hashes = new Map()
  let started = 0
  let built
  const isFirstDone = new Promise((resolve) => {
    built = resolve
  })
  const report = {
    name: 'report',
    setup({ onStart, onEnd }) {
      onStart(() => {
        started = performance.now()
      })
      onEnd(({ errors, outputFiles = [] }) => {
        built()
        if (errors.length > 0) return say(`The build of the ${part} failed; what ran before goes on.`)
        const files = outputFiles.filter(({ path }) => path.endsWith('.mjs'))
        const changed = files.filter(({ path, hash }) => hashes.get(path) !== hash)
        for (const { path, hash } of changed) hashes.set(path, hash)
        if (changed.length === 0) return
        say(`Built the ${part} in ${secondsSince(started)}: ${changed.length} of ${files.length} files`)
        if (isBuilt && part in programs) restart(part)
      })
    },
  }
  const builder = await context({
    ...settings,
    absWorkingDir: root,
    outdir: bundles,
    sourcemap: 'linked',
    plugins: [...settings.plugins, report],
  })
  await builder.watch()
  await isFirstDone
  return builder
}

/** Ends these programs, and starts them with the new bundles; the other goes on. */
function restart(...names) {
  restarts = restarts.then(async () => {
    const started = performance.now()
    for (const name of names) {
      const isAgain = programs[name].runs()
      await programs[name].stop()
      if (isEnding) return
      await programs[name].start()
      const others = Object.keys(programs).filter((one) => one !== name && programs[one].runs())
      const rest = isAgain && others.length > 0 ? `; the ${others} goes on` : ''
      say(`${isAgain ? 'Restarted' : 'Started'} the ${name} in ${secondsSince(started)}${rest}`)
    }
  })
}

function program(name) {
  let child
  let ended
  const stop = async () => {
    child?.kill('SIGTERM')
    await ended
  }
  const start = async () => {
    const own = spawn(process.execPath, [join(bundles, 'tapdeck.mjs'), name, ...args], {
      cwd: root,
      env,
      stdio: ['ignore', 'inherit', 'inherit'],
    })
    child = own
    ended = new Promise((resolve) => {
      own.once('error', resolve)
      own.once('exit', (status) => {
        child = undefined
        if (status) say(`The ${name} ended with status ${status}; the next change starts it again.`)
        resolve()
      })
    })
    if (name === 'hub') while (child === own && !(await isHubUp())) await sleep(50)
  }
  return { start, stop, runs: () => child !== undefined }
}

function isHubUp() {
  return fetch(`http://127.0.0.1:${hubPort}/healthz`).then(
    ({ ok }) => ok,
    () => false,
  )
}

function secondsSince(started) {
  return `${((performance.now() - started) / 1000).toFixed(1)} s`
}

/** The documentation, which a build copies into the page. */
function docsPages() {
  return {
    name: 'docs pages',
    configureServer: ({ middlewares }) =>
      middlewares.use('/docs', (request, response, next) => {
        const [, name, ending] = /^\/([\w/-]+)\.(md|svg)$/.exec(request.url ?? '') ?? []
        if (name === undefined) return next()
        readFile(join(root, 'docs', `${name}.${ending}`)).then(
          (bytes) => {
            response.setHeader(
              'content-type',
              ending === 'svg' ? 'image/svg+xml' : 'text/markdown; charset=utf-8',
            )
            response.end(bytes)
          },
          () => next(),
        )
      }),
  }
}

/** Styles are replaced in the page; after other changes it is reloaded, and its address restores what it showed. */
async function servePage() {
  const { createServer } = await import('vite')
  const target = `http://127.0.0.1:${hubPort}`
  const proxied = [
    ...hubPaths.map((path) => `^${path}(/|\\?|$)`),
    ...hubFiles.map((path) => `^${path}(\\?|$)`),
  ]
  const server = await createServer({
    root: join(root, 'apps', 'dashboard'),
    configFile: false,
    cacheDir: join(root, 'node_modules', '.cache', 'vite'),
    clearScreen: false,
    esbuild: { jsx: 'automatic' },
    plugins: [docsPages()],
    server: {
      host: '127.0.0.1',
      port: pagePort,
      strictPort: true,
      proxy: Object.fromEntries(proxied.map((path) => [path, { target, ws: true }])),
    },
  })
  return server.listen()
}

async function end() {
  isEnding = true
  const stopped = restarts.then(() => Promise.all(Object.values(programs).map(({ stop }) => stop())))
  // A hub that does not come up is ended while it is waited for.
  await Promise.all([programs.worker.stop(), programs.hub.stop(), page.close(), stopped])
  await Promise.all(builders.map((one) => one.dispose()))
  process.exit(0)
}
