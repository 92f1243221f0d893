import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { root, say } from './checkout.mjs'

const lockFile = join(root, 'package-lock.json')
const modules = join(root, 'node_modules')
const stampFile = join(modules, '.cache', 'tapdeck-installed')
const busyFolder = join(root, '.cache', 'installing')

/**
 * Without a registry npm would wait for many minutes: five for each answer, and longer between attempts. What the
 * environment sets wins.
 */
const patience = {
  npm_config_fetch_timeout: '60000',
  npm_config_fetch_retries: '1',
  npm_config_fetch_retry_mintimeout: '1000',
  npm_config_fetch_retry_maxtimeout: '5000',
}

/** Runs `npm ci` where dependencies are missing or the lock file changed; says why where it cannot. */
export async function ensureInstalled() {
  const [major, minor] = process.versions.node.split('.').map(Number)
  if (major < 20 || (major === 20 && minor < 19))
    throw new Error(`Tapdeck needs Node.js 20.19 or newer; this is ${process.version}.`)
  if (isInstalled()) return
  await alone(() => {
    if (!isInstalled()) install()
  })
}

function stamp() {
  const lock = readFileSync(lockFile)
  return createHash('sha256').update(lock).update(`${process.platform} ${process.arch}`).digest('hex')
}

function isInstalled() {
  if (existsSync(stampFile)) return readFileSync(stampFile, 'utf8') === stamp()
  // npm was run by hand: npm's own record of the tree has the time.
  const record = join(modules, '.package-lock.json')
  return existsSync(record) && statSync(record).mtimeMs >= statSync(lockFile).mtimeMs
}

function install() {
  const why = existsSync(modules) ? 'package-lock.json has changed' : 'there is no node_modules folder'
  say(`Installing dependencies with npm ci, because ${why} …`)
  const started = performance.now()
  const npm = process.env.npm_execpath
  const [command, ...before] = npm?.endsWith('.js') ? [process.execPath, npm] : ['npm']
  const options = { cwd: root, stdio: ['ignore', 2, 2], env: cleanEnvironment() }
  const { status, error } = spawnSync(command, [...before, 'ci', '--loglevel=error'], options)
  if (error || status !== 0)
    throw new Error(
      [
        error ? `Could not run npm: ${error.message}.` : `npm ci ended with status ${status}.`,
        'Tapdeck needs a package registry at the first start, and after each change of package-lock.json.',
        'Check the network, the proxy and the registry (npm config get registry), then run the command again.',
        'Without a registry: bring the node_modules folder from a machine with the same checkout.',
      ].join('\n'),
    )
  mkdirSync(join(modules, '.cache'), { recursive: true })
  writeFileSync(stampFile, stamp())
  say(`Installed in ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

/** The test tools are needed to build and to test, whatever the environment says of production. */
function cleanEnvironment() {
  const { NODE_ENV, npm_config_omit, npm_config_production, ...rest } = process.env
  return { ...patience, ...rest }
}

/** Two commands that are started at once in a fresh checkout take turns. */
async function alone(work) {
  const owner = join(busyFolder, 'pid')
  mkdirSync(join(root, '.cache'), { recursive: true })
  for (;;) {
    try {
      mkdirSync(busyFolder)
      break
    } catch (error) {
      if (error.code !== 'EEXIST') throw error
      if (isAbandoned(owner)) rmSync(busyFolder, { recursive: true, force: true })
      else await sleep(250)
    }
  }
  try {
    writeFileSync(owner, String(process.pid))
    work()
  } finally {
    rmSync(busyFolder, { recursive: true, force: true })
  }
}

function isAbandoned(owner) {
  try {
    process.kill(Number(readFileSync(owner, 'utf8')), 0)
    return false
  } catch (error) {
    if (error.code === 'EPERM') return false
    // No file yet: its owner is between two steps, unless the folder is old.
    if (error.code === 'ENOENT')
      return existsSync(busyFolder) && Date.now() - statSync(busyFolder).mtimeMs > 5000
    return true
  }
}
