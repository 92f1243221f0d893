import { errorTemplate } from './error-kind.ts'
import { keyOfParty, type Party } from './evidence.ts'
import type { Finding, FindingKind } from './finding.ts'

/** Kinds that a caller shows when something that it calls does not work. */
const SYMPTOMS: ReadonlySet<FindingKind> = new Set([
  'failing',
  'unanswered',
  'connection_failed',
  'slower',
  'concurrency',
  'more_calls',
  'retries',
  'amplification',
  'deadline',
  'replica',
  'version',
  'gone',
])
/** Kinds that can be the reason for that. */
const CAUSES: ReadonlySet<FindingKind> = new Set([
  'failing',
  'unanswered',
  'connection_failed',
  'dns_failing',
  'dns_unanswered',
  'dns_answer_changed',
  'tls_failing',
  'certificate',
  'slower',
  'n_plus_one',
  'bigger',
  'deadline',
  'rate_limited',
  'health_check',
  'clock_skew',
  'lock',
  'hot_replica',
  'replica',
  'version',
  'node',
  'packet_loss',
  'mtu_black_hole',
  'leaking_connections',
  'half_open',
  'zero_window',
  'new_edge',
  'restart',
])

/** On one edge, the kind with the higher rank explains the other. Default: 1. */
const REASON_RANK: Partial<Record<FindingKind, number>> = {
  concurrency: 0,
  more_calls: 0,
  retries: 0,
  amplification: 0,
  gone: 0,
  bigger: 2,
  certificate: 2,
  deadline: 2,
  dns_failing: 2,
  hot_replica: 3,
  n_plus_one: 2,
  packet_loss: 2,
  rate_limited: 2,
  replica: 2,
  version: 2,
  tls_failing: 2,
  zero_window: 2,
  dns_unanswered: 3,
  half_open: 3,
  health_check: 3,
  leaking_connections: 3,
  lock: 3,
  mtu_black_hole: 3,
}
/** What a wrong address leads to, in the client that got it. */
const AFTER_WRONG_ADDRESS: ReadonlySet<FindingKind> = new Set([
  'failing',
  'unanswered',
  'connection_failed',
  'tls_failing',
  'new_edge',
  'gone',
])
const UNAUTHORISED = /^40[13]|unauth|permission/i
/** A consequence is not seen before its cause; of both, only the first sign in the capture is known. Milliseconds. */
const EARLIER = 1000

/** Whether one finding would explain another: a callee its callers, a broken connection the calls on it. */
export function mayExplain(cause: Finding, symptom: Finding): boolean {
  if (!CAUSES.has(cause.kind)) return false
  if (cause.kind === 'clock_skew' && isRefused(symptom)) return isLater(cause, symptom)
  if (cause.kind === 'dns_answer_changed' && isSame(cause.client, symptom.client))
    return AFTER_WRONG_ADDRESS.has(symptom.kind) && isLater(cause, symptom)
  if (isSibling(cause, symptom)) return hasMoreLoss(cause, symptom)
  if (hasMorePods(cause, symptom)) return true
  if (cause.covers?.some((one) => isSame(one, symptom.server))) return SYMPTOMS.has(symptom.kind)
  if (SYMPTOMS.has(symptom.kind) && isSame(cause.client, symptom.server)) return true
  return isSameEdge(cause, symptom) && rankOf(cause.kind) > rankOf(symptom.kind)
}

/** The same trouble of two clients with one server is one cause. */
function isSibling(one: Finding, other: Finding): boolean {
  if (one.kind !== other.kind || !SYMPTOMS.has(one.kind) || one.client === undefined) return false
  if (other.client === undefined || isSame(one.client, other.client)) return false
  const kindOf = ({ selection }: Finding) => errorTemplate(selection?.error ?? '')
  return isSame(one.server, other.server) && kindOf(one) === kindOf(other)
}

function hasMoreLoss({ loss: one, what: first }: Finding, { loss: other, what: second }: Finding): boolean {
  const more = (one?.lost ?? 0) - (other?.lost ?? 0)
  return one !== undefined && other !== undefined && (more > 0 || (more === 0 && first < second))
}

/** Pods of one node or one version are not odd one by one. */
function hasMorePods({ pods = [], loss }: Finding, { pods: odd = [], loss: own }: Finding): boolean {
  const isPart = odd.length > 0 && odd.length < pods.length && odd.every((pod) => pods.includes(pod))
  return isPart && loss?.how === own?.how
}

function isRefused({ kind, selection }: Finding): boolean {
  return kind === 'failing' && UNAUTHORISED.test(selection?.error ?? '')
}

function isLater(cause: Finding, symptom: Finding): boolean {
  return symptom.began === undefined || cause.began === undefined || symptom.began >= cause.began - EARLIER
}

function rankOf(kind: FindingKind): number {
  return REASON_RANK[kind] ?? 1
}

/** The client of a finding about a server as a whole is any. */
function isSameEdge(one: Finding, other: Finding): boolean {
  const isAnyClient = one.client === undefined || other.client === undefined
  return isSame(one.server, other.server) && (isAnyClient || isSame(one.client, other.client))
}

function isSame(one: Party | undefined, other: Party | undefined): boolean {
  return one !== undefined && other !== undefined && keyOfParty(one) === keyOfParty(other)
}
