import type { ChildProcess } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import type { Boot } from '@tapdeck/config'
import { claimFolder } from './claim-folder.ts'
import { endOf, onStopRequest, startPart, stopPart } from './part.ts'
import { freePort, someoneListens } from './port.ts'
import { RestartDelay } from './restart-delay.ts'

/**
 * Hub and worker of one machine. A worker that dies is started again, ever later; when the hub ends, so does all,
 * with its status. Nothing is started where the port or the folder is taken: most likely by ourselves, and its data is
 * not to be touched. Resolves with the exit status.
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
  const hub = startPart('hub', ready, env, bundles)
  const hubEnd = endOf(hub).finally(() => ending.abort())
  const delay = new RestartDelay()
  let worker: ChildProcess | undefined
  let workerEnd: Promise<unknown> | undefined
  let timer: NodeJS.Timeout | undefined

  const startWorker = () => {
    if (ending.signal.aborted) return
    const started = Date.now()
    const part = startPart('worker', ready, env, bundles)
    worker = part
    workerEnd = endOf(part).then((status) => {
      worker = undefined
      if (ending.signal.aborted) return
      const wait = delay.after(Date.now() - started)
      const how = part.signalCode === null ? `with status ${status}` : `by ${part.signalCode}`
      note(`The worker ended ${how}; starting it again in ${wait / 1000} s`)
      timer = setTimeout(startWorker, wait)
    })
  }
  const stopWorker = () => {
    ending.abort()
    clearTimeout(timer)
    if (worker !== undefined) stopPart(worker)
  }
  const forget = onStopRequest(() => {
    stopWorker()
    stopPart(hub)
  })

  await someoneListens(address.host, port, ending.signal)
  startWorker()
  const status = await hubEnd
  if (worker !== undefined && !worker.killed) stopWorker()
  await workerEnd
  clearTimeout(timer)
  forget()
  release()
  return status
}
