import { createHash } from 'node:crypto'
import { mkdirSync, realpathSync } from 'node:fs'
import { createServer } from 'node:net'
import { CommandFailed } from '../command-failed.ts'

/**
 * Lets one hub at a time use a data folder. The claim is a socket name that the kernel frees with this process,
 * however it ends. Rejects with `CommandFailed` where the folder cannot be used.
 */
export async function claimFolder(folder: string): Promise<() => void> {
  try {
    mkdirSync(folder, { recursive: true })
  } catch (error) {
    throw new CommandFailed(`cannot use ${folder}: ${(error as Error).message}`, {
      hint: '--data chooses another folder.',
    })
  }
  if (process.platform !== 'linux') return () => undefined
  const name = createHash('sha256').update(realpathSync(folder)).digest('hex').slice(0, 40)
  const server = createServer((socket) => socket.destroy())
  await new Promise<void>((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'EADDRINUSE'
          ? new CommandFailed(`another hub is using ${folder}`, { hint: '--data chooses another folder.' })
          : error,
      ),
    )
    server.listen(`\0tapdeck-hub-${name}`, resolve)
  })
  return () => server.close()
}
