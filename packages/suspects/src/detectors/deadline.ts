import { type Evidence, keyOfEdge, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { hasRisen, milliseconds, percent } from '../statistics.ts'

const GIVEN_UP = /deadline|^cancel|timeout|timed out|^504$/i
/** Calls that end by a timer all last the same: p90 is at most so many times p50. */
const SAME = 1.4
const MIN_CALLS = 5

/** Calls that are given up at a fixed time in which the server never could answer all of them. */
export function deadline({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  return after.failures.flatMap((one) => {
    const { error = '', calls, p50, p90 } = one
    if (!GIVEN_UP.test(error) || calls < MIN_CALLS || p50 === undefined || p90 === undefined) return []
    const was = before.edges.find((edge) => isSame(edge, one))
    const is = after.edges.find((edge) => isSame(edge, one))
    if (was?.p90 === undefined || is === undefined) return []
    const failedBefore = before.failures
      .filter((other) => isSame(other, one) && GIVEN_UP.test(other.error ?? ''))
      .reduce((sum, other) => sum + other.calls, 0)
    if (!hasRisen(failedBefore, was.calls, calls, is.calls)) return []
    // The server always needed so long at times: it is the deadline that is new.
    if (p90 > p50 * SAME || p50 > was.p90) return []
    return [finding(one, was, is)]
  })
}

function finding(one: Traffic, was: Traffic, is: Traffic): Finding {
  const { client, server, proto, path, error = '', calls, p50 = 0, first } = one
  const share = Math.min(1, calls / is.calls)
  return {
    kind: 'deadline',
    score: 70 + 15 * share,
    what: `${client.name} gives up its ${proto} calls to ${server.name} after ${milliseconds(p50)}, a time that they always needed`,
    before: `p50 ${milliseconds(was.p50 ?? 0)}, p90 ${milliseconds(was.p90 ?? 0)}, none given up`,
    after: `${percent(share)} of ${is.calls} calls end with "${error}" after ${milliseconds(p50)}`,
    began: first,
    client,
    server,
    selection: { client, server, proto, error, ...(path !== undefined && { path }) },
    against: [
      `The deadline is inferred: all calls that fail last the same. ${server.name} may have a limit of its own.`,
    ],
  }
}

function isSame(one: Traffic, other: Traffic): boolean {
  return keyOfEdge(one) === keyOfEdge(other) && one.proto === other.proto
}
