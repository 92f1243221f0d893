import { spawnSync } from 'node:child_process'
import { constants } from 'node:os'

/** One way to lock an open file for this process. The kernel frees the lock when the process ends, however it ends. */
export interface FileLock {
  readonly name: string
  /** False where another process holds the lock. Rejects where this way does not work here. */
  lock(fd: number): Promise<boolean>
}

const LOCK_EX = 2
const LOCK_NB = 4

let loaded: Promise<{ flock(fd: number, operation: number): number; errno(): number }> | undefined

/** The system call. */
const systemCall: FileLock = {
  name: 'flock(2)',
  async lock(fd) {
    loaded ??= load()
    const system = await loaded
    for (;;) {
      if (system.flock(fd, LOCK_EX | LOCK_NB) === 0) return true
      const errno = system.errno()
      if (errno === constants.errno.EWOULDBLOCK || errno === constants.errno.EAGAIN) return false
      if (errno !== constants.errno.EINTR) throw new Error(`errno ${errno}`)
    }
  },
}

/** The command of the same name. It locks the open file that it shares with us, and we keep the lock when it ends. */
const command: FileLock = {
  name: 'flock(1)',
  async lock(fd) {
    const { status, error } = spawnSync('flock', ['-n', '3'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
    if (error) throw error
    if (status !== 0 && status !== 1) throw new Error(`status ${status}`)
    return status === 0
  },
}

export const fileLocks: readonly FileLock[] = [systemCall, command]

async function load() {
  const { default: koffi } = await import('koffi')
  return { flock: koffi.load(null).func('int flock(int, int)'), errno: () => koffi.errno() }
}
