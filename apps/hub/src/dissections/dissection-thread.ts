import { constants, setPriority } from 'node:os'
import { parentPort, workerData } from 'node:worker_threads'
import { Problem } from '@tapdeck/api'
import { protocols } from '@tapdeck/dissect'
import { createCatalog } from '@tapdeck/kfl'
import type { Ask } from '@tapdeck/questions'
import { type DissectionWatcher, dissectFiles } from './dissect-files.ts'
import type { DissectionTask } from './dissection-task.ts'
import { endedMeanwhile, type FromThread, movedOn, problemOf, type ToThread } from './thread-message.ts'

/** The entry of the thread that runs one dissection and, while it runs, answers questions about what it has so far. */
try {
  // Of this thread and those it starts: queries and recording have priority.
  setPriority(constants.priority.PRIORITY_BELOW_NORMAL)
} catch {
  // It works all the same.
}
const port = parentPort!
const catalog = createCatalog(protocols)
const REPORT_EVERY_MS = 200
const answerers = new Map<number, Ask>()
let reportedAt = 0

const say = (message: FromThread) => port.postMessage(message)

const cancelled = new AbortController()

port.on('message', (message: ToThread) => {
  if (message.kind === 'cancel') cancelled.abort()
  else void answer(message)
})

async function answer({ id, file, question, input }: Extract<ToThread, { kind: 'ask' }>): Promise<void> {
  try {
    const ask = answerers.get(file)
    if (ask === undefined)
      throw new Problem(409, movedOn, 'The dissection of a node completed during the query; retry the query')
    say({ kind: 'answer', id, result: await ask(question, input) })
  } catch (error) {
    // One that failed has let go of what was asked.
    const isLost = !answerers.has(file) && !(error instanceof Problem)
    say({ kind: 'failure', id, problem: (isLost ? endedMeanwhile() : problemOf(error)).body() })
  }
}

try {
  const watcher: DissectionWatcher = {
    signal: cancelled.signal,
    progress(tally) {
      cancelled.signal.throwIfAborted()
      const now = performance.now()
      if (now - reportedAt < REPORT_EVERY_MS) return
      reportedAt = now
      say({ kind: 'progress', tally: tally() })
    },
    answerer(answer, file) {
      if (answer === undefined) {
        answerers.delete(file)
        return
      }
      answerers.set(file, answer)
      say({ kind: 'file', file, state: 'begun' })
    },
    done(file, tally) {
      say({ kind: 'file', file, state: 'completed' })
      // Others may stall, and report nothing for long.
      say({ kind: 'progress', tally })
    },
  }
  const shardThread = new URL('./hub-shard.mjs', import.meta.url)
  const tally = await dissectFiles(workerData as DissectionTask, catalog, watcher, shardThread)
  say({ kind: 'done', tally })
} catch (error) {
  say({ kind: 'failed', reason: error instanceof Error ? error.message : String(error) })
}
port.close()
