import { keyOfParty } from './evidence.ts'
import type { Finding, FindingKind, Severity, Suspect } from './finding.ts'

const HIGH = 62
const MEDIUM = 45

/** Kinds that a caller shows when something that it calls does not work. */
const SYMPTOMS: ReadonlySet<FindingKind> = new Set([
  'failing',
  'unanswered',
  'connection_failed',
  'slower',
  'more_calls',
  'replica',
  'gone',
])
/** Kinds that can be the reason for that. */
const CAUSES: ReadonlySet<FindingKind> = new Set([
  'failing',
  'unanswered',
  'connection_failed',
  'dns_failing',
  'tls_failing',
  'certificate',
  'slower',
  'bigger',
  'packet_loss',
  'zero_window',
  'new_edge',
  'restart',
])
/** What an explained finding keeps of its score; and what a cause gains for each of them, at most so much. */
const EXPLAINED = 0.62
const GAIN = 4
const MAX_GAIN = 16

/**
 * The most probable cause first. A callee that does not work explains its callers: it gains, and they lose. Findings that
 * are explained are listed all the same, behind it.
 */
export function rankFindings(findings: readonly Finding[]): Suspect[] {
  const causeOf = findings.map((finding, at) => causeIn(findings, finding, at))
  // Two parties that call each other would explain each other.
  for (const [at, cause] of causeOf.entries())
    if (cause !== undefined && reaches(causeOf, cause, at)) causeOf[at] = undefined
  const gains = findings.map((_, at) => causeOf.filter((cause) => cause === at).length)
  const scored = findings.map((finding, at) => ({
    finding,
    at,
    score:
      causeOf[at] === undefined
        ? Math.min(100, finding.score + Math.min(MAX_GAIN, GAIN * (gains[at] ?? 0)))
        : finding.score * EXPLAINED,
  }))
  scored.sort((a, b) => b.score - a.score || compare(a.finding, b.finding))
  const placeOf = new Map(scored.map(({ at }, place) => [at, place]))
  return scored.map(({ finding, at, score }) => {
    const cause = causeOf[at]
    const by = cause === undefined ? undefined : placeOf.get(cause)
    return {
      ...finding,
      score: Math.round(score),
      severity: severityOf(score),
      explains: causeOf.flatMap((one, symptom) => (one === at ? (placeOf.get(symptom) ?? []) : [])),
      ...(by !== undefined && { explainedBy: by }),
    }
  })
}

/** The strongest finding about what the server of this one calls, or about the server itself. */
function causeIn(findings: readonly Finding[], finding: Finding, at: number): number | undefined {
  if (!SYMPTOMS.has(finding.kind) || finding.server === undefined) return undefined
  const server = keyOfParty(finding.server)
  let best: number | undefined
  for (const [place, one] of findings.entries()) {
    if (place === at || !CAUSES.has(one.kind) || one.score < MEDIUM) continue
    const isBelow = one.client !== undefined && keyOfParty(one.client) === server
    const isReason = isSameEdge(one, finding) && reasonRank(one.kind) > reasonRank(finding.kind)
    if (!isBelow && !isReason) continue
    if (best === undefined || one.score > (findings[best]?.score ?? 0)) best = place
  }
  return best
}

/** On one edge, a broken connection or a larger response explains slow or failing calls; not the reverse. */
function reasonRank(kind: FindingKind): number {
  if (kind === 'packet_loss' || kind === 'zero_window' || kind === 'bigger' || kind === 'certificate')
    return 2
  if (kind === 'tls_failing' || kind === 'dns_failing') return 2
  return kind === 'more_calls' ? 0 : 1
}

function isSameEdge(one: Finding, other: Finding): boolean {
  if (one.server === undefined || other.server === undefined) return false
  const sameServer = keyOfParty(one.server) === keyOfParty(other.server)
  const sameClient =
    one.client === undefined ||
    (other.client !== undefined && keyOfParty(one.client) === keyOfParty(other.client))
  return sameServer && sameClient
}

/** Whether following causes from `from` comes to `to`. */
function reaches(causeOf: readonly (number | undefined)[], from: number, to: number): boolean {
  let at: number | undefined = from
  for (let steps = 0; at !== undefined && steps <= causeOf.length; steps++) {
    if (at === to) return true
    at = causeOf[at]
  }
  return false
}

function severityOf(score: number): Severity {
  return score >= HIGH ? 'high' : score >= MEDIUM ? 'medium' : 'note'
}

function compare(a: Finding, b: Finding): number {
  return (
    (a.began ?? Number.POSITIVE_INFINITY) - (b.began ?? Number.POSITIVE_INFINITY) ||
    (a.what < b.what ? -1 : 1)
  )
}
