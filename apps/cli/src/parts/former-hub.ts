import { setTimeout as sleep } from 'node:timers/promises'
import { describeHolder, isHolderAlive, isOrphan, lockFile, readRecord } from '@tapdeck/recording'

const PATIENCE_MS = 10_000
const PAUSE_MS = 50

/**
 * Waits for a hub on this folder whose `tapdeck up` was killed: it is ending, and still listens. Resolves with what to
 * say about a hub that uses the folder then, undefined where there is none.
 */
export async function formerHub(data: string, note: (line: string) => void): Promise<string | undefined> {
  const path = lockFile(data, 'hub')
  for (let waited = 0; ; waited += PAUSE_MS) {
    const holder = readRecord(path)
    if (!holder || !isHolderAlive(holder)) return undefined
    if (!isOrphan(holder) || waited >= PATIENCE_MS)
      return `The folder ${data} is used ${describeHolder(holder)}. Stop it with: kill ${holder.pid}. Or choose --port and --data.`
    if (waited === 0) note(`Waiting for the former hub to end: ${data} is used ${describeHolder(holder)}`)
    await sleep(PAUSE_MS)
  }
}
