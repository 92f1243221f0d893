import { createHash } from 'node:crypto'
import { realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

const PATIENCE_MS = 5000
const PAUSE_MS = 100

/**
 * Lets one process at a time use a folder. The lock is a socket name that the kernel frees with the process, so that
 * a crash leaves nothing to clean up. Waits a moment for a process that is just ending. Rejects where it stays taken.
 */
export async function lockFolder(folder: string, patienceMs = PATIENCE_MS): Promise<void> {
  if (process.platform !== 'linux') return
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 40)
  for (let waited = 0; ; waited += PAUSE_MS) {
    if (await listen(`\0tapdeck-${name}`)) return
    if (waited >= patienceMs) throw new Error(`another worker uses ${folder}`)
    await sleep(PAUSE_MS)
  }
}

function listen(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy())
    server.once('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EADDRINUSE') resolve(false)
      else reject(error)
    })
    server.listen(path, () => resolve(true))
    server.unref()
  })
}
