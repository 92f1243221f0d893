// Makes all captures anew, each script in a network of its own. It installs nothing: a script whose programs are missing
// is skipped, and the packages are named. Run as root.
//   node test/captures/run-all.mjs                    replaces the captures and their goldens
//   node test/captures/run-all.mjs --to DIR           lays them below DIR, as <protocol>/captures/<name>.pcap
//   node test/captures/run-all.mjs --check            makes them elsewhere, and says whether they give the same calls
// Names of scripts, such as redis or http2, choose among them.
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { accessSync, constants, mkdirSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { parseArgs } from 'node:util'
import { nodeSettings } from '../../scripts/bundles.mjs'
import { root } from '../../scripts/checkout.mjs'
import { scripts } from './scripts.mjs'

/** What every script needs. */
const ALWAYS = { tcpdump: 'tcpdump', unshare: 'util-linux', ip: 'iproute2' }
/** The longest that a script may take. */
const PATIENCE = 300_000

const here = fileURLToPath(new URL('.', import.meta.url))
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { to: { type: 'string' }, check: { type: 'boolean', default: false } },
})
const elsewhere = values.check && values.to === undefined
const to = elsewhere ? mkdtempSync(join(tmpdir(), 'captures-check-')) : values.to && resolve(values.to)
if (to) mkdirSync(to, { recursive: true })

const chosen = scripts.filter(
  ({ script }) => positionals.length === 0 || positionals.includes(script.replace(/\.\w+$/, '')),
)
const results = []
for (const one of chosen) {
  const missing = Object.entries({ ...ALWAYS, ...one.needs })
    .filter(([program]) => !isInstalled(program))
    .map(([, packages]) => packages)
  if (missing.length > 0) report(one.script, 'skipped', `needs ${missing.join(' ')}`)
  else await make(one)
}
if (to === undefined)
  goldens(results.filter(({ state }) => state === 'ok').flatMap(({ protocols }) => protocols))
if (elsewhere) rmSync(to, { recursive: true, force: true })
const count = (state) => results.filter((one) => one.state === state).length
console.log(`${count('ok')} ok, ${count('failed')} failed, ${count('skipped')} skipped`)
process.exitCode = count('failed') > 0 ? 1 : 0

async function make({ script, protocols }) {
  const command = script.endsWith('.mjs') ? `exec ${process.execPath}` : 'exec bash'
  const child = spawn(
    'unshare',
    ['-n', 'bash', '-c', `ip link set lo up; ${command} "$0"`, join(here, script)],
    {
      env: { ...process.env, ...(to && { CAPTURES_TO: to }) },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    },
  )
  let said = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (said += text))
  const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), PATIENCE)
  const [status] = await once(child, 'close')
  clearTimeout(late)
  if (status !== 0) return report(script, 'failed', said.trim().split('\n').slice(-5).join('\n'), protocols)
  const changed = values.check ? await changes(protocols) : []
  report(script, changed.length === 0 ? 'ok' : 'failed', changed.join('\n'), protocols)
}

function report(script, state, why, protocols = []) {
  results.push({ state, protocols })
  console.log(`${state.padEnd(7)} ${script}${why ? `: ${why}` : ''}`)
}

/** What the new captures say otherwise than the goldens of the old. */
async function changes(protocols) {
  const { build } = await import('esbuild')
  const outfile = join(root, 'dist', 'compare-calls.mjs')
  await build({
    ...nodeSettings,
    absWorkingDir: root,
    entryPoints: [join(here, 'compare-calls.ts')],
    outfile,
  })
  const { changedCalls } = await import(pathToFileURL(outfile).href)
  return protocols.flatMap((protocol) =>
    changedCalls(
      join(to, protocol, 'captures'),
      join(root, 'packages/dissect/src/protocols', protocol, 'captures'),
    ),
  )
}

function goldens(protocols) {
  const folders = protocols.map((protocol) => `packages/dissect/src/protocols/${protocol}/`)
  if (folders.length === 0) return
  const args = [join(root, 'node_modules/vitest/vitest.mjs'), 'run', ...folders]
  const env = { ...process.env, UPDATE_GOLDEN: '1' }
  const { status } = spawnSync(process.execPath, args, { cwd: root, env, stdio: 'inherit' })
  if (status !== 0) report('goldens', 'failed', 'their tests do not pass')
}

function isInstalled(program) {
  const folders = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/sbin']
  return folders.some((folder) => {
    try {
      accessSync(join(folder, program), constants.X_OK)
      return true
    } catch {
      return false
    }
  })
}
