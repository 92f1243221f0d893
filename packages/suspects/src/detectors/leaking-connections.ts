import { type Connections, type Evidence, keyOfEdge, secondsOf } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

const MIN_OPEN = 15
/** A connection that is used again carries more calls than so many. */
const CALLS_EACH = 2.5
/** A pool that is used keeps its connections busy: these were quiet for so much of the time. */
const QUIET_SHARE = 0.15
const OPEN_SHARE = 0.5

/** Connections that are opened and neither used again nor closed. */
export function leakingConnections({ connections, before, after }: Evidence): Finding[] {
  const window = secondsOf(after) * 1000
  const edges = [...(before?.edges ?? []), ...after.edges]
  return connections.flatMap((one) => {
    const { open, openQuietMs, connections: all, connectionsBefore } = one
    if (connectionsBefore === undefined || open < MIN_OPEN || open < all * OPEN_SHARE) return []
    const own = edges.filter((edge) => keyOfEdge(edge) === keyOfEdge(one) && edge.proto !== 'tls')
    const calls = own.reduce((sum, edge) => sum + edge.calls, 0)
    if (calls === 0 || calls > all * CALLS_EACH || openQuietMs < window * QUIET_SHARE) return []
    return [
      finding(
        one,
        connectionsBefore,
        own.some(({ failures }) => failures > 0),
      ),
    ]
  })
}

function finding(
  { client, server, open, openQuietMs, connections }: Connections,
  before: number,
  isAtLimit: boolean,
): Finding {
  return {
    kind: 'leaking_connections',
    score: 62 + 4 * doublings(open / MIN_OPEN) + (isAtLimit ? 10 : 0),
    what: `${client.name} opens connections to ${server.name} and does not close them${isAtLimit ? ', and calls on new ones fail' : ''}`,
    before: `${before} connections`,
    after: `${connections} connections, ${open} still open at the end, quiet for ${(openQuietMs / 1000).toFixed(1)} s on average`,
    client,
    server,
    selection: { client, server },
    against: ['A pool that was made larger on purpose looks the same until it is used.'],
  }
}
