import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { root, say } from './checkout.mjs'
import { run } from './suites.mjs'

/** The path of a Node.js of this version, installed from npm into `.cache/node` where it is missing; undefined: it cannot be had. */
export async function installNode(version) {
  const name = `node-${process.platform === 'win32' ? 'win' : process.platform}-${process.arch}`
  const folder = join(root, '.cache', 'node', version)
  const path = join(folder, 'node_modules', name, 'bin', 'node')
  if (!isNode(path, version)) {
    const args = ['install', '--no-save', '--no-audit', '--no-fund', '--prefix', folder, `${name}@${version}`]
    const { output, seconds } = await run('npm', args, { quiet: true })
    if (!isNode(path, version)) {
      say(`Node.js ${version} could not be installed from npm (${name}@${version}):\n${output.trimEnd()}`)
      return undefined
    }
    say(`Installed Node.js ${version} in ${seconds} s`)
  }
  return path
}

function isNode(path, version) {
  if (!existsSync(path)) return false
  const { stdout } = spawnSync(path, ['--version'], { encoding: 'utf8' })
  return stdout.startsWith(`v${version}.`)
}
