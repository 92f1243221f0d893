import { type Evidence, keyOfEdge, type Observation, type Traffic } from '../evidence.ts'
import type { Finding } from '../finding.ts'
import { doublings, milliseconds } from '../statistics.ts'

/** One call each, as long as their connection: their length is no waiting time. */
const WITHOUT_ANSWER = new Set(['tcp', 'udp', 'sctp', 'icmp', 'websocket'])
const TIMES = 1.5
const RISE_MS = 3
/** Percentiles of fewer calls are chance; a large rise is believed of fewer. */
/** Users hardly notice less: alone it is of medium severity, however many times it is. Milliseconds. */
const NOTICED_MS = 25
const MIN_CALLS = 20
const FEW_CALLS = 8
const LARGE_TIMES = 4
/** A tenth of them are above p90. */
const P90_CALLS = 50
/** Paths of which so much of the calls is known say whether the edge is slower, or only used for other paths. */
const KNOWN_SHARE = 0.7
const PATH_CALLS = 5

interface Rise {
  readonly before: Traffic
  readonly after: Traffic
  readonly times: number
  /** Milliseconds above which nearly all calls are of those that became slower. */
  readonly above: number
  readonly percentile: 'p50' | 'p90'
  readonly risenMs: number
}

/** Calls that take longer, by client and server; on which path, where it is one of several. */
export function slower({ before, after }: Evidence): Finding[] {
  if (before === undefined) return []
  const edges = rises(before.edges, after.edges).filter((rise) => !isOtherMix(rise, before, after))
  const paths = rises(before.paths, after.paths)
  const worstPath = new Map<string, Rise>()
  for (const rise of paths) {
    const known = worstPath.get(edgeKey(rise.after))
    if (known === undefined || rise.times > known.times) worstPath.set(edgeKey(rise.after), rise)
  }
  const withEdge = new Map(edges.map((rise) => [edgeKey(rise.after), rise]))
  const keys = [...new Set([...withEdge.keys(), ...worstPath.keys()])]
  return keys.flatMap((key) => {
    const [edge, path] = [withEdge.get(key), worstPath.get(key)]
    const isOnlyPath = paths.filter((one) => edgeKey(one.after) === key).length === 1
    const isOneOfSeveral = after.paths.filter((one) => edgeKey(one) === key).length > 1
    const isWorse = path && (edge === undefined || path.times >= edge.times * 1.2)
    const rise = isWorse || (isOnlyPath && isOneOfSeveral) ? path : (edge ?? path)
    return rise === undefined ? [] : [finding(rise, after.edges)]
  })
}

function finding(rise: Rise, edges: readonly Traffic[]): Finding {
  const { before, after, times, above, percentile, risenMs } = rise
  const { client, server, proto, path } = after
  const others = edges.filter(
    (one) => one.server.name === server.name && one.server.ns === server.ns && one.proto === proto,
  )
  const where = path === undefined ? '' : ` on ${path}`
  const figures = (one: Traffic) => `p50 ${milliseconds(one.p50 ?? 0)}, p90 ${milliseconds(one.p90 ?? 0)}`
  const score = 46 + 8 * doublings(times) + (percentile === 'p50' ? 4 : 0)
  return {
    kind: 'slower',
    score,
    ...(risenMs < NOTICED_MS && { isMinor: true as const }),
    what: `${proto} calls from ${client.name} to ${server.name}${where} take ${times.toFixed(1)} times as long (${percentile})`,
    before: `${figures(before)} of ${before.calls} calls`,
    after: `${figures(after)} of ${after.calls} calls`,
    client,
    server,
    selection: { client, server, proto, ...(path !== undefined && { path }), slowerThan: above },
    loss: {
      how: 'delayed',
      lost: Math.ceil(after.calls * (percentile === 'p50' ? 0.5 : 0.1)),
      of: after.calls,
      ...(path !== undefined && { path }),
    },
    against: [
      ...(after.calls < MIN_CALLS ? [`Only ${after.calls} calls.`] : []),
      ...(others.length > 1
        ? [
            `${server.name} has ${others.length - 1} other clients: compare them before you blame ${server.name}.`,
          ]
        : []),
    ],
  }
}

function rises(before: readonly Traffic[], after: readonly Traffic[]): Rise[] {
  const known = new Map(before.map((one) => [keyOf(one), one]))
  return after.flatMap((one) => {
    const was = known.get(keyOf(one))
    return was === undefined || WITHOUT_ANSWER.has(one.proto) ? [] : riseOf(was, one)
  })
}

function riseOf(before: Traffic, after: Traffic): Rise | [] {
  const calls = Math.min(before.calls, after.calls)
  const median = timesOf(before.p50, after.p50)
  const tail = calls >= P90_CALLS ? timesOf(before.p90, after.p90) : 0
  const times = Math.max(median, tail)
  if (calls < (times >= LARGE_TIMES ? FEW_CALLS : MIN_CALLS) || times < TIMES) return []
  const [was, is] = median >= tail ? [before.p50, after.p50] : [before.p90, after.p90]
  return {
    before,
    after,
    times,
    above: Math.max(before.p90 ?? 0, Math.sqrt((was ?? 1) * (is ?? 1))),
    percentile: median >= tail ? 'p50' : 'p90',
    risenMs: (is ?? 0) - (was ?? 0),
  }
}

/** No path is slower: there are more calls on the slow ones than before. */
function isOtherMix({ after: edge }: Rise, before: Observation, after: Observation): boolean {
  const [known, all] = [pathsOf(edge, before), pathsOf(edge, after)]
  const common = [...all].flatMap(([path, is]) => {
    const was = known.get(path)
    return was === undefined || Math.min(was.calls, is.calls) < PATH_CALLS ? [] : { was, is }
  })
  const calls = common.reduce((sum, { is }) => sum + is.calls, 0)
  if (common.length < 2 || calls < edge.calls * KNOWN_SHARE) return false
  return common.every(
    ({ was, is }) =>
      timesOf(was.p50, is.p50) < TIMES && (is.calls < P90_CALLS || timesOf(was.p90, is.p90) < TIMES),
  )
}

function pathsOf(edge: Traffic, { paths }: Observation): ReadonlyMap<string, Traffic> {
  return new Map(paths.flatMap((one) => (edgeKey(one) === edgeKey(edge) ? [[one.path ?? '', one]] : [])))
}

function timesOf(before: number | undefined, after: number | undefined): number {
  if (before === undefined || after === undefined || after - before < RISE_MS) return 0
  return after / Math.max(before, 0.1)
}

function keyOf(one: Traffic): string {
  return `${edgeKey(one)} ${one.path ?? ''}`
}

function edgeKey(one: Traffic): string {
  return `${keyOfEdge(one)} ${one.proto}`
}
