import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from '../checkout.mjs'
import { installNode } from '../install-node.mjs'
import { run } from '../suites.mjs'

const NATIVE = { name: 'chdb', version: '3.4.0' }
const WEB_ASSEMBLY = { name: 'chdb-wasm', version: '0.4.0', node: '24' }

/**
 * Installs a ClickHouse from npm into `.cache` (it is no dependency): the native library where npm has it for this
 * platform (546 MB), else WebAssembly (300 MB), many times slower. Returns how to run it, or the reason why it cannot be had.
 */
export async function installEngine({ nativeOnly = false } = {}) {
  const native = await install(NATIVE)
  if (native !== undefined && hasLibrary(native))
    return { kind: 'native', node: process.execPath, folder: native }
  if (nativeOnly)
    return { reason: `npm has no native ClickHouse for ${process.platform} on ${process.arch}.` }
  const node = await installNode(WEB_ASSEMBLY.node)
  if (node === undefined)
    return { reason: `The engine takes Node.js ${WEB_ASSEMBLY.node}, which cannot be had.` }
  const folder = await install(WEB_ASSEMBLY)
  if (folder === undefined)
    return { reason: `${WEB_ASSEMBLY.name} ${WEB_ASSEMBLY.version} cannot be had from npm.` }
  return { kind: 'WebAssembly', node, folder }
}

/** The library is an optional package of its own, which npm leaves out without an error. */
function hasLibrary(folder) {
  const libc = process.platform === 'linux' ? '-gnu' : ''
  return existsSync(
    join(folder, '..', '@chdb', `lib-${process.platform}-${process.arch}${libc}`, 'package.json'),
  )
}

async function install({ name, version }) {
  const prefix = join(root, '.cache', name)
  const folder = join(prefix, 'node_modules', name)
  if (isInstalled(folder, version)) return folder
  const packed = `${name}@${version}`
  const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', prefix, packed]
  const { output, seconds } = await run('npm', args, { quiet: true })
  if (!isInstalled(folder, version)) {
    say(output.trimEnd())
    return undefined
  }
  say(`Installed ${packed} in ${seconds} s`)
  return folder
}

function isInstalled(folder, version) {
  const manifest = join(folder, 'package.json')
  return existsSync(manifest) && JSON.parse(readFileSync(manifest, 'utf8')).version === version
}
