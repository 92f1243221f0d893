import { isClientError, kindOfError } from '../error-kind.ts'
import { type Evidence, type Observation, secondsOf, type Traffic } from '../evidence.ts'
import { callsByEdge, edgeOf, type Failures, failuresByKind, hasWorked, lossOf } from '../failures-by-kind.ts'
import type { Finding, FindingKind } from '../finding.ts'
import type { Loss } from '../loss.ts'
import { comparePeers } from '../peers.ts'
import { hasRisen, percent, provenShare } from '../statistics.ts'
import { searchAttempts } from './dns-search-storm.ts'

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
/** A share of lost calls that is serious without any comparison, and how many they are at least. */
const SERIOUS_SHARE = 0.1
const SERIOUS_LOSS = 5
const NOTE = 40

/** Kinds of errors that are new or more frequent, by client and server; without a time before, those that cost most. */
export function failingMore({ before, after }: Evidence): Finding[] {
  const calls = callsByEdge(after)
  const callsBefore = before ? callsByEdge(before) : new Map<string, number>()
  const known = before ? failuresByKind(before.failures) : new Map<string, Failures>()
  const searches = searchAttempts(after)
  return [...failuresByKind(after.failures)].flatMap(([key, failures]) => {
    const edge = edgeOf(failures.worst)
    const all = calls.get(edge) ?? failures.count
    const share = Math.min(1, failures.count / Math.max(all, 1))
    const was = known.get(key)?.count ?? 0
    const allBefore = callsBefore.get(edge) ?? 0
    const asked = failures.list.filter(({ proto }) => proto === 'dns')
    const isSearch = asked.length > 0 && asked.every((one) => searches.has(`${edgeOf(one)} ${one.path}`))
    const isKnownCaller = allBefore > 0 && !failures.worst.client.isOutside
    const windows = before ? [before, after] : [after]
    const isClients = isClientError(failures.worst.error ?? '')
    const seen: Seen = {
      ...{ failures, all, share, after },
      loss: lossOf(failures, after),
      isOrdinary: isSearch || (isClients && !isKnownCaller && !hasWorked(failures, windows)),
    }
    if (before === undefined) return [isBurst(failures, after) ? burst(seen) : constant(seen)]
    const inTime = (failures.count / secondsOf(after)) * secondsOf(before)
    const expected = allBefore === 0 ? inTime : share * allBefore
    const isNew = was === 0 && !before.isCut
    if (!isNew && !hasRisen(was, allBefore, failures.count, all))
      return isSerious(seen) && !isClients ? [background(seen, was, allBefore)] : []
    const isSure = !isNew || (failures.count >= SEVERAL && expected >= EXPECTED)
    return [changed(seen, { was, allBefore, isSure })]
  })
}

interface Seen {
  readonly failures: Failures
  readonly all: number
  readonly share: number
  readonly after: Observation
  readonly loss: Loss
  /** No client ever asked this with success: a search domain, or a bot. */
  readonly isOrdinary: boolean
}

interface Change {
  readonly was: number
  readonly allBefore: number
  readonly isSure: boolean
}

function changed(seen: Seen, { was, allBefore, isSure }: Change): Finding {
  const against: string[] = []
  if (!isSure) against.push('So few failures may be chance.')
  if (allBefore === 0)
    against.push('There were no such calls before, so nothing is known of their normal state.')
  return {
    ...described(seen),
    score: isSure && !seen.isOrdinary ? changedScore(seen) : Math.min(changedScore(seen), NOTE),
    before: `${was} of ${allBefore} calls (${percent(was / Math.max(allBefore, 1))})`,
    against: [...against, ...ordinary(seen)],
  }
}

function changedScore(seen: Seen): number {
  const { error = '' } = seen.failures.worst
  const share = Math.max(seen.share, provenShare(seen.loss.lost, seen.loss.of))
  return (BASE[kindOf(seen)] ?? 58) + 27 * share - (isClientError(error) ? 10 : 0)
}

/** Whether steady failures would have begun so late only by chance. */
function isBurst({ count, first }: Failures, { from, to }: Observation): boolean {
  const rest = (to - first) / Math.max(to - from, 1)
  return count >= SEVERAL && rest ** count < CHANCE
}

/** Nothing else changed for long, but these failures were not there at first. */
function burst(seen: Seen): Finding {
  return {
    ...described(seen),
    score: seen.isOrdinary ? Math.min(changedScore(seen), NOTE) : changedScore(seen),
    before: 'none in the first part of the window',
    against: ['No other change lasts: it may be over.', ...ordinary(seen)],
  }
}

/** There is no time before: what others get at the same time says what is normal, and the share what it costs. */
function constant(seen: Seen): Finding {
  const { worst } = seen.failures
  const { text, isOddCaller } = comparePeers(worst, seen.loss.lost / seen.loss.of, seen.after)
  const isOrdinary = seen.isOrdinary || (isClientError(worst.error ?? '') && !isOddCaller)
  const how = text === undefined ? 'with what is normal for the protocol' : 'with others in the same window'
  return {
    ...described(seen),
    score: constantScore({ ...seen, isOrdinary }) + (isOddCaller && isSerious(seen) ? 4 : 0),
    ...(text !== undefined && { before: text }),
    comparedWith: text === undefined ? 'protocol' : 'peers',
    ...(isOrdinary && { isOrdinary }),
    against: [
      `There is no time before: it was compared ${how}.`,
      ...(isOddCaller ? [] : ['These calls may always have failed.']),
    ],
  }
}

/** The same part of them failed before. */
function background(seen: Seen, was: number, allBefore: number): Finding {
  return {
    ...described(seen),
    score: constantScore(seen),
    before: `${was} of ${allBefore} calls (${percent(was / Math.max(allBefore, 1))})`,
    isBackground: true,
    against: ['It was so before the change.'],
  }
}

function constantScore(seen: Seen): number {
  const { lost, of } = seen.loss
  if (seen.isOrdinary) return 10 + 20 * seen.share
  if (isSerious(seen)) return 50 + 6 * (lost / of)
  return Math.min(NOTE, 15 + 250 * provenShare(lost, of))
}

function isSerious({ loss: { lost, of } }: Seen): boolean {
  return lost >= SERIOUS_LOSS && lost / of >= SERIOUS_SHARE
}

function ordinary({ isOrdinary, failures: { worst } }: Seen): string[] {
  if (!isOrdinary) return []
  return worst.proto === 'dns'
    ? ['Search domains: the name itself was asked for, too.']
    : ['No client ever asked for this with success.']
}

function described(seen: Seen) {
  const { failures, all, share, loss } = seen
  const { worst, list, first, text, count } = failures
  const { client, server, proto, path, error = '', connectionEnd } = worst
  const paths = new Set(list.map((one) => one.path)).size
  const onPath = path === undefined ? '' : paths > 1 ? `, most on ${path} (${paths} paths)` : ` on ${path}`
  const said = text === undefined || error.includes(text) ? '' : `: ${text}`
  return {
    kind: kindOf(seen),
    what: `${proto} calls from ${client.name} to ${server.name} fail with "${error}${said}"${ended(worst)}${onPath}`,
    after: `${count} of ${all} calls (${percent(share)})`,
    began: first,
    client,
    server,
    loss,
    selection: {
      ...{ client, server, proto, error },
      ...(connectionEnd !== undefined && { connectionEnd }),
      ...(path !== undefined && paths === 1 && { path }),
    },
    ...(seen.isOrdinary && { isOrdinary: true as const }),
  }
}

function kindOf({ failures: { worst } }: Seen): FindingKind {
  return kindOfError(worst.proto, worst.error ?? '', worst.connectionEnd)
}

function ended({ client, server, connectionEnd }: Traffic): string {
  if (connectionEnd === undefined) return ''
  const who = connectionEnd.endsWith('_by_server') ? server.name : client.name
  return `: ${who} ${connectionEnd.startsWith('reset') ? 'resets' : 'closes'} the connection`
}
