import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Boot } from '@tapdeck/config'
import { claimFolder } from './claim-folder.ts'
import { type KeptPart, keepPart } from './kept-part.ts'
import { onStopRequest, type PartName, startPart } from './part.ts'
import { freePort, someoneListens } from './port.ts'

/**
 * Hub and worker of one machine. A worker that dies is started again, ever later; so is a hub that was killed, while
 * the worker goes on recording. When the hub ends by itself, so does all, with its status. Nothing is started where the
 * port or the folder is taken: most likely by ourselves, and its data is not to be touched. Resolves with the exit status.
 */
export async function superviseParts(
  boot: Boot,
  note: (line: string) => void,
  bundles?: URL,
): Promise<number> {
  const { hub: address, data } = boot.config
  const port = await freePort(address.host, address.port)
  const release = await claimFolder(data)
  const ready: Boot = { ...boot, config: { ...boot.config, hub: { ...address, port } } }
  const env = { TAPDECK_WORKER_TOKEN: randomBytes(32).toString('hex') }
  const ending = new AbortController()
  const keep = (name: PartName, endsAll: (part: ChildProcess) => boolean) =>
    keepPart({
      name,
      start: () => startPart(name, ready, env, bundles),
      endsAll,
      note,
      signal: ending.signal,
    })

  let isAsked = false
  const forget = onStopRequest(() => {
    isAsked = true
    ending.abort()
    hub.stop()
    worker?.stop()
  })
  const hub = keep('hub', ({ signalCode }) => signalCode === null)
  const hubEnd = hub.end.finally(() => ending.abort())
  let worker: KeptPart | undefined
  await someoneListens(address.host, port, ending.signal)
  if (!ending.signal.aborted) worker = keep('worker', () => false)
  const status = await hubEnd
  // Asked twice it would be killed, with the last packets and its index not yet on disk.
  if (!isAsked) worker?.stop()
  await worker?.end
  forget()
  release()
  return status
}
