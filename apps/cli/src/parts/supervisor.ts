import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Boot } from '@tapdeck/config'
import { formerHub } from './former-hub.ts'
import { type KeptPart, keepPart } from './kept-part.ts'
import { type PartName, startPart } from './part.ts'
import { freePort, someoneListens } from './port.ts'
import { onStopRequest } from './stop-request.ts'

/**
 * Hub and worker of one machine. A worker that dies is started again, ever later; so is a hub that was killed, while
 * the worker goes on recording. When the hub ends by itself, so does all, with its status: also where another hub holds
 * the folder. Nothing is started where the port is taken. Resolves with the exit status.
 */
export async function superviseParts(
  boot: Boot,
  note: (line: string) => void,
  bundles?: URL,
  clock?: () => number,
): Promise<number> {
  const { hub: address, data } = boot.config
  const former = await formerHub(data, note)
  const port = await freePort(address.host, address.port, former)
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
  }, clock)
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
  return status
}
