/** A Ctrl-C comes from the terminal and once more from npm: what follows so soon is the same request. */
const sameRequestMs = 1000

/** Calls back at each request to stop this process; the returned function takes that back. */
export function onStopRequest(stop: () => void, clock = () => performance.now()): () => void {
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const
  let last = Number.NEGATIVE_INFINITY
  const request = () => {
    const now = clock()
    if (now - last < sameRequestMs) return
    last = now
    stop()
  }
  for (const signal of signals) process.on(signal, request)
  return () => {
    for (const signal of signals) process.off(signal, request)
  }
}

/** Runs work that ends at a request to stop this process. */
export async function withStopSignal<Result>(
  work: (signal: AbortSignal) => Promise<Result>,
): Promise<Result> {
  const stop = new AbortController()
  const forget = onStopRequest(() => stop.abort())
  try {
    return await work(stop.signal)
  } finally {
    forget()
  }
}
