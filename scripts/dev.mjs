import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { nodeBundles, nodeSettings } from './bundles.mjs'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'

/**
 * `npm run dev`: the page from its sources, reloaded at each change, in front of a hub and worker that are built again and
 * restarted at each change. Arguments go to `tapdeck up`. The page is in front so that both have one origin.
 */
const hubPaths = ['/api', '/auth', '/mcp', '/delayed_dissection.DelayedDissection']
const hubFiles = ['/openapi.json', '/healthz', '/readyz', '/metrics']

await ensureInstalled()
const args = process.argv.slice(2)
const given = args.indexOf('--port')
const hubPort = Number(given < 0 ? (process.env.TAPDECK_PORT ?? 8898) : args[given + 1])
const pagePort = Number(process.env.TAPDECK_DEV_PORT ?? hubPort + 1)

const bundles = join(root, 'dist', 'dev')
let running
let restarts = Promise.resolve()
let isEnding = false

const builder = await watchSources()
const page = await servePage()
say(`The page is at http://127.0.0.1:${pagePort}, the hub at http://127.0.0.1:${hubPort}`)
// Vite has a listener that exits at once; ours ends hub and worker first.
process.removeAllListeners('SIGTERM')
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.once(signal, end)

async function watchSources() {
  const { context } = await import('esbuild')
  const restartAfterBuild = {
    name: 'restart after build',
    setup: ({ onEnd }) =>
      onEnd(({ errors }) => {
        if (errors.length > 0) return say('The build failed; what ran before goes on.')
        restarts = restarts.then(restart)
      }),
  }
  const built = await context({
    ...nodeSettings,
    absWorkingDir: root,
    entryPoints: nodeBundles,
    outdir: bundles,
    outExtension: { '.js': '.mjs' },
    sourcemap: 'linked',
    plugins: [...nodeSettings.plugins, restartAfterBuild],
  })
  await built.watch()
  return built
}

/** Ends hub and worker, and starts them with the new bundles. */
async function restart() {
  if (running) say('The sources changed: hub and worker start again.')
  await stop()
  if (isEnding) return
  const child = spawn(process.execPath, [join(bundles, 'tapdeck.mjs'), 'up', ...args], {
    cwd: root,
    env: { ...process.env, NODE_OPTIONS: '--enable-source-maps' },
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  child.ended = new Promise((resolve) => {
    child.once('error', resolve)
    child.once('exit', (status) => {
      if (status) say(`Hub and worker ended with status ${status}; the next change starts them again.`)
      resolve()
    })
  })
  running = child
}

async function stop() {
  if (!running) return
  running.kill('SIGTERM')
  await running.ended
  running = undefined
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
  await Promise.all([builder.dispose(), page.close(), restarts.then(stop)])
  process.exit(0)
}
