import { type Evidence, keyOfEdge, type Statement } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { milliseconds } from '../statistics.ts'

/** Statements that end so soon after a COMMIT were waiting for it. Milliseconds. */
const AFTER_MS = 10
const WAITED_MS = 100
const MIN_WAITERS = 3
const SHOWN = 90

interface Wait {
  readonly holder: Statement
  readonly waiters: readonly Statement[]
}

/** Statements of several sessions that all end at the instant at which another session ends its transaction. */
export function locks({ statements }: Evidence): Finding[] {
  const slow = statements
    .filter((one) => !one.endsTransaction && one.end - one.start >= WAITED_MS)
    .sort((a, b) => a.end - b.end)
  const waits = statements
    .filter(({ endsTransaction }) => endsTransaction)
    .flatMap((holder) => waitFor(holder, slow))
  const worst = new Map<string, { wait: Wait; times: number; waiters: number }>()
  for (const wait of waits) {
    const key = keyOfEdge(wait.holder)
    const known = worst.get(key)
    const isWorse = known === undefined || wait.waiters.length > known.wait.waiters.length
    worst.set(key, {
      wait: isWorse ? wait : known.wait,
      times: (known?.times ?? 0) + 1,
      waiters: (known?.waiters ?? 0) + wait.waiters.length,
    })
  }
  return [...worst.values()].map(({ wait, times, waiters }) => finding(wait, times, waiters))
}

function waitFor(holder: Statement, slow: readonly Statement[]): Wait | [] {
  const waiters = slow.slice(lowerBound(slow, holder.end)).filter(isWaiter)
  function isWaiter({ server, session, end, start }: Statement): boolean {
    return (
      end <= holder.end + AFTER_MS &&
      start < holder.start &&
      session !== holder.session &&
      server.name === holder.server.name &&
      server.ns === holder.server.ns
    )
  }
  const sessions = new Set(waiters.map(({ session }) => session))
  return sessions.size < MIN_WAITERS ? [] : { holder, waiters }
}

/** The first place whose end is not before `time`: the commit must be visible before the others go on. */
function lowerBound(sorted: readonly Statement[], time: number): number {
  let [low, high] = [0, sorted.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if ((sorted[middle]?.end ?? 0) < time) low = middle + 1
    else high = middle
  }
  return low
}

function finding({ holder, waiters }: Wait, times: number, all: number): Finding {
  const { client, server, proto } = holder
  const longest = Math.max(...waiters.map((one) => one.end - one.start))
  const texts = [...new Set(waiters.map(({ text }) => text.slice(0, SHOWN)))]
  return {
    kind: 'lock',
    score: Math.min(88, 72 + 2 * all),
    what: `${client.name} holds a transaction open in ${server.name}: ${waiters.length} statements of other sessions end at the instant of its ${holder.text.slice(0, 20)}`,
    after: `${all} statements waited, up to ${milliseconds(longest)}, for ${times} transactions; such as ${texts[0] ?? ''}`,
    began: Math.min(...waiters.map(({ start }) => start)),
    client,
    server,
    selection: { server, proto, slowerThan: WAITED_MS },
    against: ['That they waited for this transaction is inferred from the times.'],
  }
}
