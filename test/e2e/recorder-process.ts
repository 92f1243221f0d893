import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import type {
  CaptureRequests,
  CaptureStart,
  CaptureStatus,
} from '../../apps/worker/src/capture/capture-message.ts'
import { ThreadLink } from '../../apps/worker/src/threads/thread-link.ts'

const thread = fileURLToPath(new URL('../../dist/worker-capture.mjs', import.meta.url))

/** The capture thread, and a process around it that hands on what it is asked. */
const program = `
  const { Worker } = require('node:worker_threads')
  const worker = new Worker(process.argv[1], { workerData: JSON.parse(process.argv[2]), trackUnmanagedFds: false })
  worker.on('message', (answer) => process.send(answer))
  process.on('message', (request) => worker.postMessage(request))
  worker.on('exit', () => process.disconnect())
`

/** A recorder in a process of its own, so that it can be stopped in the middle of everything. */
export class RecorderProcess {
  readonly #child: ChildProcess
  readonly #link: ThreadLink<CaptureRequests>

  constructor(start: Omit<CaptureStart, 'node' | 'application'>, command: readonly string[] = []) {
    const data = JSON.stringify({ node: 'n', application: 'test', ...start })
    const [file, ...args] = [...command, process.execPath, '-e', program, thread, data]
    this.#child = spawn(file!, args, { stdio: ['ignore', 'inherit', 'inherit', 'ipc'] })
    this.#link = new ThreadLink({ postMessage: (message) => void this.#child.send(message as object) })
    this.#child.on('message', (answer) => this.#link.receive(answer as never))
  }

  status(): Promise<CaptureStatus> {
    return this.#link.ask('status', undefined)
  }

  /** Waits until the status is as wanted. */
  async until(what: string, wanted: (status: CaptureStatus) => boolean): Promise<CaptureStatus> {
    let last: CaptureStatus | undefined
    for (let attempt = 0; attempt < 300; attempt++) {
      last = await this.status()
      if (wanted(last)) return last
      await sleep(100)
    }
    throw new Error(`${what}, but ${JSON.stringify(last)}`)
  }

  signal(signal: 'SIGSTOP' | 'SIGCONT' | 'SIGKILL'): void {
    this.#child.kill(signal)
  }

  ask<Name extends keyof CaptureRequests & string>(
    name: Name,
    input: CaptureRequests[Name]['input'],
  ): Promise<CaptureRequests[Name]['output']> {
    return this.#link.ask(name, input)
  }

  async stop(): Promise<void> {
    const gone = once(this.#child, 'exit')
    if (this.#child.exitCode !== null) return
    await this.#link.ask('stop', undefined)
    await gone
  }
}
