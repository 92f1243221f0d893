import { errorTemplate } from './error-kind.ts'
import { keyOfEdge, keyOfParty, type Observation, type Traffic } from './evidence.ts'
import type { Loss } from './loss.ts'

/** Failures of one kind between two parties. */
export interface Failures {
  readonly count: number
  readonly first: number
  /** The path that most of them have. */
  readonly worst: Traffic
  /** One for each path and connection end. */
  readonly list: readonly Traffic[]
  /** What the server said, where it is known. */
  readonly text?: string
}

/** With this share of the failures on one path, the loss is that of the path. */
const MOST = 0.6

export function failuresByKind(failures: readonly Traffic[]): ReadonlyMap<string, Failures> {
  const found = new Map<string, Failures>()
  for (const one of failures) {
    const key = `${edgeOf(one)} ${errorTemplate(one.error ?? '')} ${one.connectionEnd ?? ''}`
    const known = found.get(key)
    const text = known?.text ?? one.text
    found.set(key, {
      count: (known?.count ?? 0) + one.calls,
      first: Math.min(known?.first ?? one.first, one.first),
      worst: known === undefined || one.calls > known.worst.calls ? one : known.worst,
      list: [...(known?.list ?? []), one],
      ...(text !== undefined && { text }),
    })
  }
  return found
}

/** Of how many calls these failed: of those on the path that has most of them, or on all of their paths. */
export function lossOf({ worst, list, count }: Failures, observation: Observation): Loss {
  const onWorst = worst.calls >= count * MOST
  const chosen = onWorst ? [worst] : list
  const paths = new Set(chosen.map(({ path }) => path))
  const calls = observation.paths
    .filter((one) => paths.has(one.path) && edgeOf(one) === edgeOf(worst) && one.proto === worst.proto)
    .reduce((sum, one) => sum + one.calls, 0)
  const lost = chosen.reduce((sum, one) => sum + one.calls, 0)
  const isKnown = worst.path !== undefined && calls >= lost
  if (!isKnown) return { how: 'failed', lost: count, of: Math.max(count, callsOf(worst, observation)) }
  return { how: 'failed', lost, of: calls, ...(onWorst && { path: worst.path }) }
}

/** Whether a call like these ever succeeded at the server, of any client. */
export function hasWorked({ list }: Failures, windows: readonly Observation[]): boolean {
  return windows.some(({ paths }) =>
    paths.some(
      (one) =>
        one.calls > one.failures &&
        list.some(
          ({ server, proto, path }) =>
            keyOfParty(server) === keyOfParty(one.server) && proto === one.proto && path === one.path,
        ),
    ),
  )
}

/** A connection that fails has no protocol yet: it counts as a call of any. */
export function edgeOf(traffic: Traffic): string {
  const isName = traffic.proto === 'dns'
  return `${keyOfEdge(traffic)}${isName ? ' dns' : ''}`
}

export function callsByEdge({ edges }: Observation): ReadonlyMap<string, number> {
  const calls = new Map<string, number>()
  for (const edge of edges) calls.set(edgeOf(edge), (calls.get(edgeOf(edge)) ?? 0) + edge.calls)
  return calls
}

function callsOf(worst: Traffic, { edges }: Observation): number {
  return edges.reduce((sum, edge) => sum + (edgeOf(edge) === edgeOf(worst) ? edge.calls : 0), 0)
}
