import { type Evidence, keyOfEdge, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { kilobytes } from '../statistics.ts'

/** Less fits into any link. */
const LARGE_BYTES = 500
const TIMES = 2
const MIN_CALLS = 3
const MIN_RETRANSMISSIONS = 5

/** Large requests that get no answer and are sent again and again, while small ones to the same server work. */
export function mtuBlackHole({ before, after, connections }: Evidence): Finding[] {
  return after.silent.flatMap((lost) => {
    const { calls, requestBytes, client, server, proto } = lost
    const isSame = (one: Traffic) => keyOf(one) === keyOf(lost)
    const all = after.edges.find(isSame)
    if (all === undefined || calls < MIN_CALLS || all.calls - calls < MIN_CALLS) return []
    const [small, large] = [(all.requestBytes - requestBytes) / (all.calls - calls), requestBytes / calls]
    if (large < LARGE_BYTES || large < small * TIMES) return []
    const sentAgain = connections.find((one) => keyOfEdge(one) === keyOfEdge(lost))?.retransmissions ?? 0
    const lostBefore = before?.silent.find(isSame)?.calls ?? 0
    if (sentAgain < Math.max(MIN_RETRANSMISSIONS, calls) || lostBefore * TIMES > calls) return []
    return [
      {
        kind: 'mtu_black_hole' as const,
        score: 82,
        what: `Large packets from ${client.name} to ${server.name} vanish: requests of ${kilobytes(large)} are sent again and never answered, those of ${kilobytes(small)} are answered`,
        before: `${lostBefore} calls without an answer`,
        after: `${calls} calls without an answer, ${sentAgain} packets sent again`,
        began: lost.first,
        client,
        server,
        selection: {
          client,
          server,
          proto,
          isSilent: true,
          requestLargerThan: Math.round(Math.sqrt(Math.max(small, 1) * large)),
        },
        against: ['A server that hangs on large requests looks similar, but acknowledges their packets.'],
      },
    ]
  })
}

function keyOf(one: Traffic): string {
  return `${keyOfEdge(one)} ${one.proto}`
}
