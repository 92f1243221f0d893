import { type Evidence, keyOfEdge, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { hasRisen, percent } from '../statistics.ts'

/** Near the root: `/orders/{id}/status` is the state of an order. */
const HEALTH =
  /^(\/[^/{]+){0,2}\/(healthz?|livez?|liveness|readyz?|readiness|ping|status|up|actuator\/health)\/?$|grpc\.health/i
const MIN_FAILURES = 3

/** Health checks that began to fail: what checks them takes servers out that may work. */
export function healthCheck({ before, after }: Evidence): Finding[] {
  return after.failures.flatMap((one) => {
    const { client, server, path = '', calls, proto, error, first } = one
    if (!HEALTH.test(path) || calls < MIN_FAILURES) return []
    const checks = callsOn(after.paths, one)
    const was = (before?.failures ?? []).filter((other) => keyOf(other) === keyOf(one))
    const checksBefore = before ? callsOn(before.paths, one) : 0
    const share = calls / Math.max(checks, calls)
    const failedBefore = was.reduce((sum, other) => sum + other.calls, 0)
    const shareBefore = failedBefore / Math.max(checksBefore, 1)
    const isNew = hasRisen(failedBefore, checksBefore, calls, Math.max(checks, calls))
    const works = after.paths.some(
      (other) =>
        keyOfEdge(other) === keyOfEdge(one) &&
        other.path !== path &&
        other.calls > 0 &&
        other.failures < other.calls / 2,
    )
    return [
      {
        kind: 'health_check' as const,
        score: isNew ? 74 + (works ? 6 : 0) : 40,
        what: `The health check ${path} of ${server.name} fails with "${error}"${works ? ', though other calls to it work' : ''}`,
        before: `${percent(shareBefore)} of ${checksBefore} checks`,
        after: `${percent(share)} of ${Math.max(checks, calls)} checks`,
        began: first,
        client,
        server,
        selection: { client, server, proto, path, ...(error !== undefined && { error }) },
        against: isNew
          ? works
            ? []
            : [`Other calls to ${server.name} do not work either: the check may be right.`]
          : ['It failed before, too, or there was no check before.'],
      },
    ]
  })
}

function callsOn(paths: readonly Traffic[], one: Traffic): number {
  return paths.reduce(
    (sum, other) => sum + (keyOfEdge(other) === keyOfEdge(one) && other.path === one.path ? other.calls : 0),
    0,
  )
}

function keyOf(one: Traffic): string {
  return `${keyOfEdge(one)} ${one.path ?? ''}`
}
