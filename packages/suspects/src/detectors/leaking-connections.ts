import { type Connections, type Evidence, keyOfEdge, secondsOf } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

const MIN_OPEN = 15
/** Of the connections of a sample, so many carried one or two calls: a pool uses its connections again. */
const HARDLY_USED_SHARE = 0.7
/** A pool that is used keeps its connections busy: these were quiet for so much of the time. */
const QUIET_SHARE = 0.15

/** Connections that are opened and neither used again nor closed. */
export function leakingConnections({ connections, after }: Evidence): Finding[] {
  const window = secondsOf(after) * 1000
  return connections.flatMap((one) => {
    const { open, connectionsBefore, sampled = 0, hardlyUsed = 0, quietMs = 0 } = one
    if (connectionsBefore === undefined || open < MIN_OPEN || quietMs < window * QUIET_SHARE) return []
    // Those that a server at its limit closes at once are not in the sample: they carried no answer.
    if (hardlyUsed < MIN_OPEN || hardlyUsed < sampled * HARDLY_USED_SHARE) return []
    const own = after.edges.filter((edge) => keyOfEdge(edge) === keyOfEdge(one) && edge.proto !== 'tls')
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
  { client, server, open, quietMs = 0, connections }: Connections,
  before: number,
  isAtLimit: boolean,
): Finding {
  return {
    kind: 'leaking_connections',
    score: 62 + 4 * doublings(open / MIN_OPEN) + (isAtLimit ? 10 : 0),
    what: `${client.name} opens connections to ${server.name} and does not close them${isAtLimit ? ', and calls on new ones fail' : ''}`,
    before: `${before} connections`,
    after: `${connections} connections, ${open} still open at the end, quiet for ${(quietMs / 1000).toFixed(1)} s on average`,
    client,
    server,
    selection: { client, server },
    against: ['A pool that was made larger on purpose looks the same until it is used.'],
  }
}
