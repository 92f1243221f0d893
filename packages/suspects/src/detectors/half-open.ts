import { type Evidence, keyOfEdge } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings } from '../statistics.ts'

const MIN_CONNECTIONS = 2

/**
 * Connections that one end believes to be open while the other end, or something between them, has forgotten them: a
 * request is sent again and again, and not even refused.
 */
export function halfOpen({ stalled, after }: Evidence): Finding[] {
  return stalled.flatMap((one) => {
    const { client, server, proto, connections, requests, idle, first } = one
    if (connections < MIN_CONNECTIONS) return []
    const answered = after.edges
      .filter((edge) => keyOfEdge(edge) === keyOfEdge(one))
      .reduce((sum, edge) => sum + edge.calls - edge.failures, 0)
    return [
      {
        kind: 'half_open',
        score: 64 + 4 * doublings(connections / MIN_CONNECTIONS) + (answered > 0 ? 6 : 0),
        what: `${client.name} uses connections to ${server.name} that the other end no longer knows${answered > 0 ? ', while others work' : ''}`,
        after: `${requests} requests on ${connections} connections sent again and never answered; idle before for up to ${(idle / 1000).toFixed(1)} s`,
        began: first,
        client,
        server,
        selection: { client, server, proto, isStalled: true },
        against: answered > 0 ? [] : [`${server.name} answers no requests: it may be gone.`],
      },
    ]
  })
}
