import type { WorkerRequests } from '@tapdeck/api'
import type { Worker } from '../cluster/worker.ts'

type Window = WorkerRequests['window']

const PIECE_WITHIN = 30_000

/** The packets of a window as a worker sends them, as fast as they are read. `done` is called after the last. */
export async function* windowChunks(
  worker: Worker,
  window: Window['input'],
  signal: AbortSignal,
  done: (answer: Window['output']) => void = () => {},
): AsyncGenerator<Uint8Array> {
  const stop = new AbortController()
  const waiting: { readonly bytes: Uint8Array; used(): void }[] = []
  let isEnded = false
  let failure: unknown
  let wake = () => {}
  const take = (bytes: Uint8Array) =>
    new Promise<void>((used) => {
      waiting.push({ bytes, used })
      wake()
    })
  const options = { patience: PIECE_WITHIN, signal: AbortSignal.any([signal, stop.signal]) }
  worker
    .stream('window', window, take, options)
    .then(done)
    .catch((error: unknown) => {
      failure = error
    })
    .finally(() => {
      isEnded = true
      wake()
    })
  try {
    for (;;) {
      const next = waiting.shift()
      if (next) {
        yield next.bytes
        next.used()
      } else if (failure !== undefined) throw failure
      else if (isEnded) return
      else
        await new Promise<void>((resolve) => {
          wake = resolve
        })
    }
  } finally {
    stop.abort()
  }
}
