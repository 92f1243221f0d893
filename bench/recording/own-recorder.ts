import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { Worker } from 'node:worker_threads'
import type { CaptureRequests, CaptureStart } from '../../apps/worker/src/capture/capture-message.ts'
import { ThreadLink } from '../../apps/worker/src/threads/thread-link.ts'
import { processCpu } from './process-cpu.ts'
import type { Recorder } from './recorder.ts'

/** After this long without packets, all are counted. */
const SETTLED_MS = 1000

/** The worker's capture thread, dormant, in a process that does nothing else. `script` calls `serveRecorder` there. */
export async function startOwn(script: string, start: CaptureStart): Promise<Recorder> {
  const child = spawn(process.execPath, [script, 'record', JSON.stringify(start)], {
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
  const [ready] = await once(child, 'message')
  if (ready !== 'ready') throw new Error(String(ready))
  return {
    cpu: () => processCpu(child.pid ?? 0),
    async stop() {
      child.send('stop')
      const [told] = await once(child, 'message')
      await once(child, 'exit')
      return told
    },
  }
}

/** What is under way to a busy disk is neither recorded nor lost yet: what the thread tells once that has an end. */
async function settled(link: ThreadLink<CaptureRequests>) {
  let told = await link.ask('status', undefined)
  for (let before = -1; before !== told.packets; told = await link.ask('status', undefined)) {
    before = told.packets
    await sleep(SETTLED_MS)
  }
  return told
}

/** The other side of `startOwn`. */
export async function serveRecorder(script: string, start: CaptureStart): Promise<void> {
  const thread = new Worker(script, { workerData: start, trackUnmanagedFds: false })
  const link = new ThreadLink<CaptureRequests>(thread)
  thread.on('message', (answer) => link.receive(answer))
  const { active, reason } = await link.ask('status', undefined)
  process.send!(active ? 'ready' : `no capture: ${reason}`)
  await once(process, 'message')
  const { packets, loss } = await settled(link)
  const { kernel_drops = 0, disk_drops = 0 } = loss
  await link.ask('stop', undefined)
  process.send!({ packets: packets - disk_drops, drops: kernel_drops + disk_drops })
  process.disconnect()
}
