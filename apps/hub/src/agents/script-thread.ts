import { parentPort, workerData } from 'node:worker_threads'
import type { FromScript, ToScript } from './script-message.ts'
import { ScriptSandbox } from './script-sandbox.ts'

/** The thread of one script. It ends at the first failure; its owner decides what follows. */
const port = parentPort!
const say = (message: FromScript) => port.postMessage(message)

function fail(error: unknown): void {
  say({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
  port.close()
}

try {
  const sandbox = await ScriptSandbox.open((workerData as { source: string }).source)
  port.on('message', ({ calls, skipped }: ToScript) => {
    try {
      say({ kind: 'done', ...sandbox.take(calls, skipped) })
    } catch (error) {
      fail(error)
    }
  })
  say({ kind: 'ready' })
} catch (error) {
  fail(error)
}
