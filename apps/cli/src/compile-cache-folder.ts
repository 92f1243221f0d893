import { userInfo } from 'node:os'
import { isAbsolute, join } from 'node:path'

/**
 * Where compiled code is kept: in the cache of the user that runs this, because it is run again without a check. The home folder is
 * that of the account: HOME may name another user's. Undefined for an account without one.
 */
export function compileCacheFolder(env: Readonly<Record<string, string | undefined>>): string | undefined {
  const { XDG_CACHE_HOME: caches = '' } = env
  if (isAbsolute(caches)) return join(caches, 'tapdeck', 'compiled')
  try {
    const { homedir } = userInfo()
    return homedir && join(homedir, '.cache', 'tapdeck', 'compiled')
  } catch {
    // A container may run as a number that no account has.
    return undefined
  }
}
