import { Problem } from '@tapdeck/api'

/** Once this part of the nodes has answered, the others get so many times as long, and at least so long. */
const PART = 0.75
const TIMES = 4
const MIN_MS = 2000

interface Asked<Output> {
  readonly node: string
  ask(signal: AbortSignal): Promise<Output>
}

/**
 * Asks several nodes at once. A node that is much slower than most of the others does not delay the answer: it is given
 * up and fails with 503, so that the answer lists it as missing.
 */
export async function askTogether<Output>(
  all: readonly Asked<Output>[],
): Promise<PromiseSettledResult<Output>[]> {
  const begun = performance.now()
  const pending = new Map(all.map(({ node }, at) => [at, { node, abort: new AbortController() }]))
  let timer: NodeJS.Timeout | undefined
  const enough = Math.ceil(all.length * PART)
  const results = all.map(async ({ ask }, at) => {
    const { abort } = pending.get(at)!
    try {
      return await ask(abort.signal)
    } finally {
      pending.delete(at)
      if (timer === undefined && all.length - pending.size >= enough) {
        const wait = Math.max(MIN_MS, TIMES * (performance.now() - begun))
        timer = setTimeout(() => giveUp([...pending.values()]), wait)
      }
    }
  })
  try {
    return await Promise.allSettled(results)
  } finally {
    clearTimeout(timer)
  }
}

function giveUp(late: readonly { readonly node: string; readonly abort: AbortController }[]): void {
  for (const { node, abort } of late)
    abort.abort(new Problem(503, 'worker_late', `node "${node}" did not answer when most others had`))
}
