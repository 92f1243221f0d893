import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Why the programs of a test cluster do not run on this machine; undefined where they do. Programs that are unpacked
 * already are tried: they may be built for this machine, or be wrappers around an emulator. Archives are for x86-64.
 */
export function reasonPackUnfit(pack, { arch = process.arch, env = process.env } = {}) {
  const cache = join(env.XDG_CACHE_HOME || join(homedir(), '.cache'), 'kube-pack')
  const folders = env.DIST ? [env.DIST] : [join(pack, 'dist'), cache]
  const program = folders.map((folder) => join(folder, 'bin', 'kubectl')).find((file) => existsSync(file))
  if (program === undefined)
    return arch === 'x64'
      ? undefined
      : `the programs of the test cluster are for x86-64, and this machine is ${arch}`
  const { status, error, stderr } = spawnSync(program, ['version', '--client'], { encoding: 'utf8' })
  if (status === 0) return undefined
  // A shell that takes a foreign program for a script puts its bytes into the message.
  const said =
    error?.code ??
    stderr
      .trim()
      .split('\n')[0]
      .replace(/[^\x20-\x7e]+/g, '?')
  return `${program} does not run on this machine (${arch}): ${said}`
}
