import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../checkout.mjs'

/** The manifest of the repository. */
export const rootManifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The lock file: what is installed, by path. */
export const lockedPackages = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages

/** The commit that is built; undefined outside of a checkout. */
export function revision() {
  return git('rev-parse', 'HEAD')
}

/** Whether files differ from that commit. */
export function isChanged() {
  return git('status', '--porcelain', '--untracked-files=no') !== ''
}

/** The time of the sources, not of the build: two builds of one revision are equal. */
export function sourceTime() {
  const seconds = process.env.SOURCE_DATE_EPOCH ?? git('log', '-1', '--format=%ct') ?? '0'
  return new Date(Number(seconds) * 1000).toISOString()
}

/** In a container, the checkout may belong to another user: git would refuse it. */
function git(...args) {
  if (!existsSync(join(root, '.git'))) return undefined
  try {
    return execFileSync('git', ['-c', 'safe.directory=*', ...args], {
      cwd: root,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
  } catch {
    return undefined
  }
}
