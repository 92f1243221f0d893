import { errorTemplate, isClientError, kindOfError } from '../error-kind.ts'
import { type Evidence, keyOfEdge, type Observation, secondsOf, type Traffic } from '../evidence.ts'
import type { Finding, FindingKind } from '../finding.ts'
import { hasRisen, percent } from '../statistics.ts'

/** Failures of one kind between two parties. */
interface Failures {
  readonly count: number
  readonly first: number
  /** The path that most of them have. */
  readonly worst: Traffic
  readonly paths: number
}

const BASE: Partial<Record<FindingKind, number>> = {
  failing: 58,
  unanswered: 62,
  connection_failed: 64,
  dns_failing: 60,
  tls_failing: 68,
}
/** Failures of a kind that was not there before are reported from this number on as more than a note. */
const SEVERAL = 3
/** Failures that the time before should have had at the same rate: with fewer, that it had none is chance. */
const EXPECTED = 6
/** Probability below which steady failures do not begin so late. */
const CHANCE = 0.001

/** Kinds of errors that are new or more frequent, by client and server. */
export function failingMore({ before, after }: Evidence): Finding[] {
  const calls = callsByEdge(after)
  const callsBefore = before ? callsByEdge(before) : new Map<string, number>()
  const known = before ? byKind(before.failures) : new Map<string, Failures>()
  return [...byKind(after.failures)].flatMap(([key, failures]) => {
    const edge = edgeOf(failures.worst)
    const all = calls.get(edge) ?? failures.count
    const share = Math.min(1, failures.count / Math.max(all, 1))
    const was = known.get(key)?.count ?? 0
    const allBefore = callsBefore.get(edge) ?? 0
    if (before === undefined)
      return [isBurst(failures, after) ? burst(failures, share, all) : constant(failures, share, all)]
    const inTime = (failures.count / secondsOf(after)) * secondsOf(before)
    const expected = allBefore === 0 ? inTime : share * allBefore
    const isNew = was === 0 && !before.isCut
    if (!isNew && !hasRisen(was, allBefore, failures.count, all)) return []
    const isSure = !isNew || (failures.count >= SEVERAL && expected >= EXPECTED)
    return [changed(failures, { share, all, was, allBefore, isSure })]
  })
}

interface Change {
  readonly share: number
  readonly all: number
  readonly was: number
  readonly allBefore: number
  readonly isSure: boolean
}

function changed(failures: Failures, { share, all, was, allBefore, isSure }: Change): Finding {
  const { error = '', proto, connectionEnd } = failures.worst
  const kind = kindOfError(proto, error, connectionEnd)
  const score = (BASE[kind] ?? 58) + 27 * share - (isClientError(error) ? 10 : 0)
  const against: string[] = []
  if (!isSure) against.push('So few failures may be chance.')
  if (allBefore === 0)
    against.push('There were no such calls before, so nothing is known of their normal state.')
  return {
    ...described(failures, kind),
    score: isSure ? score : Math.min(score, 40),
    before: `${was} of ${allBefore} calls (${percent(was / Math.max(allBefore, 1))})`,
    after: `${failures.count} of ${all} calls (${percent(share)})`,
    against,
  }
}

/** Whether steady failures would have begun so late only by chance. */
function isBurst({ count, first }: Failures, { from, to }: Observation): boolean {
  const rest = (to - first) / Math.max(to - from, 1)
  return rest ** count < CHANCE
}

/** Nothing else changed for long, but these failures were not there at first. */
function burst(failures: Failures, share: number, all: number): Finding {
  const { error = '', proto, connectionEnd } = failures.worst
  const kind = kindOfError(proto, error, connectionEnd)
  return {
    ...described(failures, kind),
    score: (BASE[kind] ?? 58) + 27 * share - (isClientError(error) ? 10 : 0),
    before: 'none in the first part of the window',
    after: `${failures.count} of ${all} calls (${percent(share)})`,
    against: ['No other change lasts: it may be over.'],
  }
}

/** There is nothing to compare with: what fails may always have failed. */
function constant(failures: Failures, share: number, all: number): Finding {
  const { error = '', proto, connectionEnd } = failures.worst
  const kind = kindOfError(proto, error, connectionEnd)
  const isServer = !isClientError(error)
  const score = isServer ? (BASE[kind] ?? 58) - 40 + 40 * share : 10 + 20 * share
  return {
    ...described(failures, kind),
    score,
    after: `${failures.count} of ${all} calls (${percent(share)})`,
    against: ['There is no time before to compare with: these calls may always have failed.'],
  }
}

function described({ worst, paths, first }: Failures, kind: FindingKind) {
  const { client, server, proto, path, error = '', connectionEnd } = worst
  const onPath = path === undefined ? '' : paths > 1 ? `, most on ${path} (${paths} paths)` : ` on ${path}`
  return {
    kind,
    what: `${proto} calls from ${client.name} to ${server.name} fail with "${error}"${ended(worst)}${onPath}`,
    began: first,
    client,
    server,
    selection: {
      ...{ client, server, proto, error },
      ...(connectionEnd !== undefined && { connectionEnd }),
      ...(path !== undefined && paths === 1 && { path }),
    },
  }
}

function ended({ client, server, connectionEnd }: Traffic): string {
  if (connectionEnd === undefined) return ''
  const who = connectionEnd.endsWith('_by_server') ? server.name : client.name
  return `: ${who} ${connectionEnd.startsWith('reset') ? 'resets' : 'closes'} the connection`
}

function byKind(failures: readonly Traffic[]): ReadonlyMap<string, Failures> {
  const found = new Map<string, Failures>()
  for (const one of failures) {
    const key = `${edgeOf(one)} ${errorTemplate(one.error ?? '')} ${one.connectionEnd ?? ''}`
    const known = found.get(key)
    if (known === undefined) found.set(key, { count: one.calls, first: one.first, worst: one, paths: 1 })
    else
      found.set(key, {
        count: known.count + one.calls,
        first: Math.min(known.first, one.first),
        worst: one.calls > known.worst.calls ? one : known.worst,
        paths: known.paths + 1,
      })
  }
  return found
}

/** A connection that fails has no protocol yet: it counts as a call of any. */
function edgeOf(traffic: Traffic): string {
  const isName = traffic.proto === 'dns'
  return `${keyOfEdge(traffic)}${isName ? ' dns' : ''}`
}

function callsByEdge({ edges }: Observation): ReadonlyMap<string, number> {
  const calls = new Map<string, number>()
  for (const edge of edges) calls.set(edgeOf(edge), (calls.get(edgeOf(edge)) ?? 0) + edge.calls)
  return calls
}
