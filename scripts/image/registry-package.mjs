import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { root } from '../checkout.mjs'

const cache = join(root, '.cache', 'packages')

/**
 * The folder of a package of the npm registry, unpacked into `.cache/packages`, for parts that npm does not install on this
 * machine. The archive must have the checksum that is known for it: a registry cannot give other bytes.
 *
 * @param {string} integrity as in a lock file: `sha512-…`
 */
export function registryPackage(name, version, integrity) {
  const folder = join(cache, `${name}@${version}`)
  const unpacked = join(folder, 'package')
  if (existsSync(unpacked)) return unpacked
  mkdirSync(dirname(folder), { recursive: true })
  const work = mkdtempSync(join(cache, '.new-'))
  try {
    const options = { cwd: work, encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }
    const file = fetchArchive(`${name}@${version}`, options)
    const sum = `sha512-${createHash('sha512')
      .update(readFileSync(join(work, file)))
      .digest('base64')}`
    if (sum !== integrity)
      throw new Error(
        `${name}@${version} of the npm registry has the checksum ${sum}, expected is ${integrity}.`,
      )
    execFileSync('tar', ['-xzf', file], options)
    rmSync(join(work, file))
    rmSync(folder, { recursive: true, force: true })
    renameSync(work, folder)
    return unpacked
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}

function fetchArchive(spec, options) {
  try {
    return execFileSync('npm', ['pack', '--silent', spec], options).trim().split('\n').at(-1)
  } catch {
    throw new Error(`${spec} could not be fetched from the npm registry. Check npm config get registry.`)
  }
}
