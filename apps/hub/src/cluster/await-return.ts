import type { Worker } from './worker.ts'
import type { Workers } from './workers.ts'

/** The next connection of a node, at once where it is there already; undefined where none comes in time. */
export function awaitReturn(
  workers: Workers,
  node: string,
  withinMs: number,
  signal: AbortSignal,
): Promise<Worker | undefined> {
  const now = workers.connected.find((worker) => worker.node === node)
  if (now && !now.gone) return Promise.resolve(now)
  if (withinMs <= 0 || signal.aborted) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    const end = (worker?: Worker) => {
      clearTimeout(timer)
      workers.off('join', joined)
      signal.removeEventListener('abort', aborted)
      resolve(worker)
    }
    const joined = (worker: Worker) => {
      if (worker.node === node) end(worker)
    }
    const aborted = () => end()
    const timer = setTimeout(end, withinMs)
    workers.on('join', joined)
    signal.addEventListener('abort', aborted, { once: true })
  })
}
