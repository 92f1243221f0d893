import { spawn } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { ensureInstalled } from './ensure-installed.mjs'
import { installNode } from './install-node.mjs'
import { finish, nothing, run, runVitest } from './suites.mjs'

/**
 * `npm run clickhouse`: the index on a real ClickHouse. `TAPDECK_CLICKHOUSE_URL` names a server; without it, ClickHouse
 * compiled to WebAssembly comes from npm into `.cache/chdb-wasm` (300 MB; it is no dependency) and runs on Node.js 24.
 * Words select test files: `npm run clickhouse -- faults`.
 */
const NODE_VERSION = '24'
const ENGINE_VERSION = '0.4.0'
/** Compiling the engine takes 10 s on an idle machine. */
const START_MS = 180_000

await ensureInstalled()
const words = process.argv.slice(2)
const given = process.env.TAPDECK_CLICKHOUSE_URL
if (given) finish(await test(given))
else {
  const engine = await startEngine()
  if (engine.reason !== undefined) {
    say(`skipped: ${engine.reason} TAPDECK_CLICKHOUSE_URL can name a server instead.`)
    finish({ ...nothing, skipped: 1 })
  } else {
    finish(await test(`http://127.0.0.1:${engine.port}`))
    engine.child.kill()
  }
}

function test(url) {
  return runVitest('ClickHouse', 'vitest.clickhouse.config.ts', {
    env: { TAPDECK_CLICKHOUSE_URL: url },
    words,
  })
}

async function startEngine() {
  const node = await installNode(NODE_VERSION)
  if (node === undefined) return { reason: `The engine takes Node.js ${NODE_VERSION}, which cannot be had.` }
  const folder = await installEngine()
  if (folder === undefined) return { reason: `chdb-wasm ${ENGINE_VERSION} cannot be had from npm.` }
  const child = spawn(node, [join(root, 'scripts', 'clickhouse-engine.mjs'), folder], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const started = performance.now()
  const port = await new Promise((resolve) => {
    const timer = setTimeout(resolve, START_MS)
    child.stdout.once('data', (line) => {
      clearTimeout(timer)
      resolve(Number(String(line)))
    })
    child.once('exit', () => {
      clearTimeout(timer)
      resolve(undefined)
    })
  })
  if (port === undefined) {
    child.kill()
    return { reason: 'ClickHouse in WebAssembly did not start on this machine.' }
  }
  say(`Started ClickHouse in ${Math.round((performance.now() - started) / 1000)} s`)
  return { child, port }
}

async function installEngine() {
  const prefix = join(root, '.cache', 'chdb-wasm')
  const folder = join(prefix, 'node_modules', 'chdb-wasm')
  if (isEngine(folder)) return folder
  const packed = `chdb-wasm@${ENGINE_VERSION}`
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix, packed]
  const { output, seconds } = await run('npm', args, { quiet: true })
  if (!isEngine(folder)) {
    say(output.trimEnd())
    return undefined
  }
  say(`Installed ${packed} in ${seconds} s`)
  return folder
}

function isEngine(folder) {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === ENGINE_VERSION
}
