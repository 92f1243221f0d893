import {
  type Connections,
  type Evidence,
  keyOfParty,
  type Observation,
  type Party,
  type Traffic,
} from './evidence.ts'

/** From so many addresses on, the clients of a server are one row. */
const MIN_ADDRESSES = 3
const ADDRESS = /^(\d{1,3}(\.\d{1,3}){3}|[\da-f]*:[\da-f:.]+)$/i

const outside: Party = { name: 'outside', isOutside: true }

/** The same evidence, with the clients that have only an address as one client of each server. */
export function mergeOutside(evidence: Evidence): Evidence {
  const { before, after } = evidence
  const edges = [...(before?.edges ?? []), ...after.edges]
  const hosts = new Set(edges.map(({ server }) => server.name.replace(/:\d+$/, '')))
  const isBare = ({ name, ns }: Party) => ns === undefined && ADDRESS.test(name) && !hosts.has(name)
  const clients = new Map<string, Set<string>>()
  for (const { client, server } of edges)
    if (isBare(client)) {
      const known = clients.get(keyOfParty(server)) ?? new Set()
      clients.set(keyOfParty(server), known.add(client.name))
    }
  const many = new Set([...clients].flatMap(([key, { size }]) => (size < MIN_ADDRESSES ? [] : key)))
  if (many.size === 0) return evidence
  const merged = <T extends Pair>(list: readonly T[], put: (a: T, b: T) => T, key: (one: T) => unknown) => {
    const rows = new Map<string, T>()
    for (const one of list) {
      const isOutside = many.has(keyOfParty(one.server)) && isBare(one.client)
      const row = isOutside ? { ...one, client: outside } : one
      const name = JSON.stringify([row.client, row.server, key(row)])
      const known = rows.get(name)
      rows.set(name, known === undefined ? row : put(known, row))
    }
    return [...rows.values()]
  }
  const traffic = (list: readonly Traffic[]) =>
    merged(list, together, ({ proto, path, error, connectionEnd }) => [proto, path, error, connectionEnd])
  const observed = (one: Observation): Observation => ({
    ...one,
    edges: traffic(one.edges),
    paths: traffic(one.paths),
    failures: traffic(one.failures),
    silent: traffic(one.silent),
  })
  return {
    ...evidence,
    ...(before && { before: observed(before) }),
    after: observed(after),
    connections: merged(evidence.connections, connectionsTogether, () => ''),
  }
}

interface Pair {
  readonly client: Party
  readonly server: Party
}

/** Of groups, percentiles cannot be added: the middle is weighted by calls. */
function together(a: Traffic, b: Traffic): Traffic {
  const weighted = (x: number | undefined, y: number | undefined) =>
    x === undefined || y === undefined ? (x ?? y) : (x * a.calls + y * b.calls) / (a.calls + b.calls)
  const [p50, p90] = [weighted(a.p50, b.p50), weighted(a.p90, b.p90)]
  return {
    ...a,
    calls: a.calls + b.calls,
    failures: a.failures + b.failures,
    unanswered: a.unanswered + b.unanswered,
    ...(p50 !== undefined && { p50 }),
    ...(p90 !== undefined && { p90 }),
    requestBytes: a.requestBytes + b.requestBytes,
    responseBytes: a.responseBytes + b.responseBytes,
    first: Math.min(a.first, b.first),
    last: Math.max(a.last, b.last),
    ...(b.text !== undefined && { text: b.text }),
  }
}

function connectionsTogether(a: Connections, b: Connections): Connections {
  return {
    ...a,
    connections: a.connections + b.connections,
    open: a.open + b.open,
    ...(a.connectionsBefore !== undefined && {
      connectionsBefore: a.connectionsBefore + (b.connectionsBefore ?? 0),
    }),
    packets: a.packets + b.packets,
    requestBytes: a.requestBytes + b.requestBytes,
    responseBytes: a.responseBytes + b.responseBytes,
    retransmissions: a.retransmissions + b.retransmissions,
    zeroWindows: a.zeroWindows + b.zeroWindows,
    ...earlier('clientZeroWindow', a, b),
    ...earlier('serverZeroWindow', a, b),
  }
}

function earlier(name: 'clientZeroWindow' | 'serverZeroWindow', a: Connections, b: Connections) {
  const times = [a[name], b[name]].filter((time) => time !== undefined)
  return times.length === 0 ? {} : { [name]: Math.min(...times) }
}
