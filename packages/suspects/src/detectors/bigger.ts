import { type Evidence, keyOfEdge, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, kilobytes } from '../statistics.ts'

const TIMES = 3
const RISE_BYTES = 10_000
const MIN_CALLS = 5

/** Responses that grew, by path. */
export function bigger({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const known = new Map(before.paths.map((one) => [keyOf(one), one]))
  return after.paths.flatMap((one) => {
    const was = known.get(keyOf(one))
    if (was === undefined || Math.min(was.calls, one.calls) < MIN_CALLS) return []
    const [small, large] = [was.responseBytes / was.calls, one.responseBytes / one.calls]
    if (large - small < RISE_BYTES || large < small * TIMES) return []
    const { client, server, proto, path } = one
    return [
      {
        kind: 'bigger' as const,
        score: 48 + 5 * doublings(large / Math.max(small, 1)),
        what: `${proto} responses of ${server.name} to ${client.name} on ${path} are ${(large / Math.max(small, 1)).toFixed(0)} times as large`,
        before: `${kilobytes(small)} a call`,
        after: `${kilobytes(large)} a call, ${one.calls} calls`,
        client,
        server,
        selection: {
          client,
          server,
          proto,
          ...(path !== undefined && { path }),
          largerThan: Math.round(Math.max(small * 1.5, Math.sqrt(Math.max(small, 1) * large))),
        },
        against: [],
      },
    ]
  })
}

function keyOf(one: Traffic): string {
  return `${keyOfEdge(one)} ${one.proto} ${one.path ?? ''}`
}
