import type { Connections, Evidence, Observation, PodHeaders, Traffic } from '../evidence.ts'

export const MINUTE = 60_000
export const DAWN = Date.UTC(2026, 0, 1)

/** Calls of `web` to `orders`, as a test wants them. */
export function traffic(
  given: Partial<Omit<Traffic, 'client' | 'server'>> & { from?: string; to?: string },
): Traffic {
  const { from = 'web', to = 'orders', ...rest } = given
  return {
    client: { name: from, ns: 'shop' },
    server: { name: to, ns: 'shop' },
    proto: 'http',
    calls: 100,
    failures: 0,
    unanswered: 0,
    p50: 10,
    p90: 20,
    requestBytes: 10_000,
    responseBytes: 100_000,
    first: DAWN,
    last: DAWN + MINUTE,
    ...rest,
  }
}

function observation(at: number, given: Partial<Observation>): Observation {
  const from = DAWN + at * MINUTE
  return {
    from,
    to: from + MINUTE,
    edges: [],
    paths: [],
    failures: [],
    replicas: [],
    silent: [],
    lookups: [],
    answers: [],
    headers: [],
    isCut: false,
    ...given,
  }
}

/** A minute before and a minute after; `before` null: nothing to compare with. */
export function evidence(
  before: Partial<Observation> | null,
  after: Partial<Observation>,
  more: Partial<Evidence> = {},
): Evidence {
  return {
    ...(before && { before: observation(0, before) }),
    after: observation(1, after),
    connections: [],
    incidents: [],
    certificates: [],
    statements: [],
    stalled: [],
    ...more,
  }
}

/** Connections of `web` to a server, as a test wants them. */
export function pair(server: string, more: Partial<Connections> = {}): Connections {
  return {
    client: { name: 'web' },
    server: { name: server },
    connections: 10,
    open: 0,
    packets: 1000,
    requestBytes: 1000,
    responseBytes: 9000,
    retransmissions: 1,
    zeroWindows: 0,
    ...more,
  }
}

/** Headers of a pod of `auth`. */
export function podHeaders(pod: string, more: Partial<PodHeaders> = {}): PodHeaders {
  return { server: { name: 'auth' }, pod, proto: 'http', constant: {}, calls: 10, ...more }
}
